#include "config/loader.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace cmcp::config {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class LoaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = "/tmp/cmcp-loader-XXXXXX";
    ASSERT_NE(::mkdtemp(directory_.data()), nullptr);
    fs::create_directories(directory_ + "/home/.config/container-mcp");
    fs::create_directories(directory_ + "/etc");
    fs::create_directories(directory_ + "/named");
    host_.uid = Uid{::geteuid()};
    host_.home = directory_ + "/home";
    host_.machine_directory = directory_ + "/etc";
    host_.working_directory = directory_ + "/repository";
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::string write(const std::string& path, const std::string& text, mode_t mode = 0644) {
    const std::string whole = directory_ + "/" + path;
    std::ofstream(whole) << text;
    EXPECT_EQ(::chmod(whole.c_str(), mode), 0);
    return whole;
  }
  Result<Loaded> load_it() { return load(command_line_, Environment(variables_), host_); }

  std::string directory_;
  HostFacts host_;
  CommandLineSettings command_line_;
  std::map<std::string, std::string, std::less<>> variables_;
};

TEST_F(LoaderTest, TheOrder) {
  const auto port = [this](std::int64_t value, const std::string& origin) {
    auto loaded = load_it();
    ASSERT_TRUE(loaded.ok()) << loaded.error().message();
    EXPECT_EQ(loaded->settings.integer("MCP_PORT"), value);
    EXPECT_EQ(loaded->settings.origin("MCP_PORT"), origin);
  };
  port(8000, "default");
  const std::string etc = write("etc/a.env", "MCP_PORT=1001\n");
  port(1001, "file " + etc);
  const std::string etc_b = write("etc/b.env", "MCP_PORT=1002\n");
  port(1002, "file " + etc_b);
  const std::string user = write("home/.config/container-mcp/a.env", "MCP_PORT=1003\n");
  port(1003, "file " + user);
  const std::string one = write("named/one", "MCP_PORT=1004\n");
  const std::string two = write("named/two", "MCP_PORT=1005\n");
  variables_["CMCP_CONFIG"] = one + ":" + two;
  port(1005, "file " + two);
  const std::string three = write("named/three", "MCP_PORT=1006\n");
  command_line_.config_files = {three};
  port(1006, "file " + three);
  variables_["MCP_PORT"] = "1007";
  port(1007, "environment");
  command_line_.values = {{"MCP_PORT", "1008"}};
  port(1008, "command line");
  auto loaded = load_it();
  EXPECT_THAT(loaded->files, ElementsAre(three, two, one, user, etc_b, etc));
}

TEST_F(LoaderTest, XdgConfigHomeReplacesTheUsersDirectory) {
  write("home/.config/container-mcp/a.env", "MCP_PORT=1003\n");
  fs::create_directories(directory_ + "/xdg/container-mcp");
  write("xdg/container-mcp/a.env", "MCP_PORT=1010\n");
  write("xdg/container-mcp/not-an-env-file", "MCP_PORT=1011\n");
  variables_["XDG_CONFIG_HOME"] = directory_ + "/xdg";
  EXPECT_EQ(load_it()->settings.integer("MCP_PORT"), 1010);
}

TEST_F(LoaderTest, NeverTheCurrentDirectory) {
  fs::create_directories(directory_ + "/repository/config");
  fs::create_directories(directory_ + "/repository/volume/config");
  for (const char* path : {"repository/config/custom.env", "repository/config/default.env",
                           "repository/.env", "repository/volume/config/custom.env"}) {
    write(path, "MCP_PORT=666\nCOMMAND_RESTRICTED=false\n");
  }
  const fs::path before = fs::current_path();
  fs::current_path(directory_ + "/repository");
  auto loaded = load_it();
  fs::current_path(before);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->settings.integer("MCP_PORT"), 8000);
  EXPECT_TRUE(loaded->settings.flag("COMMAND_RESTRICTED"));
  EXPECT_THAT(loaded->files, IsEmpty());
}

