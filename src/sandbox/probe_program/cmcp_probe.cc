// cmcp-probe: runs inside a sandbox and shows, layer by layer, that what must be impossible is. It
// tries the forbidden act, or reads back what the kernel says; it prints one line per layer.
// Static, libc only, a few milliseconds.
//
//   cmcp-probe layers OUTER_UID UNRULED_DIR IPC UTS NET CGROUP PID MNT USER
//       OUTER_UID: the host uid that the uid map must not name (-1: any); the numbers are the
//       namespaces of the server
//   cmcp-probe limits PROCESSES MEMORY_BYTES
//
// Output: "cmcp-probe 1", then "LAYER ok|no DETAIL".
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <linux/prctl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <initializer_list>

namespace {

constexpr int kMaxForks = 512;
constexpr int kSandboxUid = 1000;
constexpr unsigned kOverflowUid = 65534;

char output[16384];
unsigned used;

__attribute__((format(printf, 1, 2))) void print(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int size = vsnprintf(output + used, sizeof(output) - used, format, arguments);
  va_end(arguments);
  if (size > 0 && used + static_cast<unsigned>(size) < sizeof(output))
    used += static_cast<unsigned>(size);
}

void flush() {
  unsigned done = 0;
  while (done < used) {
    const ssize_t n = write(1, output + done, used - done);
    if (n <= 0) _exit(2);
    done += static_cast<unsigned>(n);
  }
  used = 0;
}

const char* word(bool active) {
  return active ? "ok" : "no";
}

struct Expected {
  long outer_uid;
  const char* unruled;
  unsigned long long ipc, uts, net, cgroup, pid, mnt, user;
};

// The inode of one of this process's namespaces, 0 when it cannot be read. Without /proc: by pidfd
// (Linux 6.11).
unsigned long long namespace_of(const char* name, unsigned pidfd_request) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/self/ns/%s", name);
  struct stat info;
  if (stat(path, &info) == 0) return info.st_ino;
  const int self = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
  if (self < 0) return 0;
  const int space = ioctl(self, _IO(0xFF, pidfd_request), 0);
  close(self);
  if (space < 0) return 0;
  const bool known = fstat(space, &info) == 0;
  close(space);
  return known ? info.st_ino : 0;
}

bool differs(unsigned long long mine, unsigned long long outer) {
  return mine != 0 && outer != 0 && mine != outer;
}

const char* compare(unsigned long long mine, unsigned long long outer) {
  if (mine == 0) return "its number cannot be read (no /proc, and a kernel before 6.11)";
  if (outer == 0) return "the server's number is not known";
  return mine == outer ? "it is the server's" : "its number differs from the server's";
}

void plain_namespace(const char* layer, unsigned long long mine, unsigned long long outer) {
  print("%s %s %s\n", layer, word(differs(mine, outer)), compare(mine, outer));
}

void user_namespace(const Expected& expected) {
  const unsigned long long mine = namespace_of("user", 9);
  unsigned inside = 0, outside = 0, count = 0;
  int lines = 0;
  if (FILE* map = fopen("/proc/self/uid_map", "re")) {
    unsigned a = 0, b = 0, c = 0;
    while (fscanf(map, "%u %u %u", &a, &b, &c) == 3) {
      if (lines++ == 0) inside = a, outside = b, count = c;
    }
    fclose(map);
  }
  struct stat usr;
  const bool host_root_unmapped = stat("/usr", &usr) == 0 && usr.st_uid == kOverflowUid;
  const bool map_readable = lines > 0;
  const bool single = lines == 1 && inside == kSandboxUid && count == 1 &&
                      static_cast<long>(outside) != expected.outer_uid;
  const bool identity =
      getuid() == kSandboxUid && geteuid() == kSandboxUid && getgid() == kSandboxUid;
  const bool active =
      identity && differs(mine, expected.user) && (map_readable ? single : host_root_unmapped);
  if (active) {
    print("user_namespace ok uid 1000 is the only id\n");
  } else if (!identity) {
    print("user_namespace no runs as uid %u instead of 1000\n", getuid());
  } else if (!differs(mine, expected.user)) {
    print("user_namespace no %s\n", compare(mine, expected.user));
  } else {
    print("user_namespace no the uid map is %u %u %u in %d lines, not one id of its own\n", inside,
          outside, count, lines);
  }
}

