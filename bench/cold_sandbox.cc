#include "cold_sandbox.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "net/reactor.h"
#include "sandbox/launcher_client.h"
#include "sandbox/profiles.h"

namespace cmcp::bench {
namespace {

constexpr const char* kStages[] = {"received",      "cloned",        "child begins",
                                   "identity done", "mounts done",   "locked down",
                                   "init begins",   "payload ended", "reaped"};

}  // namespace

struct ColdSandbox::Impl {
  net::Reactor reactor;
  std::unique_ptr<sandbox::LauncherClient> runner;
  std::array<std::vector<double>, 9> times;
  bool observed = true;
};

ColdSandbox::ColdSandbox() : impl_(std::make_unique<Impl>()) {}
ColdSandbox::~ColdSandbox() = default;

Result<std::unique_ptr<ColdSandbox>> ColdSandbox::create(const HostPath& helpers,
                                                         const std::string& directory,
                                                         Uid server_uid) {
  if (::mkdir(directory.c_str(), 0755) != 0)
    return Error(ErrorCode::kIo, "cannot make " + directory);
  sandbox::ProfileOptions options;
  options.restricted = false;
  options.has_memory_cgroup = sandbox::LauncherClient::memory_cgroup_available();
  CMCP_TRY(sandbox::Profiles profiles, sandbox::build_profiles(options));
  sandbox::LauncherClient::SpawnOptions spawn;
  spawn.helper_directory = helpers;
  spawn.setup.max_runs = 4;
  spawn.setup.server_uid = ::geteuid() == 0 ? server_uid.value : ::geteuid();
  spawn.setup.server_gid = ::geteuid() == 0 ? server_uid.value : ::getegid();
  spawn.setup.roots = {{HostPath{directory}, "", false}};
  spawn.setup.profiles = std::move(profiles.all);
  CMCP_TRY(sandbox::LauncherClient::Spawned spawned, sandbox::LauncherClient::spawn(spawn));
  std::unique_ptr<ColdSandbox> cold(new ColdSandbox());  // NOLINT: private constructor
  Impl* impl = cold->impl_.get();
  impl->runner = std::make_unique<sandbox::LauncherClient>(impl->reactor, std::move(spawned),
                                                           std::move(spawn), nullptr);
  impl->runner->observe_times([impl](const sandbox::wire::Ended& ended) {
    for (std::size_t i = 0; impl->observed && i < ended.times.size(); ++i) {
      if (ended.times[i] >= ended.times[0]) {
        impl->times[i].push_back(static_cast<double>(ended.times[i] - ended.times[0]) / 1000);
      }
    }
  });
  return cold;
}

Status ColdSandbox::run_true() {
  impl_->observed = true;
  return run("/usr/bin/true");
}

Status ColdSandbox::run_unobserved(const std::string& program) {
  impl_->observed = false;
  return run(program);
}

Status ColdSandbox::run(const std::string& program) {
  sandbox::RunRequest request;
  request.profile = sandbox::kBashProfile;
  request.argv = {program};
  sandbox::RunOutcome outcome;
  sandbox::RunEvents events;
  events.done = [&](sandbox::RunOutcome ended) {
    outcome = std::move(ended);
    impl_->reactor.stop();
  };
  CMCP_TRY(const auto handle, impl_->runner->start(std::move(request), std::move(events)));
  impl_->reactor.run();
  if (outcome.end != sandbox::RunOutcome::End::kExited || outcome.exit_code != 0) {
    return Error(ErrorCode::kIo,
                 "the sandboxed program did not exit with 0: " + program + ": " + outcome.failure);
  }
  return {};
}

json::Object ColdSandbox::stages() const {
  json::Object out;
  for (std::size_t i = 1; i < impl_->times.size(); ++i) {
    std::vector<double> sorted = impl_->times[i];
    if (sorted.empty()) continue;
    std::sort(sorted.begin(), sorted.end());
    out[kStages[i]] = static_cast<std::int64_t>(sorted[sorted.size() / 2]);
  }
  return out;
}

}  // namespace cmcp::bench
