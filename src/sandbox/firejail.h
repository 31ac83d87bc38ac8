// Firejail as a layer around the launcher: whether it can work here, how it is started, and whether
// it did anything. Without the last it would be a promise: in a container it runs the command
// without any sandbox and says nothing.
#pragma once

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "os/confinement.h"

namespace cmcp::sandbox {

inline constexpr const char* kFirejailProgram = "/usr/bin/firejail";

// What decides it, read from the machine.
struct FirejailHost {
  bool root = false;
  bool known_user = true;        // /etc/passwd has the starting user: Firejail needs that
  bool no_new_privs = false;     // of the server: a set-uid program gains nothing then
  bool kernel_processes = true;  // those that Firejail looks for among the first ten
};
FirejailHost read_firejail_host();
// kUnsupported with the reason and what to do. Pure.
Status judge_firejail_host(const FirejailHost& host);

// The version of /usr/bin/firejail. kNotFound names the package; kPermissionDenied when it is not
// set-uid root although the server is not root; kUnsupported when it is too old. Starts a process:
// before any thread.
Result<std::string> find_firejail(bool root);

// The words before the launcher's own command line. `fds` stay open in it. `root`: the
// capabilities that the launcher needs as root are kept, else none. Pure.
std::vector<std::string> firejail_command(const std::vector<int>& fds, bool root);

// What Firejail changed, a phrase each; kUnavailable, naming what did not, when anything that it
// was asked for is missing. Pure.
Result<std::vector<std::string>> firejail_effects(const os::Confinement& before,
                                                  const os::Confinement& after);

// A detached copy of the /proc that this process sees. Firejail covers parts of its own /proc, and
// the kernel lets an ordinary user mount a fresh one only where a whole one is visible: the
// launcher shows it this one meanwhile. kPermissionDenied where user namespaces are not available.
Result<Fd> whole_proc();

}  // namespace cmcp::sandbox