void mount_namespace(const Expected& expected) {
  const unsigned long long mine = namespace_of("mnt", 3);
  struct statfs root;
  const bool own_root = statfs("/", &root) == 0 && root.f_type == TMPFS_MAGIC;
  // Only tried in a root that can be spared.
  const bool mounted = own_root && mount("none", "/tmp", "tmpfs", 0, nullptr) == 0;
  const bool unmounted = own_root && umount2("/tmp", MNT_DETACH) == 0;
  const bool host_visible =
      access("/etc/shadow", F_OK) == 0 || access("/root", F_OK) == 0 || access("/boot", F_OK) == 0;
  const bool active =
      differs(mine, expected.mnt) && own_root && !mounted && !unmounted && !host_visible;
  const char* why = !own_root      ? "the root is not ours"
                    : host_visible ? "the host's directories are visible"
                    : mounted      ? "mount succeeded"
                    : unmounted    ? "umount succeeded"
                    : active       ? "own root; mount and umount are refused"
                                   : compare(mine, expected.mnt);
  print("mount_namespace %s %s\n", word(active), why);
}

int visible_processes() {
  int count = 0;
  DIR* proc = opendir("/proc");
  if (proc == nullptr) return 0;
  while (const dirent* entry = readdir(proc))
    count += entry->d_name[0] >= '0' && entry->d_name[0] <= '9' ? 1 : 0;
  closedir(proc);
  return count;
}

void pid_namespace(const Expected& expected) {
  const unsigned long long mine = namespace_of("pid", 5);
  const int visible = visible_processes();
  // This program is the child of init, which is process 1 of a pid namespace of its own, and
  // nothing else lives there.
  const bool child_of_init = getppid() == 1 && getpid() < 10;
  const bool active = differs(mine, expected.pid) && child_of_init && visible <= 2;
  if (active) {
    print("pid_namespace ok process %d, child of 1; %d visible\n", getpid(), visible);
  } else if (!child_of_init || visible > 2) {
    print("pid_namespace no process %d, child of %d; %d visible\n", getpid(), getppid(), visible);
  } else {
    print("pid_namespace no %s\n", compare(mine, expected.pid));
  }
}

int interfaces_besides_lo() {
  struct if_nameindex* list = if_nameindex();
  if (list == nullptr) return -1;
  int others = 0;
  for (const struct if_nameindex* at = list; at->if_index != 0; ++at)
    others += strcmp(at->if_name, "lo") != 0 ? 1 : 0;
  if_freenameindex(list);
  return others;
}

// Connecting a datagram socket asks for a route and sends nothing; TCP would be refused by Landlock
// before that.
int route_to_outside() {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(53);
  address.sin_addr.s_addr = htonl(0xC0000201U);  // 192.0.2.1, for documentation: nobody has it
  const int result =
      connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 ? 0 : errno;
  close(fd);
  return result;
}

void network_namespace(const Expected& expected) {
  const unsigned long long mine = namespace_of("net", 4);
  const int others = interfaces_besides_lo();
  const int route = route_to_outside();
  const bool active = differs(mine, expected.net) && others == 0 && route == ENETUNREACH;
  if (active) {
    print("network_namespace ok lo only; no route to anywhere\n");
  } else if (!differs(mine, expected.net)) {
    print("network_namespace no %s\n", compare(mine, expected.net));
  } else {
    print("network_namespace no %d interfaces besides lo; connect: %s\n", others,
          route == 0 ? "succeeded" : strerror(route));
  }
}

bool is_read_only(const char* path) {
  struct statvfs info;
  return statvfs(path, &info) == 0 && (info.f_flag & ST_RDONLY) != 0;
}

