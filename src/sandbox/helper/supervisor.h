// Supervisor: the first process of cmcp-launcher. It stays outside every namespace and does nothing
// but wait: when the launcher below it is killed, it removes what the launcher could not (its
// cgroups) and starts another one with the set-up that it received once; when the server goes, it
// ends the launcher. The server knows it by its socket, over which it receives the socket of each
// launcher (wire::Type::kLauncher).
//
// Whichever one process of supervisor, launcher and its pid 1 is killed, another one cleans up:
//   pid 1 of the namespace: every sandbox dies with it; the launcher removes the cgroups, and the
//                           supervisor starts another launcher
//   the launcher:           pid 1 dies with it; the supervisor removes the cgroups, as above
//   the supervisor:         the launcher is told by parent death and cleans up; the server sees the
//                           socket's end
#pragma once

#include <functional>

#include "base/fd.h"
#include "base/result.h"

namespace cmcp::sandbox {

// What a launcher's exit says to the supervisor.
inline constexpr int kLauncherEnded = 0;   // the server closed the socket, or asked it to end
inline constexpr int kLauncherFailed = 1;  // worth another try
inline constexpr int kLauncherRefused =
    3;  // the set-up cannot be met: no other try would do better

struct SupervisorOptions {
  int server = -1;  // the supervisor's socket; a launcher never has it
  // The launcher, in a process of its own with its socket; returns one of the codes above.
  std::function<int(Fd socket)> launch;
  // Removes what launchers left that are dead now.
  std::function<void()> clean_up;
};

// Starts launchers until the server goes, one refuses, or too many died within a minute (then the
// error says so). SIGTERM asks it to end.
Status supervise(const SupervisorOptions& options);

}  // namespace cmcp::sandbox