TEST_F(LoaderTest, BadValuesSayWhere) {
  command_line_.config_files = {write("named/one", "# first\n\nMCP_PORT=many\n")};
  auto loaded = load_it();
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.error().message(), AllOf(HasSubstr("MCP_PORT=many"), HasSubstr("0 to 65535"),
                                              HasSubstr(directory_ + "/named/one, line 3")));
  command_line_.config_files.clear();
  variables_["DEBUG"] = "x:*";
  EXPECT_THAT(load_it().error().message(), AllOf(HasSubstr("DEBUG=x:*"), HasSubstr("environment")));
}

TEST_F(LoaderTest, NotBuiltYet) {
  variables_["WEB_ALLOWED_DOMAINS"] = "*";
  EXPECT_TRUE(load_it().ok());
  variables_["WEB_ALLOWED_DOMAINS"] = "example.org";
  auto loaded = load_it();
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code(), ErrorCode::kUnsupported);
  EXPECT_THAT(loaded.error().message(), HasSubstr("not built yet: WEB_ALLOWED_DOMAINS"));
}

TEST_F(LoaderTest, UnknownNames) {
  variables_["BASH_TIMEOUT_DEFUALT"] = "5";
  variables_["UNRELATED"] = "5";
  variables_["BASH_ENV"] = "/x";
  variables_["BASH_FUNC_f%%"] = "() { :; }";
  variables_["PYTHON_PIP_VERSION"] = "1";
  command_line_.config_files = {write("named/one", "MPC_PORT=1\n")};
  auto loaded = load_it();
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_THAT(loaded->warnings,
              ElementsAre(AllOf(HasSubstr("MPC_PORT"), HasSubstr("nearest is MCP_PORT")),
                          AllOf(HasSubstr("BASH_TIMEOUT_DEFUALT"),
                                HasSubstr("nearest is BASH_TIMEOUT_DEFAULT"))));
  command_line_.strict = true;
  ASSERT_FALSE(load_it().ok());
  EXPECT_THAT(load_it().error().message(), HasSubstr("nearest is MCP_PORT"));
}

TEST_F(LoaderTest, RefusesWritableFiles) {
  command_line_.config_files = {write("named/one", "MCP_PORT=1\n", 0646)};
  EXPECT_EQ(load_it().error().code(), ErrorCode::kPermissionDenied);
  EXPECT_THAT(load_it().error().message(), HasSubstr("everyone may write"));
  ASSERT_EQ(::chmod(command_line_.config_files[0].c_str(), 0600), 0);
  EXPECT_TRUE(load_it().ok());
  // A found file that is refused stops the start too: to leave it out could drop the token that it
  // sets.
  write("etc/a.env", "MCP_PORT=1\n", 0666);
  EXPECT_EQ(load_it().error().code(), ErrorCode::kPermissionDenied);
}

TEST_F(LoaderTest, RefusesAForeignGroupAndOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "changing owners needs root";
  const std::string path = write("named/one", "MCP_PORT=1\n", 0664);
  command_line_.config_files = {path};
  EXPECT_TRUE(load_it().ok()) << "root:root is the owner's private group";
  ASSERT_EQ(::chown(path.c_str(), 0, 12345), 0);
  EXPECT_THAT(load_it().error().message(), HasSubstr("its group may write"));
  ASSERT_EQ(::chown(path.c_str(), 12345, 0), 0);
  EXPECT_THAT(load_it().error().message(), HasSubstr("owned by uid 12345"));
  host_.uid = Uid{12345};
  EXPECT_THAT(load_it().error().message(), HasSubstr("its group may write"));
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  EXPECT_TRUE(load_it().ok());
}

TEST_F(LoaderTest, ALinkIsJudgedByItsTarget) {
  const std::string path = write("named/target", "MCP_PORT=1\n", 0666);
  fs::create_symlink(path, directory_ + "/named/link");
  command_line_.config_files = {directory_ + "/named/link"};
  EXPECT_EQ(load_it().error().code(), ErrorCode::kPermissionDenied);
}