void read_only_root() {
  struct statfs root;
  if (statfs("/", &root) != 0 || root.f_type != TMPFS_MAGIC) {
    print("read_only_root no the root is not ours\n");
    return;
  }
  const char* const attempts[] = {"/probe-was-here", "/usr/probe-was-here", "/etc/probe-was-here",
                                  "/bin/probe-was-here"};
  for (const char* path : attempts) {
    if (mkdir(path, 0700) == 0) {
      rmdir(path);
      print("read_only_root no %s could be made\n", path);
      return;
    }
    // The mount must say no, not the owner of a directory: that is a different layer.
    if (errno != EROFS && errno != ENOENT) {
      print("read_only_root no making %s is refused by %s, not by the mount\n", path,
            strerror(errno));
      return;
    }
  }
  const bool active = is_read_only("/") && is_read_only("/etc");
  print("read_only_root %s %s\n", word(active),
        active ? "writing to /, /usr, /etc and /bin fails" : "a mount is writable");
}

bool is_covered(const char* path) {
  struct stat info;
  if (stat(path, &info) != 0) return true;
  return (S_ISCHR(info.st_mode) && info.st_rdev == makedev(1, 3)) ||
         (S_ISDIR(info.st_mode) && info.st_nlink <= 2);
}

void proc() {
  struct statfs info;
  if (statfs("/proc", &info) != 0 || info.f_type != PROC_SUPER_MAGIC) {
    const int visible = visible_processes();
    print("proc %s proc=none: nothing is mounted on /proc\n", word(visible == 0));
    return;
  }
  struct statvfs flags;
  const unsigned long wanted = ST_NOSUID | ST_NODEV | ST_NOEXEC;
  if (statvfs("/proc", &flags) != 0 || (flags.f_flag & wanted) != wanted) {
    print("proc no /proc is not nosuid, nodev, noexec\n");
    return;
  }
  for (const char* path : {"/proc/kcore", "/proc/keys", "/proc/kmsg", "/proc/kallsyms",
                           "/proc/cmdline", "/proc/sysrq-trigger", "/proc/timer_list"}) {
    if (!is_covered(path)) {
      print("proc no %s is visible\n", path);
      return;
    }
  }
  const int init = open("/proc/1/environ", O_RDONLY | O_CLOEXEC);
  if (init >= 0) {
    close(init);
    print("proc no the environment of process 1 can be read\n");
    return;
  }
  const int pattern = open("/proc/sys/kernel/core_pattern", O_WRONLY | O_CLOEXEC);
  if (pattern >= 0) close(pattern);
  const bool active = pattern < 0 && (access("/proc/sys", F_OK) != 0 || is_read_only("/proc/sys"));
  print("proc %s %s\n", word(active),
        active ? "host files covered, /proc/sys read-only" : "/proc/sys is writable");
}

void capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  if (syscall(SYS_capget, &header, data) != 0) {
    print("capabilities no capget: %s\n", strerror(errno));
    return;
  }
  unsigned held = 0;
  for (const auto& part : data) held |= part.effective | part.permitted | part.inheritable;
  int bounding = 0, ambient = 0;
  for (unsigned long cap = 0; cap < 64; ++cap) {
    const int bound = prctl(PR_CAPBSET_READ, cap, 0, 0, 0);
    if (bound < 0) {
      if (cap == 0) bounding = 1;  // not even the first can be asked for
      break;
    }
    bounding += bound;
    ambient += prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, cap, 0, 0) == 1 ? 1 : 0;
  }
  const bool active = held == 0 && bounding == 0 && ambient == 0;
  print("capabilities %s held %s, %d in the bounding set, %d ambient\n", word(active),
        held == 0 ? "none" : "some", bounding, ambient);
}

void no_new_privs() {
  const bool active = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
  print("no_new_privs %s %s\n", word(active), active ? "set" : "not set");
}

