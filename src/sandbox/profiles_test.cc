#include "sandbox/profiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "sandbox/host_paths.h"
#include "sandbox/restricted_view.h"
#include "sandbox/root_view.h"

namespace cmcp::sandbox {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ViewTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/var/tmp/cmcp-view-XXXXXX";  // not /tmp, which every sandbox has of its own
    dir_ = mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  std::string program(const std::string& name, const std::string& text) {
    const std::string path = dir_ + "/" + name;
    std::filesystem::create_directories(parent_of(path));
    std::ofstream(path) << text;
    chmod(path.c_str(), 0755);
    return path;
  }
  std::string dir_;
};

std::set<std::string> bind_targets(const RootPlan& plan) {
  std::set<std::string> targets;
  for (const auto& bind : plan.binds) targets.insert(bind.target.value);
  return targets;
}

std::vector<std::string> executable_rules(const std::vector<LandlockRule>& rules) {
  std::vector<std::string> paths;
  for (const auto& rule : rules) {
    if (rule.access != Access::kRead && rule.access != Access::kReadWrite)
      paths.push_back(rule.path.value);
  }
  return paths;
}

void expect_well_formed(const RootPlan& plan) {
  std::set<std::string> directories = {"/"};
  for (const auto& directory : plan.directories) {
    EXPECT_TRUE(directories.contains(parent_of(directory.value)))
        << directory.value << " before its parent";
    EXPECT_TRUE(directories.insert(directory.value).second) << directory.value << " twice";
  }
  std::set<std::string> links;
  for (const auto& link : plan.symlinks) {
    EXPECT_TRUE(links.insert(link.path.value).second) << link.path.value << " twice";
    EXPECT_FALSE(directories.contains(link.path.value)) << link.path.value << " is a directory too";
    EXPECT_TRUE(directories.contains(parent_of(link.path.value))) << link.path.value;
  }
  std::set<std::string> binds;
  for (const auto& bind : plan.binds) {
    EXPECT_TRUE(binds.insert(bind.target.value).second) << bind.target.value << " twice";
    EXPECT_TRUE(directories.contains(parent_of(bind.target.value))) << bind.target.value;
    EXPECT_TRUE(std::filesystem::exists(bind.source.value)) << bind.source.value;
    if (std::filesystem::is_directory(bind.source.value)) {
      EXPECT_TRUE(directories.contains(bind.target.value)) << bind.target.value;
    }
  }
  for (const auto& mount : plan.tmpfs)
    EXPECT_TRUE(directories.contains(mount.target.value)) << mount.target.value;
}

TEST_F(ViewTest, SystemViewShowsUsrWithoutPythonPackages) {
  auto view = system_view({});
  ASSERT_TRUE(view.ok()) << view.error().message();
  expect_well_formed(view->root);
  EXPECT_THAT(bind_targets(view->root), Contains("/usr"));
  EXPECT_THAT(bind_targets(view->root), Not(Contains(HasSubstr("shadow"))));
  if (std::filesystem::exists("/usr/lib/python3/dist-packages")) {
    EXPECT_THAT(view->root.masks, Contains(SandboxPath{"/usr/lib/python3/dist-packages"}));
  }
  for (const auto& entry : std::filesystem::directory_iterator("/usr/local/lib")) {
    const std::string packages = entry.path().string() + "/dist-packages";
    if (!entry.path().filename().string().starts_with("python3") ||
        !std::filesystem::is_directory(packages))
      continue;
    EXPECT_THAT(view->root.masks, Contains(SandboxPath{packages}));
  }
  for (const auto& link : view->root.symlinks) {
    EXPECT_TRUE(link.path.value != "/bin" || link.target == "usr/bin") << link.target;
  }
}