TEST_F(LoaderTest, RefusesWhatIsNoFile) {
  command_line_.config_files = {directory_ + "/named"};
  EXPECT_THAT(load_it().error().message(), HasSubstr("not a regular file"));
  ASSERT_EQ(::mkfifo((directory_ + "/fifo").c_str(), 0600), 0);
  command_line_.config_files = {directory_ + "/fifo"};
  EXPECT_THAT(load_it().error().message(), HasSubstr("not a regular file"));
  command_line_.config_files = {directory_ + "/absent"};
  EXPECT_EQ(load_it().error().code(), ErrorCode::kNotFound);
  command_line_.config_files = {write("named/big", std::string(2 << 20, '#'))};
  EXPECT_THAT(load_it().error().message(), HasSubstr("larger than"));
  command_line_.config_files.clear();
  variables_["CMCP_CONFIG"] = "config/custom.env";
  EXPECT_THAT(load_it().error().message(), HasSubstr("not an absolute path"));
}

TEST_F(LoaderTest, RefusesAFileBelowAWorkspace) {
  fs::create_directories(directory_ + "/project/config");
  command_line_.config_files = {write("project/config/x.env", "MCP_PORT=1\n")};
  EXPECT_TRUE(load_it().ok());
  command_line_.workspaces = {directory_ + "/project"};
  EXPECT_THAT(load_it().error().message(),
              AllOf(HasSubstr("our configuration"), HasSubstr("x.env")));
  // Through a link as well.
  fs::create_symlink(directory_ + "/project/config/x.env", directory_ + "/named/link.env");
  command_line_.config_files = {directory_ + "/named/link.env"};
  EXPECT_FALSE(load_it().ok());
}

TEST_F(LoaderTest, AWorkspaceMustExist) {
  command_line_.workspaces = {directory_ + "/absent"};
  EXPECT_THAT(load_it().error().message(), HasSubstr("not a directory"));
  fs::create_directories(directory_ + "/repository");
  command_line_.workspaces = {"."};
  auto loaded = load_it();
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_EQ(loaded->layout.mounts[0].path.value, directory_ + "/repository");
}

TEST_F(LoaderTest, ASecretThatEveryoneMayRead) {
  command_line_.config_files = {write("named/one", "MCP_AUTH_TOKEN=hunter2\n")};
  auto loaded = load_it();
  ASSERT_TRUE(loaded.ok());
  EXPECT_THAT(loaded->warnings,
              ElementsAre(AllOf(HasSubstr("MCP_AUTH_TOKEN"), Not(HasSubstr("hunter2")))));
  ASSERT_EQ(::chmod(command_line_.config_files[0].c_str(), 0600), 0);
  EXPECT_THAT(load_it()->warnings, IsEmpty());
}

TEST(Environment, OfTheProcess) {
  ASSERT_EQ(::setenv("CMCP_TEST_ENVIRONMENT", "a=b", 1), 0);
  EXPECT_EQ(Environment::of_process().get("CMCP_TEST_ENVIRONMENT"), "a=b");
  EXPECT_FALSE(Environment::of_process().has("CMCP_TEST_ABSENT"));
}

TEST(HostFacts, OfThisMachine) {
  const HostFacts facts = host_facts(Environment(Environment::Variables{{"HOME", "/h"}}));
  EXPECT_EQ(facts.uid.value, ::geteuid());
  EXPECT_GE(facts.cores, 1U);
  EXPECT_EQ(facts.home, "/h");
  EXPECT_TRUE(host_facts(Environment(Environment::Variables{{"container", "podman"}})).container);
  EXPECT_TRUE(
      host_facts(Environment(Environment::Variables{{"STATE_DIRECTORY", "/var/lib/container-mcp"}}))
          .service);
}

}  // namespace
}  // namespace cmcp::config
