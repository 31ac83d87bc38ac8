#include "config/workspace_layout.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "config/settings_builder.h"

namespace cmcp::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

HostFacts host() {
  HostFacts facts;
  facts.home = "/home/ada";
  facts.working_directory = "/home/ada/project";
  return facts;
}

LayoutInput input_of(std::vector<std::string> workspaces = {}) {
  LayoutInput input;
  input.workspaces = std::move(workspaces);
  input.configuration = {"/etc/container-mcp", "/home/ada/.config/container-mcp"};
  input.resolve = [](const std::string& path) {
    return std::filesystem::path(path).lexically_normal().string();
  };
  return input;
}

Settings settings_with(const std::string& name = "", const std::string& value = "") {
  SettingsBuilder builder;
  builder.with("SANDBOX_ROOT", "/srv/box/sandbox");
  if (!name.empty()) builder.with(name, value);
  return builder.build(host());
}

TEST(WorkspaceLayout, FilesBelowSandboxRoot) {
  auto layout = workspace_layout(settings_with(), host(), input_of());
  ASSERT_TRUE(layout.ok()) << layout.error().message();
  EXPECT_THAT(layout->mounts,
              ElementsAre(WorkspaceMount{"", HostPath{"/srv/box/sandbox/files"}, false, false}));
  EXPECT_EQ(layout->state_dir.value, "/srv/box/state");
  EXPECT_THAT(layout->notes, IsEmpty());
}

TEST(WorkspaceLayout, ASandboxRootThatHoldsFilesIsTheWorkspace) {
  LayoutInput input = input_of();
  input.root = {.has_files_directory = false, .has_own_files = true};
  auto layout = workspace_layout(settings_with(), host(), input);
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->mounts[0].path.value, "/srv/box/sandbox");
  EXPECT_THAT(layout->notes, ElementsAre(HasSubstr("itself the workspace")));
  input.root.has_files_directory = true;
  layout = workspace_layout(settings_with(), host(), input);
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->mounts[0].path.value, "/srv/box/sandbox/files");
  EXPECT_THAT(layout->notes, IsEmpty());
}

TEST(WorkspaceLayout, TheUsersDirectories) {
  auto layout = workspace_layout(settings_with(), host(), input_of({"docs=/srv/docs:ro", "."}));
  ASSERT_TRUE(layout.ok()) << layout.error().message();
  ASSERT_THAT(layout->mounts, SizeIs(2));
  EXPECT_EQ(layout->mounts[0], (WorkspaceMount{"", HostPath{"/home/ada/project"}, false, true}));
  EXPECT_EQ(layout->mounts[1], (WorkspaceMount{"docs", HostPath{"/srv/docs"}, true, true}));
  // Only named ones: /workspace itself stays ours.
  layout = workspace_layout(settings_with(), host(), input_of({"docs=/srv/docs"}));
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->mounts[0].path.value, "/srv/box/sandbox/files");
  EXPECT_EQ(layout->mounts[1].name, "docs");
}

TEST(WorkspaceLayout, TheCommandLineReplacesTheSetting) {
  const Settings settings = settings_with("WORKSPACE_DIR", "/srv/one:ro");
  auto layout = workspace_layout(settings, host(), input_of());
  ASSERT_TRUE(layout.ok());
  EXPECT_THAT(layout->mounts, ElementsAre(WorkspaceMount{"", HostPath{"/srv/one"}, true, true}));
  layout = workspace_layout(settings, host(), input_of({"/srv/two"}));
  ASSERT_TRUE(layout.ok());
  EXPECT_THAT(layout->mounts, ElementsAre(WorkspaceMount{"", HostPath{"/srv/two"}, false, true}));
}

TEST(WorkspaceLayout, ReadOnlyForAll) {
  auto layout =
      workspace_layout(settings_with("WORKSPACE_READONLY", "true"), host(), input_of({"/srv/two"}));
  ASSERT_TRUE(layout.ok());
  EXPECT_TRUE(layout->mounts[0].read_only);
}

