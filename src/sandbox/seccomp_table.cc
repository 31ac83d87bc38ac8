#include "sandbox/seccomp_table.h"

#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace cmcp::sandbox {
namespace {

constexpr std::uint64_t kWord =
    0xffffffffU;  // the kernel reads these arguments as 32 bits: so must the comparison
constexpr int kFchmodat2 = 452;
constexpr int kMseal = 462;
constexpr int kOpenTreeAttr = 467;
constexpr int kLsmSetSelfAttr = 460;

// Every namespace bit that fits into clone's flags (CLONE_NEWTIME shares its bit with the exit
// signal: clone3 only).
constexpr std::uint64_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                      CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

constexpr const char* kTerminal = "puts input into, or takes over, a terminal that others use";
constexpr const char* kReserve =
    "reserves the disk's space beyond a file's end, where no limit counts it";
constexpr const char* kSetId = "a set-id file in the workspace would outlive the sandbox";

constexpr ArgumentRow kRefusedArguments[] = {
    {"ioctl", 1, kWord, 0x5412, "TIOCSTI types into the terminal of somebody else"},
    {"ioctl", 1, kWord, 0x541C, kTerminal},     // TIOCLINUX
    {"ioctl", 1, kWord, 0x5423, kTerminal},     // TIOCSETD: loads line disciplines
    {"ioctl", 1, kWord, 0x40305828, kReserve},  // FS_IOC_RESVSP
    {"ioctl", 1, kWord, 0x4030582A, kReserve},  // FS_IOC_RESVSP64
    {"ioctl", 1, kWord, 0x40305839, kReserve},  // FS_IOC_ZERO_RANGE
    {"chmod", 1, S_ISUID, S_ISUID, kSetId},
    {"chmod", 1, S_ISGID, S_ISGID, kSetId},
    {"fchmod", 1, S_ISUID, S_ISUID, kSetId},
    {"fchmod", 1, S_ISGID, S_ISGID, kSetId},
    {"fchmodat", 2, S_ISUID, S_ISUID, kSetId},
    {"fchmodat", 2, S_ISGID, S_ISGID, kSetId},
    {"fchmodat2", 2, S_ISUID, S_ISUID, kSetId, kFchmodat2},
    {"fchmodat2", 2, S_ISGID, S_ISGID, kSetId, kFchmodat2},
    {"creat", 1, S_ISUID, S_ISUID, kSetId},
    {"creat", 1, S_ISGID, S_ISGID, kSetId},
    {"mkdir", 1, S_ISUID, S_ISUID, kSetId},
    {"mkdir", 1, S_ISGID, S_ISGID, kSetId},
    {"mkdirat", 2, S_ISUID, S_ISUID, kSetId},
    {"mkdirat", 2, S_ISGID, S_ISGID, kSetId},
    {"mknod", 1, S_ISUID, S_ISUID, kSetId},
    {"mknod", 1, S_ISGID, S_ISGID, kSetId},
    {"mknodat", 2, S_ISUID, S_ISUID, kSetId},
    {"mknodat", 2, S_ISGID, S_ISGID, kSetId},
    {"mknod", 1, S_IFMT, S_IFCHR, "device nodes"},
    {"mknod", 1, S_IFMT, S_IFBLK, "device nodes"},
    {"mknodat", 2, S_IFMT, S_IFCHR, "device nodes"},
    {"mknodat", 2, S_IFMT, S_IFBLK, "device nodes"},
    {"seccomp", 1, SECCOMP_FILTER_FLAG_NEW_LISTENER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
     "a listener would answer the calls of set-uid programs and of children in their place"},
};

// The mode argument of open is read only together with O_CREAT or O_TMPFILE; without them it is
// whatever the register held.
constexpr std::uint64_t kTmpfileBit = O_TMPFILE & ~O_DIRECTORY;
constexpr TwoArgumentsRow kRefusedPairs[] = {
    {"open", {"open", 1, O_CREAT, O_CREAT, kSetId}, {"open", 2, S_ISUID, S_ISUID, kSetId}},
    {"open", {"open", 1, O_CREAT, O_CREAT, kSetId}, {"open", 2, S_ISGID, S_ISGID, kSetId}},
    {"open", {"open", 1, kTmpfileBit, kTmpfileBit, kSetId}, {"open", 2, S_ISUID, S_ISUID, kSetId}},
    {"open", {"open", 1, kTmpfileBit, kTmpfileBit, kSetId}, {"open", 2, S_ISGID, S_ISGID, kSetId}},
    {"openat", {"openat", 2, O_CREAT, O_CREAT, kSetId}, {"openat", 3, S_ISUID, S_ISUID, kSetId}},
    {"openat", {"openat", 2, O_CREAT, O_CREAT, kSetId}, {"openat", 3, S_ISGID, S_ISGID, kSetId}},
    {"openat",
     {"openat", 2, kTmpfileBit, kTmpfileBit, kSetId},
     {"openat", 3, S_ISUID, S_ISUID, kSetId}},
    {"openat",
     {"openat", 2, kTmpfileBit, kTmpfileBit, kSetId},
     {"openat", 3, S_ISGID, S_ISGID, kSetId}},
};

constexpr ArgumentRow kSocketLevel{"setsockopt", 1, kWord, SOL_SOCKET, "socket buffers"};
constexpr const char* kBuffers = "without a memory cgroup nothing counts what waits in a socket";
constexpr TwoArgumentsRow kSocketBuffers[] = {
    {"setsockopt", kSocketLevel, {"setsockopt", 2, kWord, SO_SNDBUF, kBuffers}},
    {"setsockopt", kSocketLevel, {"setsockopt", 2, kWord, SO_RCVBUF, kBuffers}},
    {"setsockopt", kSocketLevel, {"setsockopt", 2, kWord, SO_SNDBUFFORCE, kBuffers}},
    {"setsockopt", kSocketLevel, {"setsockopt", 2, kWord, SO_RCVBUFFORCE, kBuffers}},
};

constexpr SyscallRow kAllowed[] = {
    // Processes and threads.
    {"execve", "every program start"},
    {"execveat", "fexecve"},
    {"exit", "threads end"},
    {"exit_group", "processes end"},
    {"fork", "shells built against musl; glibc uses clone"},
    {"vfork", "posix_spawn fallback, make"},
    {"wait4", "bash job control, waitpid"},
    {"waitid", "python subprocess, systemd-style supervisors"},
    {"kill", "kill builtin; reaches this pid namespace only"},
    {"tkill", "raise in old libraries"},
    {"tgkill", "raise, abort, pthread_kill"},
    {"getpid", "everything"},
    {"getppid", "bash PPID"},
    {"gettid", "glibc threads, python threading.get_native_id"},
    {"getpgid", "bash job control"},
    {"setpgid", "bash job control"},
    {"getpgrp", "bash job control"},
    {"getsid", "setsid(1), python os.getsid"},
    {"setsid", "setsid(1), python start_new_session"},
    {"set_tid_address", "glibc start-up"},
    {"set_robust_list", "glibc start-up and threads"},
    {"get_robust_list", "futex debuggers"},
    {"rseq", "glibc start-up"},
    {"membarrier", "liburcu, JITs"},
    {"arch_prctl", "glibc start-up sets the thread pointer"},
    {"pidfd_open", "python os.pidfd_open, asyncio child watcher"},
    {"pidfd_send_signal", "python signal.pidfd_send_signal"},
    {"restart_syscall", "the kernel restarts interrupted sleeps by it"},
    {"uname", "configure scripts, python platform"},
    {"sysinfo", "free, nproc, allocators that size themselves"},
    {"times", "bash time"},
    {"getrusage", "bash times, python resource"},
    {"getcpu", "sched_getcpu without vdso"},
    // Identity: reading it, and setting the ids that one has already.
    {"getuid", "everything"},
    {"geteuid", "everything"},
    {"getgid", "everything"},
    {"getegid", "everything"},
    {"getgroups", "id"},
    {"getresuid", "bash start-up"},
    {"getresgid", "bash start-up"},
    {"setuid", "bash drops a set-uid identity that it has not got"},
    {"setgid", "bash, as setuid"},
    {"setreuid", "bash, as setuid"},
    {"setregid", "bash, as setuid"},
    {"setresuid", "bash, as setuid"},
    {"setresgid", "bash, as setuid"},
    {"setgroups", "programs that drop groups; the kernel refuses it here"},
    {"setfsuid", "file servers ask for their own id"},
    {"setfsgid", "file servers ask for their own id"},
    {"capget", "programs that look whether they are privileged"},
    {"capset", "programs that drop capabilities; there are none to gain"},
    // Limits and scheduling; raising is refused by the kernel.
    {"getrlimit", "ulimit"},
    {"setrlimit", "ulimit"},
    {"prlimit64", "ulimit, node start-up"},
    {"getpriority", "nice"},
    {"setpriority", "nice"},
    {"ioprio_get", "ionice"},
    {"ioprio_set", "ionice"},
    {"sched_yield", "spin locks"},
    {"sched_getaffinity", "nproc, python os.sched_getaffinity, OpenMP"},
    {"sched_setaffinity", "taskset, OpenMP"},
    {"sched_getattr", "chrt"},
    {"sched_setattr", "chrt; real-time classes are refused by the kernel"},
    {"sched_getparam", "pthread_getschedparam"},
    {"sched_setparam", "pthread_setschedparam"},
    {"sched_getscheduler", "pthread_getschedparam"},
    {"sched_setscheduler", "pthread_setschedparam; real-time classes are refused by the kernel"},
    {"sched_get_priority_max", "python os.sched_get_priority_max, node"},
    {"sched_get_priority_min", "as above"},
    {"sched_rr_get_interval", "python os.sched_rr_get_interval"},
    // Signals.
    {"rt_sigaction", "everything"},
    {"rt_sigprocmask", "everything"},
    {"rt_sigreturn", "return from a handler"},
    {"rt_sigpending", "python signal.sigpending"},
    {"rt_sigsuspend", "bash wait"},
    {"rt_sigtimedwait", "python signal.sigtimedwait"},
    {"rt_sigqueueinfo", "sigqueue"},
    {"rt_tgsigqueueinfo", "pthread_sigqueue"},
    {"sigaltstack", "python faulthandler, Go, node"},
    {"signalfd", "event loops"},
    {"signalfd4", "event loops"},
    {"pause", "pause"},
    // Time; setting clocks is forbidden below.
    {"clock_gettime", "date without vdso"},
    {"clock_getres", "python time.get_clock_info"},
    {"clock_nanosleep", "sleep"},
    {"nanosleep", "sleep"},
    {"gettimeofday", "without vdso"},
    {"time", "without vdso"},
    {"alarm", "perl alarm"},
    {"getitimer", "python signal.getitimer"},
    {"setitimer", "python signal.setitimer"},
    {"timer_create", "timeout(1)"},
    {"timer_settime", "timeout(1)"},
    {"timer_gettime", "POSIX timers"},
    {"timer_getoverrun", "POSIX timers"},
    {"timer_delete", "POSIX timers"},
    {"timerfd_create", "event loops"},
    {"timerfd_settime", "event loops"},
    {"timerfd_gettime", "event loops"},
    // Memory.
    {"brk", "malloc"},
    {"mmap", "malloc, loader"},
    {"munmap", "malloc"},
    {"mremap", "realloc"},
    {"mprotect", "loader, JITs"},
    {"pkey_alloc", "V8 protects its code pages"},
    {"pkey_free", "V8"},
    {"pkey_mprotect", "V8"},
    {"madvise", "malloc, V8"},
    {"mseal", "loaders and runtimes seal their mappings; it only takes away", kMseal},
    {"mincore", "stack walkers look whether a page exists"},
    {"msync", "mmap'ed databases"},
    {"mlock", "gpg; RLIMIT_MEMLOCK applies"},
    {"mlock2", "as mlock"},
    {"mlockall", "as mlock"},
    {"munlock", "as mlock"},
    {"munlockall", "as mlock"},
    {"get_mempolicy", "java, numpy ask for the NUMA layout"},
    // Files: opening, reading, writing.
    {"open", "programs not built against a recent glibc"},
    {"openat", "everything"},
    {"creat", "old programs"},
    {"close", "everything"},
    {"close_range", "python subprocess closes descriptors"},
    {"read", "everything"},
    {"write", "everything"},
    {"readv", "node, stdio"},
    {"writev", "node, stdio"},
    {"pread64", "loader, git packs"},
    {"pwrite64", "databases, linkers"},
    {"preadv", "python os.preadv"},
    {"pwritev", "python os.pwritev"},
    {"preadv2", "python os.preadv"},
    {"pwritev2", "python os.pwritev"},
    {"lseek", "everything"},
    {"dup", "everything"},
    {"dup2", "bash redirections"},
    {"dup3", "python subprocess"},
    {"pipe", "old programs"},
    {"pipe2", "pipelines"},
    {"fcntl", "everything"},
    {"flock", "flock(1), package managers"},
    {"ioctl", "isatty, terminal size; TIOCSTI and its like are refused first"},
    {"fsync", "editors, git, databases"},
    {"fdatasync", "databases"},
    {"sync", "sync(1)"},
    {"syncfs", "sync -f"},
    {"sync_file_range", "databases"},
    {"ftruncate", "everything that writes"},
    {"truncate", "truncate(1)"},
    {"fadvise64", "cat, cp, sort"},
    {"readahead", "readahead hints"},
    {"copy_file_range", "cp, python shutil"},
    {"sendfile", "python shutil, cat replacements"},
    {"splice", "node, busy pipes; AF_ALG, its known abuse, has no socket here"},
    {"tee", "tee replacements"},
    // Files: names and attributes.
    {"stat", "programs not built against a recent glibc"},
    {"lstat", "as stat"},
    {"fstat", "everything"},
    {"newfstatat", "everything"},
    {"statx", "ls, node"},
    {"statfs", "df, git, selinux-aware coreutils"},
    {"fstatfs", "df, git"},
    {"access", "loader"},
    {"faccessat", "bash test -r"},
    {"faccessat2", "bash test -r"},
    {"getdents", "old programs"},
    {"getdents64", "ls, find"},
    {"getcwd", "pwd"},
    {"chdir", "cd"},
    {"fchdir", "find, rm -r"},
    {"mkdir", "mkdir"},
    {"mkdirat", "mkdir"},
    {"mknod", "mkfifo of old programs; devices are refused"},
    {"mknodat", "mkfifo"},
    {"rmdir", "rmdir"},
    {"unlink", "rm"},
    {"unlinkat", "rm"},
    {"rename", "mv"},
    {"renameat", "mv"},
    {"renameat2", "mv -n"},
    {"link", "ln, git"},
    {"linkat", "ln"},
    {"symlink", "ln -s"},
    {"symlinkat", "ln -s"},
    {"readlink", "loader, readlink"},
    {"readlinkat", "readlink, ls -l"},
    {"chmod", "chmod, git"},
    {"fchmod", "cp -p, tar"},
    {"fchmodat", "chmod"},
    {"fchmodat2", "chmod of glibc 2.39", kFchmodat2},
    {"chown", "cp -p asks and is refused by the kernel"},
    {"fchown", "tar, as chown"},
    {"lchown", "as chown"},
    {"fchownat", "as chown"},
    {"umask", "everything"},
    {"utime", "old programs"},
    {"utimes", "old programs"},
    {"futimesat", "old programs"},
    {"utimensat", "touch, tar, cp -p"},
    {"getxattr", "ls, cp -a"},
    {"lgetxattr", "ls -l"},
    {"fgetxattr", "cp -a"},
    {"listxattr", "cp -a, rsync"},
    {"llistxattr", "cp -a"},
    {"flistxattr", "cp -a"},
    {"setxattr", "cp -a"},
    {"lsetxattr", "cp -a"},
    {"fsetxattr", "cp -a"},
    {"removexattr", "cp -a"},
    {"lremovexattr", "cp -a"},
    {"fremovexattr", "cp -a"},
    // Waiting.
    {"poll", "everything"},
    {"ppoll", "python, sleep loops"},
    {"select", "bash read -t"},
    {"pselect6", "bash read -t, make"},
    {"epoll_create", "old event loops"},
    {"epoll_create1", "asyncio, node"},
    {"epoll_ctl", "asyncio, node"},
    {"epoll_wait", "asyncio, node"},
    {"epoll_pwait", "node"},
    {"epoll_pwait2", "event loops"},
    {"eventfd", "event loops"},
    {"eventfd2", "node, Go"},
    {"futex", "threads"},
    {"futex_waitv", "wine-style schedulers, new runtimes"},
    {"inotify_init", "tail -f of old programs"},
    {"inotify_init1", "tail -f"},
    {"inotify_add_watch", "tail -f"},
    {"inotify_rm_watch", "tail -f"},
    // Sockets: only families of stage 2's argument rules exist, and the network namespace is empty.
    {"getsockname", "sockets"},
    {"getpeername", "sockets"},
    {"getsockopt", "sockets"},
    {"setsockopt", "sockets"},
    {"sendto", "sockets"},
    {"recvfrom", "sockets"},
    {"sendmsg", "sockets, multiprocessing passes descriptors"},
    {"recvmsg", "sockets, multiprocessing"},
    {"sendmmsg", "resolver"},
    {"recvmmsg", "sockets"},
    {"shutdown", "sockets"},
    // System V semaphores (memory is in sysv_memory_calls).
    {"semget", "fakeroot, databases"},
    {"semop", "as semget"},
    {"semtimedop", "as semget"},
    {"semctl", "as semget"},
    {"shmat", "X and database clients; only what shmget gave"},
    {"shmdt", "as shmat"},
    {"shmctl", "as shmat; ipcs"},
    {"msgctl", "ipcs"},
    {"msgrcv", "as msgget"},
    // Randomness and self-restriction.
    {"getrandom", "everything"},
    {"seccomp", "file(1) restricts itself; a listener is refused first"},
    {"landlock_create_ruleset", "init and payloads restrict themselves"},
    {"landlock_add_rule", "init and payloads restrict themselves"},
    {"landlock_restrict_self", "init restricts before execve, after this filter is loaded"},
};

// FALLOC_FL_PUNCH_HOLE, which only works together with FALLOC_FL_KEEP_SIZE. Reserving is refused
// (see seccomp_policy.cc): a terabyte takes no time, and beyond a file's end not even RLIMIT_FSIZE
// counts.
constexpr std::uint64_t kPunchHole = 3;

constexpr ArgumentRow kAllowedArguments[] = {
    {"fallocate", 1, kWord, kPunchHole, "databases and virtual machine images give space back"},
    {"clone", 0, kNamespaces, 0, "fork and threads, without a namespace"},
    {"personality", 0, kWord, 0xffffffffU, "asking for the current one: setarch, gdb, java"},
    {"personality", 0, kWord, 0, "PER_LINUX, the current one"},
    {"prctl", 0, kWord, PR_SET_NAME, "thread names"},
    {"prctl", 0, kWord, PR_GET_NAME, "thread names"},
    {"prctl", 0, kWord, PR_SET_PDEATHSIG, "supervisors"},
    {"prctl", 0, kWord, PR_GET_PDEATHSIG, "supervisors"},
    {"prctl", 0, kWord, PR_GET_DUMPABLE, "agents that hide their memory"},
    {"prctl", 0, kWord, PR_SET_DUMPABLE, "agents that hide their memory"},
    {"prctl", 0, kWord, PR_SET_CHILD_SUBREAPER, "supervisors in one run"},
    {"prctl", 0, kWord, PR_GET_CHILD_SUBREAPER, "supervisors in one run"},
    {"prctl", 0, kWord, PR_SET_NO_NEW_PRIVS, "file(1) before its own filter"},
    {"prctl", 0, kWord, PR_GET_NO_NEW_PRIVS, "start-up probe"},
    {"prctl", 0, kWord, PR_GET_SECCOMP, "start-up probe"},
    {"prctl", 0, kWord, PR_SET_SECCOMP, "programs that restrict themselves in the old way"},
    {"prctl", 0, kWord, PR_CAPBSET_READ, "start-up probe, capsh"},
    {"prctl", 0, kWord, PR_CAP_AMBIENT, "start-up probe; raising is refused by the kernel"},
    {"prctl", 0, kWord, PR_GET_KEEPCAPS, "capsh"},
    {"prctl", 0, kWord, PR_GET_SECUREBITS, "capsh"},
    {"prctl", 0, kWord, PR_GET_TIMERSLACK, "event loops"},
    {"prctl", 0, kWord, PR_SET_TIMERSLACK, "event loops"},
    {"prctl", 0, kWord, PR_GET_THP_DISABLE, "allocators"},
    {"prctl", 0, kWord, PR_SET_THP_DISABLE, "allocators"},
    {"prctl", 0, kWord, PR_SET_VMA, "glibc, bionic, V8 name their mappings"},
    {"prctl", 0, kWord, PR_GET_SPECULATION_CTRL, "lscpu, JITs"},
    {"prctl", 0, kWord, PR_GET_TSC, "runtimes"},
};

constexpr SyscallRow kSockets[] = {
    {"bind", "servers on Unix sockets in the workspace or /tmp"},
    {"connect", "syslog, nscd, local servers"},
    {"listen", "servers on Unix sockets in the workspace or /tmp"},
    {"accept", "servers on Unix sockets in the workspace or /tmp"},
    {"accept4", "servers on Unix sockets in the workspace or /tmp"},
};

constexpr ArgumentRow kSocketFamilies[] = {
    {"socket", 0, ~0ULL, AF_UNIX, "syslog, nscd, local servers"},
    {"socket", 0, ~0ULL, AF_INET,
     "programs ask for one to list interfaces; Landlock refuses its ports, from ABI 4 on"},
    {"socket", 0, ~0ULL, AF_INET6, "as AF_INET"},
    {"socketpair", 0, ~0ULL, AF_UNIX, "multiprocessing, node child processes"},
};

constexpr ArgumentRow kNetlink{"socket", 0, ~0ULL, AF_NETLINK, "AF_NETLINK"};
constexpr TwoArgumentsRow kSocketFamilyPairs[] = {
    {"socket", kNetlink, {"socket", 2, ~0ULL, NETLINK_ROUTE, "interface lists (getifaddrs)"}},
};

// A pair of datagram sockets is left out: each of the two may send to any name.
constexpr std::uint64_t kSocketType = 0xf;
constexpr ArgumentRow kUnixPair{"socketpair", 0, ~0ULL, AF_UNIX, "AF_UNIX"};
constexpr const char* kConnected = "multiprocessing, node child processes: connected, no name";
constexpr TwoArgumentsRow kConnectedPairs[] = {
    {"socketpair", kUnixPair, {"socketpair", 1, kSocketType, SOCK_STREAM, kConnected}},
    {"socketpair", kUnixPair, {"socketpair", 1, kSocketType, SOCK_SEQPACKET, kConnected}},
};

constexpr SyscallRow kMemfd[] = {{"memfd_create", "node, libffi closures, python os.memfd_create"}};

constexpr SyscallRow kSysvMemory[] = {
    {"shmget", "database and X clients"},
    {"msgget", "programs with message queues"},
    {"msgsnd", "as msgget"},
};

constexpr SyscallRow kForbidden[] = {
    {"clone", "with a namespace bit: a payload creates no namespace"},
    {"unshare", "a payload creates no namespace"},
    {"setns", "a payload joins no namespace"},
    {"mount", "changes the root"},
    {"umount2", "uncovers what is masked"},
    {"pivot_root", "changes the root"},
    {"chroot", "changes the root"},
    {"open_tree", "new mount API"},
    {"move_mount", "new mount API"},
    {"fsopen", "new mount API"},
    {"fsconfig", "new mount API"},
    {"fsmount", "new mount API"},
    {"fspick", "new mount API"},
    {"mount_setattr", "new mount API"},
    {"open_tree_attr", "new mount API", kOpenTreeAttr},
    {"lsm_set_self_attr", "changes the security label", kLsmSetSelfAttr},
    {"swapon", "system administration"},
    {"swapoff", "system administration"},
    {"reboot", "system administration"},
    {"acct", "system administration"},
    {"quotactl", "system administration"},
    {"quotactl_fd", "system administration"},
    {"sethostname", "system administration"},
    {"setdomainname", "system administration"},
    {"vhangup", "system administration"},
    {"syslog", "kernel log"},
    {"init_module", "kernel modules"},
    {"finit_module", "kernel modules"},
    {"delete_module", "kernel modules"},
    {"kexec_load", "kernel replacement"},
    {"kexec_file_load", "kernel replacement"},
    {"iopl", "hardware ports"},
    {"ioperm", "hardware ports"},
    {"modify_ldt", "segment descriptors: a history of kernel bugs"},
    {"vm86", "16-bit emulation"},
    {"clock_settime", "clocks"},
    {"settimeofday", "clocks"},
    {"stime", "clocks"},
    {"clock_adjtime", "clocks"},
    {"adjtimex", "clocks"},
    {"ptrace", "other processes' memory"},
    {"process_vm_readv", "other processes' memory"},
    {"process_vm_writev", "other processes' memory"},
    {"process_madvise", "other processes' memory"},
    {"process_mrelease", "other processes' memory"},
    {"kcmp", "other processes' kernel objects"},
    {"pidfd_getfd", "other processes' descriptors"},
    {"bpf", "kernel attack surface"},
    {"perf_event_open", "kernel attack surface"},
    {"userfaultfd", "kernel attack surface: holds the kernel at a page fault"},
    {"io_uring_setup", "does what this filter forbids without being asked"},
    {"io_uring_enter", "as io_uring_setup"},
    {"io_uring_register", "as io_uring_setup"},
    {"io_setup", "kernel attack surface; libaio has a fallback"},
    {"io_submit", "as io_setup"},
    {"io_destroy", "as io_setup"},
    {"io_getevents", "as io_setup"},
    {"io_pgetevents", "as io_setup"},
    {"io_cancel", "as io_setup"},
    {"add_key", "keyrings are shared by all of a uid"},
    {"request_key", "keyrings"},
    {"keyctl", "keyrings"},
    {"name_to_handle_at", "file handles reach outside the root"},
    {"open_by_handle_at", "file handles reach outside the root"},
    {"fanotify_init", "sees other sandboxes' files"},
    {"fanotify_mark", "sees other sandboxes' files"},
    {"lookup_dcookie", "profiling"},
    {"mbind", "memory placement: kernel attack surface"},
    {"set_mempolicy", "as mbind"},
    {"set_mempolicy_home_node", "as mbind", 450},
    {"migrate_pages", "as mbind"},
    {"move_pages", "as mbind"},
    {"vmsplice", "gives pages to pipes: a history of kernel bugs"},
    {"memfd_secret", "memory that no limit and no inspection sees", 447},
    {"personality", "READ_IMPLIES_EXEC, ADDR_NO_RANDOMIZE and foreign personalities"},
    {"prctl", "options that are not on the list (PR_SET_MM, PR_SET_SECUREBITS, …)"},
};

constexpr SyscallRow kUnsupported[] = {
    {"clone3", "its flags are behind a pointer; glibc falls back to clone"},
    {"openat2", "its mode is behind a pointer; callers fall back to openat"},
    // Younger than what programs require: each caller has the older call that is named.
    {"cachestat", "tells what others have read of shared files; hints only", 451},
    {"map_shadow_stack", "makecontext under shadow stacks, which nothing here turns on", 453},
    {"futex_wake", "new runtimes; futex", 454},
    {"futex_wait", "new runtimes; futex", 455},
    {"futex_requeue", "new runtimes; futex", 456},
    {"statmount", "findmnt; /proc/self/mountinfo", 457},
    {"listmount", "findmnt; /proc/self/mountinfo", 458},
    {"lsm_get_self_attr", "libapparmor; /proc/self/attr", 459},
    {"lsm_list_modules", "libapparmor; /sys/kernel/security", 461},
    {"setxattrat", "its arguments are behind a pointer; setxattr", 463},
    {"getxattrat", "as setxattrat; getxattr", 464},
    {"listxattrat", "as setxattrat; listxattr", 465},
    {"removexattrat", "as setxattrat; removexattr", 466},
    {"file_getattr", "lsattr; ioctl", 468},
    {"file_setattr", "chattr; ioctl, of which the kernel refuses what needs rights", 469},
    // Old: no program of today needs them.
    {"uselib", "libraries of the a.out format"},
    {"sysfs", "names of file systems by number"},
    {"ustat", "statfs before statfs"},
    {"_sysctl", "/proc/sys"},
    {"nfsservctl", "nfsd before 3.1"},
    {"remap_file_pages", "emulated by the kernel for a dozen years"},
    // RLIMIT_MSGQUEUE is 0: their creation would fail too.
    {"mq_open", "POSIX message queues"},
    {"mq_unlink", "POSIX message queues"},
    {"mq_timedsend", "POSIX message queues"},
    {"mq_timedreceive", "POSIX message queues"},
    {"mq_notify", "POSIX message queues"},
    {"mq_getsetattr", "POSIX message queues"},
};

}  // namespace

std::span<const ArgumentRow> refused_arguments() {
  return kRefusedArguments;
}
std::span<const TwoArgumentsRow> socket_buffer_pairs() {
  return kSocketBuffers;
}
std::span<const TwoArgumentsRow> refused_argument_pairs() {
  return kRefusedPairs;
}
std::span<const SyscallRow> allowed_calls() {
  return kAllowed;
}
std::span<const ArgumentRow> allowed_arguments() {
  return kAllowedArguments;
}
std::span<const SyscallRow> socket_calls() {
  return kSockets;
}
std::span<const ArgumentRow> socket_families() {
  return kSocketFamilies;
}
std::span<const TwoArgumentsRow> socket_family_pairs() {
  return kSocketFamilyPairs;
}
std::span<const TwoArgumentsRow> connected_pairs() {
  return kConnectedPairs;
}
std::span<const SyscallRow> memfd_calls() {
  return kMemfd;
}
std::span<const SyscallRow> sysv_memory_calls() {
  return kSysvMemory;
}
std::span<const SyscallRow> forbidden_calls() {
  return kForbidden;
}
std::span<const SyscallRow> unsupported_calls() {
  return kUnsupported;
}

}  // namespace cmcp::sandbox
