// LauncherClient: the server's side of the launcher; the Runner that the managers use.
//
//   // In main(), before any thread exists and before the process gives up root:
//   LauncherClient::SpawnOptions options;
//   options.helper_directory = ...;               // holds cmcp-launcher and cmcp-init
//   options.setup.profiles = {...}; options.setup.roots = {...}; options.setup.max_runs = 8;
//   CMCP_TRY(LauncherClient::Spawned spawned, LauncherClient::spawn(options));
//   // After a root start: drop to spawned.facts.server_uid/gid now. File tools work on
//   spawned.roots[i]. LauncherClient runner(reactor, std::move(spawned), options, &kept_outputs);
//   runner.start(request, events);
//
// The launcher is a child of the thread that calls spawn() and dies with that thread (parent-death
// signal): it must be the main thread. spawn() forks, so a process with other threads must not call
// it. After the launcher's death its supervisor has another one ready; only when the supervisor
// died too an ordinary user's server spawns again (fork and exec at once, nothing between them that
// needs a lock), and a server that was started as root has lost its sandboxes for good.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "net/reactor.h"
#include "sandbox/helper/facts.h"
#include "sandbox/helper/wire.h"
#include "sandbox/runner.h"

namespace cmcp::sandbox {

class KeptOutputs;

class LauncherClient : public Runner {
 public:
  struct SpawnOptions {
    HostPath helper_directory;  // holds cmcp-launcher and cmcp-init
    wire::Setup setup;
  };
  // A launcher that is set up and waits for runs.
  struct Spawned {
    Fd socket;
    Fd supervisor;   // over which the next launcher's socket comes when this one has died
    pid_t pid = -1;  // of the supervisor, which the server must reap
    LauncherFacts facts;
    std::vector<Fd> roots;  // one per workspace root, in order: what the file tools work on
  };
  // Starts the launcher and waits until it is set up. The error's message says which step failed
  // and what to do.
  static Result<Spawned> spawn(const SpawnOptions& options);
  // Whether the launcher will have a memory cgroup, found out by making one: for profiles, which
  // are made before the launcher is started. Call as the user who will call spawn().
  static bool memory_cgroup_available();
  // Where the helper programs are: dirname(/proc/self/exe)/libexec, else ../libexec/container-mcp
  // from there.
  static Result<HostPath> find_helper_directory();

  // Times of one run, for benchmarks: CLOCK_MONOTONIC ns, see wire::Ended::times.
  using TimesObserver = std::function<void(const wire::Ended&)>;

  // Makes the process ignore SIGPIPE: a program may close its standard input before all is written.
  LauncherClient(net::Reactor& reactor, Spawned spawned, SpawnOptions options, KeptOutputs* kept);
  // Kills the launcher and with it every run; waits for its end. `done` of runs in progress is not
  // called.
  ~LauncherClient() override;
  LauncherClient(const LauncherClient&) = delete;
  LauncherClient& operator=(const LauncherClient&) = delete;

  Result<std::shared_ptr<RunHandle>> start(RunRequest request, RunEvents events) override;
  const LauncherFacts& facts() const;
  // Runs in progress.
  std::size_t active_runs() const;
  // False after the launcher died and could not be restarted.
  bool available() const;
  // How many launchers there have been: what changes it has killed every run.
  unsigned generation() const;
  // Called once, with the cause, when available() has become false.
  void on_gone(std::function<void(const std::string&)> handler);
  void observe_times(TimesObserver observer);

  class Impl;

 private:
  // One try; `was_killed`: somebody killed the supervisor.
  static Result<Spawned> spawn_once(const SpawnOptions& options, bool& was_killed);
  std::shared_ptr<Impl> impl_;
};

}  // namespace cmcp::sandbox
