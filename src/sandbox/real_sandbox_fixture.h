// For tests only: a launcher with the product's own profiles, on the real kernel, as root or as an
// ordinary user.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "net/reactor.h"
#include "sandbox/launcher_client.h"
#include "sandbox/probe.h"
#include "sandbox/profiles.h"

namespace cmcp::sandbox {

class RealSandbox : public testing::Test {
 protected:
  static constexpr std::uint32_t kServerUid = 34568;

  void SetUp() override {
    // Not below /tmp, which sandboxes replace by their own.
    std::string pattern = "/var/tmp/cmcp-sandbox-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    ASSERT_EQ(::chmod(directory_.c_str(), 0755), 0);
    workspace_ = directory_ + "/workspace";
    ASSERT_EQ(::mkdir(workspace_.c_str(), 0700), 0);
    if (::geteuid() == 0) {
      ASSERT_EQ(::chown(workspace_.c_str(), kServerUid, kServerUid), 0);
    }
    options_.python = {"/usr/bin/python3"};
    options_.probe_program = {std::string(CMCP_HELPER_DIRECTORY) + "/cmcp-probe"};
    options_.writable_roots = {{workspace_}};
    options_.allowed_commands = {"ls",    "cat",   "grep", "find", "echo", "pwd",
                                 "mkdir", "chmod", "awk",  "sort", "id"};
    options_.has_memory_cgroup = false;
    options_.bash_limits.processes = 40;
    options_.python_limits.processes = 40;
  }

  void TearDown() override {
    client_.reset();
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::execl("/bin/rm", "rm", "-rf", directory_.c_str(), nullptr);
      ::_exit(127);
    }
    ::waitpid(pid, nullptr, 0);
  }

  void launch(std::uint32_t disabled_layers = 0) {
    auto profiles = build_profiles(options_);
    ASSERT_TRUE(profiles.ok()) << profiles.error().message();
    profiles_ = std::move(*profiles);
    LauncherClient::SpawnOptions options;
    options.helper_directory = {CMCP_HELPER_DIRECTORY};
    options.setup.max_runs = 4;
    options.setup.server_uid = kServerUid;
    options.setup.server_gid = kServerUid;
    options.setup.disabled_layers = disabled_layers;
    options.setup.without_idmap = without_idmap_;
    options.setup.without_cgroup = without_cgroup_;
    options.setup.roots = {{{workspace_}, "", false}};
    options.setup.profiles = profiles_.all;
    auto spawned = LauncherClient::spawn(options);
    ASSERT_TRUE(spawned.ok()) << spawned.error().message();
    nested_ = spawned->facts.identity == IdentityMode::kUnprivileged;
    client_ = std::make_unique<LauncherClient>(reactor_, std::move(*spawned), options, nullptr);
  }

  Result<LayerReports> probe(const char* profile) {
    std::optional<Result<LayerReports>> result;
    reactor_.post([&] {
      probe_profile(*client_, *profiles_.find(profile), {.nested_user_namespace = nested_},
                    [&](Result<LayerReports> reports) {
                      result.emplace(std::move(reports));
                      reactor_.stop();
                    });
    });
    reactor_.run();
    return std::move(*result);
  }

  RunOutcome run(const char* profile, std::vector<std::string> argv) {
    if (!client_) launch();
    if (!client_) return {};
    RunRequest request;
    request.profile = profile;
    request.argv = std::move(argv);
    request.timeout = std::chrono::seconds(100);
    std::optional<RunOutcome> outcome;
    RunEvents events;
    events.done = [&](RunOutcome end) {
      outcome = std::move(end);
      reactor_.stop();
    };
    auto started = client_->start(std::move(request), std::move(events));
    if (!started.ok()) {
      ADD_FAILURE() << started.error().message();
      return {};
    }
    reactor_.run();
    return std::move(*outcome);
  }
  RunOutcome bash(const std::string& script) {
    return run(kBashProfile, {"/bin/bash", "-c", script});
  }
  RunOutcome python(const std::string& code) {
    return run(kPythonProfile, {"/usr/bin/python3", "-I", "-c", code});
  }

  net::Reactor reactor_;
  std::string directory_;
  std::string workspace_;
  ProfileOptions options_;
  Profiles profiles_;
  bool nested_ = false;
  bool without_idmap_ = false;
  bool without_cgroup_ = false;
  std::unique_ptr<LauncherClient> client_;
};

}  // namespace cmcp::sandbox