void seccomp() {
  const auto answer = [](long result) { return result == -1 ? errno : 0; };
  const int mode = prctl(PR_GET_SECCOMP, 0, 0, 0, 0);
  const int unknown = answer(syscall(999));
  const int keyring = answer(syscall(SYS_keyctl, 0 /* KEYCTL_GET_KEYRING_ID */, -3, 0));
  const int family = answer(socket(38 /* AF_ALG */, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  const int space = answer(syscall(SYS_unshare, CLONE_NEWUSER));
  const int typed = answer(ioctl(0, 0x5412 /* TIOCSTI */, "x"));
  const bool active = mode == 2 && unknown == ENOSYS && keyring == EPERM &&
                      family == EAFNOSUPPORT && space == EPERM && typed == EPERM;
  print("seccomp %s mode %d; keyctl %d, AF_ALG %d, unshare %d, TIOCSTI %d, unknown call %d\n",
        word(active), mode, keyring, family, space, typed, unknown);
}

// A directory that everybody may write and no Landlock rule names.
void landlock(const Expected& expected) {
  char path[256];
  snprintf(path, sizeof(path), "%s/probe", expected.unruled);
  const int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  const int error = fd >= 0 ? 0 : errno;
  if (fd >= 0) {
    close(fd);
    unlink(path);
  }
  print("landlock %s writing where no rule allows it: %s\n", word(error == EACCES),
        error == 0 ? "succeeded" : strerror(error));
}

void process_limit(long limit) {
  struct rlimit now;
  if (getrlimit(RLIMIT_NPROC, &now) != 0) now.rlim_max = RLIM_INFINITY;
  if (limit > kMaxForks) {
    // Too many to try in passing: what the kernel says must do.
    const bool set =
        now.rlim_max != RLIM_INFINITY && now.rlim_max <= static_cast<rlim_t>(limit) + 1;
    print("process_limit %s read back only: RLIMIT_NPROC %llu\n", word(set),
          static_cast<unsigned long long>(now.rlim_max));
    return;
  }
  pid_t children[kMaxForks + 8];
  int count = 0;
  int error = 0;
  while (count < limit + 8) {
    const pid_t child = fork();
    if (child == 0) {
      pause();
      _exit(0);
    }
    if (child < 0) {
      error = errno;
      break;
    }
    children[count++] = child;
  }
  for (int i = 0; i < count; ++i) kill(children[i], SIGKILL);
  for (int i = 0; i < count; ++i) waitpid(children[i], nullptr, 0);
  print("process_limit %s %s after %d children, %ld are allowed\n", word(error == EAGAIN),
        error == 0 ? "no end" : strerror(error), count, limit);
}

// Touches twice the limit in a child: a limit of the kernel's ends it, or refuses it the memory.
void memory_limit(unsigned long limit) {
  const unsigned long size = limit * 2;
  const pid_t child = fork();
  if (child == 0) {
    auto* memory = static_cast<char*>(
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (memory == MAP_FAILED) _exit(errno == ENOMEM ? 10 : 12);
    for (unsigned long at = 0; at < size; at += 4096) memory[at] = 1;
    _exit(11);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    print("memory_limit no no process to try it in: %s\n", strerror(errno));
  } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
    print("memory_limit ok a process above it was killed (cgroup)\n");
  } else if (WIFEXITED(status) && WEXITSTATUS(status) == 10) {
    print("memory_limit ok memory above it is refused (RLIMIT_DATA)\n");
  } else {
    print("memory_limit no %lu MiB could be used, the limit was %lu\n", size >> 20U, limit >> 20U);
  }
}

unsigned long long number(const char* text) {
  return strtoull(text, nullptr, 10);
}

}  // namespace

int main(int argc, char** argv) {
  print("cmcp-probe 1\n");
  if (argc == 11 && strcmp(argv[1], "layers") == 0) {
    const Expected expected{strtol(argv[2], nullptr, 10),
                            argv[3],
                            number(argv[4]),
                            number(argv[5]),
                            number(argv[6]),
                            number(argv[7]),
                            number(argv[8]),
                            number(argv[9]),
                            number(argv[10])};
    user_namespace(expected);
    mount_namespace(expected);
    pid_namespace(expected);
    network_namespace(expected);
    plain_namespace("ipc_namespace", namespace_of("ipc", 2), expected.ipc);
    plain_namespace("uts_namespace", namespace_of("uts", 10), expected.uts);
    plain_namespace("cgroup_namespace", namespace_of("cgroup", 1), expected.cgroup);
    read_only_root();
    proc();
    capabilities();
    no_new_privs();
    seccomp();
    landlock(expected);
    flush();
    return 0;
  }
  if (argc == 4 && strcmp(argv[1], "limits") == 0) {
    process_limit(strtol(argv[2], nullptr, 10));
    flush();  // the memory limit may end this process too
    memory_limit(strtoul(argv[3], nullptr, 10));
    flush();
    return 0;
  }
  return 64;
}