TEST(WorkspaceLayout, Refusals) {
  struct Row {
    const char* workspace;
    const char* reason;
  };
  for (const Row& row :
       std::initializer_list<Row>{{"/", "root directory"},
                                  {"//", "root directory"},
                                  {"/srv/..", "root directory"},
                                  {"/home/ada", "home directory itself"},
                                  {"..", "home directory"},
                                  {"/home", "holds the home directory"},
                                  {"/home/ada/.config", "our configuration"},
                                  {"/home/ada/.config/container-mcp/x", "our configuration"},
                                  {"/etc:ro", "our configuration"},
                                  {"/srv/box", "our state"},
                                  {"/srv/box/state/outputs", "our state"},
                                  {"", "names no directory"},
                                  {"a/b=:ro", ""},
                                  {"x=", "names no directory"},
                                  {".x=/srv/a", "a name that cannot be used"},
                                  {"=/srv/a", "a name that cannot be used"}}) {
    auto layout = workspace_layout(settings_with(), host(), input_of({row.workspace}));
    if (*row.reason == '\0') {
      EXPECT_TRUE(layout.ok());
      continue;
    }
    ASSERT_FALSE(layout.ok()) << row.workspace;
    EXPECT_EQ(layout.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(layout.error().message(), HasSubstr(row.reason)) << row.workspace;
  }
}

TEST(WorkspaceLayout, RefusesWhereSocketsOfOursAre) {
  LayoutInput input = input_of({"/srv/two"});
  input.sockets = {"/srv/two/run/mcp.sock"};
  EXPECT_THAT(workspace_layout(settings_with(), host(), input).error().message(),
              HasSubstr("socket"));
}

TEST(WorkspaceLayout, RefusesDataThatHoldsOurState) {
  auto layout = workspace_layout(settings_with("DATA_DIR", "/srv/box"), host(), input_of());
  ASSERT_FALSE(layout.ok());
  EXPECT_THAT(layout.error().message(), HasSubstr("DATA_DIR"));
}

TEST(WorkspaceLayout, RefusesOverlapAndEqualNames) {
  EXPECT_THAT(workspace_layout(settings_with(), host(), input_of({"/srv/a", "b=/srv/a/b:ro"}))
                  .error()
                  .message(),
              HasSubstr("overlap"));
  EXPECT_THAT(workspace_layout(settings_with(), host(), input_of({"a=/srv/a", "a=/srv/b"}))
                  .error()
                  .message(),
              HasSubstr("the name a"));
  EXPECT_THAT(
      workspace_layout(settings_with(), host(), input_of({"/srv/a", "/srv/b"})).error().message(),
      HasSubstr("no name"));
}

TEST(WorkspaceLayout, ASettingIsNeverRelative) {
  auto layout = workspace_layout(settings_with("WORKSPACE_DIR", "project"), host(), input_of());
  ASSERT_FALSE(layout.ok());
  EXPECT_THAT(layout.error().message(), HasSubstr("absolute"));
}

TEST(WorkspaceLayout, LinksDoNotHideWhatIsRefused) {
  std::string pattern = "/tmp/cmcp-layout-XXXXXX";
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  std::filesystem::create_directory_symlink("/", pattern + "/innocent");
  LayoutInput input;
  input.workspaces = {pattern + "/innocent"};
  auto layout = workspace_layout(settings_with(), host(), input);
  std::filesystem::remove_all(pattern);
  ASSERT_FALSE(layout.ok());
  EXPECT_THAT(layout.error().message(), HasSubstr("root directory"));
}

TEST(LookInto, TellsFilesFromScratch) {
  std::string pattern = "/tmp/cmcp-layout-XXXXXX";
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const HostPath root{pattern};
  std::filesystem::create_directory(pattern + "/bash");
  std::ofstream(pattern + "/.gitkeep").put('\n');
  EXPECT_FALSE(look_into(root).has_own_files);
  std::ofstream(pattern + "/report.txt").put('\n');
  EXPECT_TRUE(look_into(root).has_own_files);
  EXPECT_FALSE(look_into(root).has_files_directory);
  std::filesystem::create_directory(pattern + "/files");
  EXPECT_TRUE(look_into(root).has_files_directory);
  std::filesystem::remove_all(pattern);
  EXPECT_FALSE(look_into(root).has_own_files);
}

}  // namespace
}  // namespace cmcp::config
