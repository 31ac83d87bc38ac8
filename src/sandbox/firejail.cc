#include "sandbox/firejail.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <pwd.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

#include "base/strings.h"
#include "os/error.h"
#include "os/fd_passing.h"
#include "os/file.h"
#include "os/program.h"
#include "sandbox/bwrap.h"

namespace cmcp::sandbox {
namespace {

constexpr const char* kSetting = "SANDBOX_BACKEND=firejail+native: ";
constexpr Version kOldest{0, 9, 72};  // the first with --keep-fd

// As Firejail decides it (check_kernel_procs): one of the kernel's own processes among the first
// ten; in a pid namespace there is none.
bool sees_kernel_processes() {
  constexpr std::array<std::string_view, 8> kNames = {
      "kthreadd", "ksoftirqd", "kworker", "rcu_sched", "rcu_bh", "khelper", "netns", "kdevtmpfs"};
  for (int pid = 1; pid <= 10; ++pid) {
    const auto name = os::read_file("/proc/" + std::to_string(pid) + "/comm", 256);
    if (!name.ok()) continue;
    for (const auto known : kNames) {
      if (std::string_view(*name).starts_with(known)) return true;
    }
  }
  return false;
}

Error refusal(const std::string& reason) {
  return {ErrorCode::kUnsupported, std::string(kSetting) + reason};
}

// What the launcher needs when it is root: namespaces and mounts, identities, other users' files,
// and the end of their processes.
constexpr const char* kRootCapabilities =
    "sys_admin,setuid,setgid,setpcap,dac_override,dac_read_search,fowner,chown,kill,sys_ptrace,"
    "sys_resource,net_admin,sys_chroot";
// Calls that neither the launcher nor a payload makes. Namespaces, mounts and pivot_root are not
// among them: the native sandboxes are built with those.
constexpr const char* kForbiddenCalls =
    "@clock,@module,@raw-io,@reboot,@swap,kexec_load,kexec_file_load,bpf,perf_event_open,"
    "open_by_handle_at,userfaultfd,acct,quotactl,lookup_dcookie,nfsservctl";

// In a forked child of a process that may have other threads: nothing here allocates or locks.
[[noreturn]] void send_proc(int socket) {
  constexpr unsigned kClone = 1;           // OPEN_TREE_CLONE
  constexpr unsigned kRecursive = 0x8000;  // AT_RECURSIVE
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ::_exit(1);
  const long tree = ::syscall(SYS_open_tree, AT_FDCWD, "/proc", kClone | kRecursive | O_CLOEXEC);
  if (tree < 0) ::_exit(2);
  char byte = 'p';
  iovec data{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  const int fd = static_cast<int>(tree);
  std::memcpy(CMSG_DATA(header), &fd, sizeof(fd));
  ::_exit(::sendmsg(socket, &message, MSG_NOSIGNAL) == 1 ? 0 : 3);
}

std::string lost_capabilities(const os::Confinement& before, const os::Confinement& after) {
  return "capability bounding set: " + std::to_string(std::popcount(before.bounding_set)) +
         " before, " + std::to_string(std::popcount(after.bounding_set)) + " now";
}

}  // namespace

FirejailHost read_firejail_host() {
  FirejailHost host;
  host.root = ::geteuid() == 0;
  host.known_user = ::getpwuid(::getuid()) != nullptr;
  if (const auto own = os::own_confinement(); own.ok()) host.no_new_privs = own->no_new_privs;
  host.kernel_processes = sees_kernel_processes();
  return host;
}

Status judge_firejail_host(const FirejailHost& host) {
  if (!host.kernel_processes) {
    return refusal(
        "this is a container (no kernel process is among the first ten), and in one Firejail runs "
        "a program without any sandbox and says nothing. Use SANDBOX_BACKEND=native here, and "
        "Firejail on a bare host only.");
  }
  if (host.root) return {};
  if (host.no_new_privs) {
    return refusal(
        "this process has no_new_privs, so the set-uid program firejail gets no rights. Start the "
        "server without it (systemd: NoNewPrivileges=no), or use SANDBOX_BACKEND=native.");
  }
  if (!host.known_user) {
    return refusal("/etc/passwd has no user with the id " + std::to_string(::getuid()) +
                   ", and Firejail works for known users only. Start as one that it names, or use "
                   "SANDBOX_BACKEND=native.");
  }
  return {};
}

Result<std::string> find_firejail(bool root) {
  struct stat info{};
  if (::stat(kFirejailProgram, &info) != 0) {
    return Error(ErrorCode::kNotFound, std::string(kSetting) + kFirejailProgram +
                                           " is not there: install the package firejail, or use "
                                           "SANDBOX_BACKEND=native, which needs no other program");
  }
  if (!S_ISREG(info.st_mode) || info.st_uid != 0 || (info.st_mode & 0022) != 0 ||
      (!root && (info.st_mode & S_ISUID) == 0)) {
    return Error(ErrorCode::kPermissionDenied,
                 std::string(kSetting) + kFirejailProgram +
                     " is not set-uid root, or others than root can change it, so it can confine "
                     "nothing; install the package firejail again");
  }
  auto said = os::output_of(kFirejailProgram, {"--version"});
  if (!said.ok()) return said.error().with_context(std::string(kSetting) + "asking its version");
  CMCP_TRY(const Version version, find_version(*said));
  if (version < kOldest) {
    return refusal("firejail " + text_of(version) + " is too old; install " + text_of(kOldest) +
                   " or later, or use SANDBOX_BACKEND=native");
  }
  return text_of(version);
}

std::vector<std::string> firejail_command(const std::vector<int>& fds, bool root) {
  std::vector<std::string> numbers;
  for (const int fd : fds) numbers.push_back(std::to_string(fd));
  return {kFirejailProgram, "--quiet", "--noprofile", "--net=none", "--ipc-namespace",
          "--nonewprivs",
          root ? std::string("--caps.keep=") + kRootCapabilities : std::string("--caps.drop=all"),
          std::string("--seccomp.drop=") + kForbiddenCalls,
          // What it would hide or make read-only besides is where workspaces may be.
          "--allusers", "--writable-var", "--keep-var-tmp", "--keep-dev-shm",
          "--keep-fd=" + join(numbers, ","), "--"};
}

Result<std::vector<std::string>> firejail_effects(const os::Confinement& before,
                                                  const os::Confinement& after) {
  std::vector<std::string> effects;
  std::vector<std::string> missing;
  const auto note = [&](bool holds, const std::string& effect, const std::string& otherwise) {
    (holds ? effects : missing).push_back(holds ? effect : otherwise);
  };
  const auto space = [&](const char* name, std::uint64_t outer, std::uint64_t inner) {
    note(inner != 0 && outer != inner, std::string(name) + " namespace of its own",
         std::string("the ") + name + " namespace is the server's");
  };
  space("mount", before.mount, after.mount);
  space("pid", before.pid, after.pid);
  space("network", before.network, after.network);
  space("ipc", before.ipc, after.ipc);
  space("uts", before.uts, after.uts);
  note(after.no_new_privs, "no_new_privs", "no_new_privs is not set");
  note(after.seccomp_filters > before.seccomp_filters,
       "seccomp filters: " + std::to_string(before.seccomp_filters) + " before, " +
           std::to_string(after.seccomp_filters) + " now",
       "no seccomp filter was added");
  const bool fewer = (after.bounding_set & ~before.bounding_set) == 0 &&
                     (after.bounding_set != before.bounding_set || before.bounding_set == 0);
  note(fewer, lost_capabilities(before, after), "the capability bounding set is what it was");
  if (missing.empty()) return effects;
  return Error(ErrorCode::kUnavailable,
               std::string(kSetting) +
                   "Firejail ran the launcher, but did not confine it: " + join(missing, "; ") +
                   ". It is a silent no-op in containers and where /etc/firejail/firejail.config "
                   "switches parts off. Use SANDBOX_BACKEND=native, or a bare host.");
}

Result<Fd> whole_proc() {
  CMCP_TRY(os::SocketPair sockets, os::seqpacket_pair());
  const pid_t pid = ::fork();
  if (pid < 0) return os::last_error("fork", "a copy of /proc");
  if (pid == 0) send_proc(sockets.second.get());
  sockets.second.reset();
  auto message = os::receive_message(sockets.first.get(), 16);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (!message.ok()) return message.take_error();
  if (message->fds.size() != 1) {
    return Error(ErrorCode::kPermissionDenied,
                 std::string(kSetting) +
                     "a user namespace with a copy of /proc could not be made; "
                     "`SANDBOX_BACKEND=native container-mcp doctor` says why");
  }
  return std::move(message->fds.front());
}

}  // namespace cmcp::sandbox