TEST_F(ViewTest, NothingThatASandboxWritesBecomesPartOfAView) {
  std::filesystem::create_directories(dir_ + "/workspace/data");
  ViewOptions options;
  options.writable_roots = {{dir_ + "/workspace"}};
  options.data = {{dir_ + "/workspace/data"}};
  auto inside = system_view(options);
  ASSERT_FALSE(inside.ok());
  EXPECT_EQ(inside.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(inside.error().message(), HasSubstr("DATA_DIR"));
  options.data = {{dir_}};
  EXPECT_FALSE(system_view(options).ok()) << "a directory that holds the workspace";
  std::filesystem::create_directory_symlink(dir_ + "/workspace/data", dir_ + "/link");
  options.data = {{dir_ + "/link"}};
  EXPECT_FALSE(system_view(options).ok()) << "a link into the workspace";
  std::filesystem::create_directories(dir_ + "/data");
  options.data = {{dir_ + "/data"}};
  auto beside = system_view(options);
  ASSERT_TRUE(beside.ok()) << beside.error().message();
  EXPECT_THAT(bind_targets(beside->root), Contains("/data"));
}

TEST_F(ViewTest, InterpretersOutsideUsrBringTheirInstallationAndNothingElse) {
  const std::string python = program("py/bin/python3.12", "x");
  std::filesystem::create_directories(dir_ + "/py/lib/python3.12/site-packages");
  program("py/secret.txt", "x");
  ViewOptions options;
  options.programs = {{python}};
  auto view = system_view(options);
  ASSERT_TRUE(view.ok()) << view.error().message();
  expect_well_formed(view->root);
  EXPECT_THAT(bind_targets(view->root), Contains(dir_ + "/py/lib"));
  EXPECT_THAT(bind_targets(view->root), Contains(dir_ + "/py/bin"));
  EXPECT_THAT(bind_targets(view->root), Not(Contains(dir_ + "/py")));
  EXPECT_THAT(view->root.masks, Contains(SandboxPath{dir_ + "/py/lib/python3.12/site-packages"}));
  EXPECT_EQ(prefix_outside_usr(python), dir_ + "/py");
  EXPECT_EQ(prefix_outside_usr("/usr/bin/python3"), "");
  EXPECT_EQ(prefix_outside_usr("/bin/python3"), "");

  options.programs = {{program("loose/bin/python3", "x")}};
  auto loose = system_view(options);
  ASSERT_FALSE(loose.ok());
  EXPECT_THAT(loose.error().message(), HasSubstr("PYTHON_PATH"));
}

TEST_F(ViewTest, RestrictedViewHasExactlyWhatIsListed) {
  RestrictedOptions options;
  options.commands = {"ls", "cat", "awk", "cd", "no-such-command-here"};
  auto view = restricted_view(options);
  ASSERT_TRUE(view.ok()) << view.error().message();
  expect_well_formed(view->view.root);
  EXPECT_THAT(view->listed, testing::IsSupersetOf({"ls", "cat"}));
  EXPECT_THAT(view->missing, ElementsAre("no-such-command-here"));
  EXPECT_THAT(view->view.warnings, Contains(HasSubstr("no-such-command-here is not installed")));
  const auto targets = bind_targets(view->view.root);
  EXPECT_THAT(targets, Contains("/usr/bin/ls"));
  EXPECT_THAT(targets, Contains("/usr/bin/bash"));
  EXPECT_THAT(targets, Not(Contains("/usr/bin/touch")));
  for (const auto& target : targets) {
    EXPECT_NE(target, "/usr");
    EXPECT_NE(target, "/usr/bin");
    EXPECT_NE(target, "/usr/lib");
    EXPECT_FALSE(target.ends_with("-linux-gnu")) << target;
  }
  for (const auto& bind : view->view.root.binds) {
    const bool listed = std::find(view->executables.begin(), view->executables.end(),
                                  bind.target.value) != view->executables.end();
    EXPECT_TRUE(!bind.exec || listed || bind.target.value.find(".so") != std::string::npos)
        << bind.target.value;
  }
  for (const auto& mount : view->view.root.tmpfs) EXPECT_FALSE(mount.exec) << mount.target.value;
  EXPECT_EQ(executable_rules(view->view.landlock), view->executables);
  EXPECT_THAT(view->executables, Contains(HasSubstr("/ld-linux")));
  EXPECT_THAT(view->executables, Not(Contains(HasSubstr("libc.so"))));
}

TEST_F(ViewTest, ScriptsBringTheirInterpreters) {
  program("bin/bash",
          "#!/bin/sh\n");  // stands for bash, so that the search finds only what is here
  program("bin/tool", "#!/usr/bin/env -S cat -n\n");
  RestrictedOptions options;
  options.search_path = {dir_ + "/bin", "/usr/bin"};
  options.commands = {"tool"};
  auto view = restricted_view(options);
  ASSERT_TRUE(view.ok()) << view.error().message();
  EXPECT_THAT(view->executables,
              testing::IsSupersetOf(
                  {dir_ + "/bin/tool", std::string("/usr/bin/env"), std::string("/usr/bin/cat")}));
}

TEST_F(ViewTest, MultiCallProgramsAreRefusedWithTheReason) {
  program("bin/busybox", "x");
  std::filesystem::create_symlink("busybox", dir_ + "/bin/ls");
  RestrictedOptions options;
  options.search_path = {dir_ + "/bin", "/usr/bin"};
  options.commands = {"ls"};
  auto view = restricted_view(options);
  ASSERT_FALSE(view.ok());
  EXPECT_EQ(view.error().code(), ErrorCode::kUnsupported);
  EXPECT_THAT(view.error().message(), HasSubstr("BASH_ALLOWED_COMMANDS: ls"));
  EXPECT_THAT(view.error().message(), HasSubstr("multi-call"));
  EXPECT_THAT(view.error().message(), HasSubstr("COMMAND_RESTRICTED=false"));
}

TEST_F(ViewTest, NamesAreNamesNotPaths) {
  for (const std::string name : {"/bin/ls", "../ls", "a b", "", "..", "x\n"}) {
    RestrictedOptions options;
    options.commands = {name};
    auto view = restricted_view(options);
    ASSERT_FALSE(view.ok()) << name;
    EXPECT_EQ(view.error().code(), ErrorCode::kInvalidArgument);
  }
}

TEST_F(ViewTest, ProfilesHaveTheirTwinsForTheProbe) {
  ProfileOptions options;
  options.allowed_commands = {"ls"};
  options.python = {"/usr/bin/python3"};
  options.probe_program = {program("cmcp-probe", "x")};
  options.environment = {"EXTRA=1"};
  auto profiles = build_profiles(options);
  ASSERT_TRUE(profiles.ok()) << profiles.error().message();
  ASSERT_EQ(profiles->all.size(), 4U);
  for (const char* name : {kBashProfile, kPythonProfile, kProbeBashProfile, kProbePythonProfile}) {
    const Profile* profile = profiles->find(name);
    ASSERT_NE(profile, nullptr) << name;
    expect_well_formed(profile->root);
    EXPECT_THAT(profile->environment,
                testing::IsSupersetOf({"HOME=/tmp", "LANG=C.UTF-8", "PAGER=cat", "EXTRA=1"}));
    EXPECT_FALSE(profile->seccomp.empty());
  }
  EXPECT_FALSE(profiles->find(kBashProfile)->workspace_exec);
  EXPECT_TRUE(profiles->find(kPythonProfile)->workspace_exec);
  EXPECT_THAT(bind_targets(profiles->find(kProbeBashProfile)->root), Contains(kProbeProgram));
  EXPECT_THAT(bind_targets(profiles->find(kBashProfile)->root), Not(Contains(kProbeProgram)));
  options.restricted = false;
  options.probe_program = {};
  auto open = build_profiles(options);
  ASSERT_TRUE(open.ok()) << open.error().message();
  EXPECT_EQ(open->all.size(), 2U);
  EXPECT_TRUE(open->find(kBashProfile)->workspace_exec);
  EXPECT_THAT(open->missing, IsEmpty());
}

}  // namespace
}  // namespace cmcp::sandbox
