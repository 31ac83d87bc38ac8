#include "config/settings.h"

#include <gmock/gmock.h>

#include <set>

#include "config/describe.h"
#include "config/settings_builder.h"

namespace cmcp::config {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

HostFacts host() {
  HostFacts facts;
  facts.home = "/home/ada";
  facts.cores = 3;
  return facts;
}

TEST(Table, EveryNameOnce) {
  std::set<std::string_view> seen;
  for (const Setting& row : table()) {
    EXPECT_TRUE(seen.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.meaning.empty()) << row.name;
    EXPECT_EQ(find(row.name), &row);
  }
  EXPECT_EQ(find("MCP_PROT"), nullptr);
}

TEST(Settings, DefaultsOfTheContract) {
  const Settings settings = SettingsBuilder().build(host());
  EXPECT_EQ(settings.text("MCP_HOST"), "127.0.0.1");
  EXPECT_EQ(settings.integer("MCP_PORT"), 8000);
  EXPECT_EQ(settings.integer("OUTPUT_MAX_CHARS"), 40000);
  EXPECT_EQ(settings.text("SANDBOX_REQUIRE"), "L3");
  EXPECT_TRUE(settings.flag("COMMAND_RESTRICTED"));
  EXPECT_THAT(settings.list("BASH_ALLOWED_COMMANDS"),
              ElementsAre("ls", "cat", "grep", "find", "echo", "pwd", "mkdir", "touch"));
  EXPECT_EQ(settings.integer("BASH_TIMEOUT_DEFAULT"), 30);
  EXPECT_EQ(settings.integer("BASH_TIMEOUT_MAX"), 120);
  EXPECT_EQ(settings.integer("BASH_MEMORY_LIMIT"), 512);
  EXPECT_EQ(settings.integer("PYTHON_MEMORY_LIMIT"), 256);
  EXPECT_THAT(settings.list("FILE_ALLOWED_EXTENSIONS"),
              ElementsAre("txt", "md", "csv", "json", "py", "none"));
  EXPECT_FALSE(settings.flag("WEB_ROBOTS"));
  EXPECT_EQ(settings.integer("SANDBOX_CPU_SECONDS"), 0);  // unset: twice the run's timeout
  EXPECT_EQ(settings.origin("MCP_PORT"), "default");
  EXPECT_FALSE(settings.is_set("MCP_PORT"));
}

TEST(Settings, DerivedDefaults) {
  const Settings settings = SettingsBuilder().with("FILE_MAX_SIZE_MB", "20").build(host());
  EXPECT_EQ(settings.integer("MCP_MAX_BODY_MB"), 41);
  EXPECT_EQ(settings.integer("SANDBOX_MAX_RUNS"), 12);
  EXPECT_EQ(settings.text("SANDBOX_ROOT"), "/home/ada/.local/share/container-mcp/sandbox");
  EXPECT_EQ(settings.text("STATE_DIR"), "/home/ada/.local/share/container-mcp/state");
  EXPECT_EQ(settings.text("DATA_DIR"), "/home/ada/.local/share/container-mcp/data");
  EXPECT_EQ(settings.text("TEMP_DIR"), "/home/ada/.local/share/container-mcp/temp");
  EXPECT_EQ(settings.text("MCP_SESSION_KEY_FILE"),
            "/home/ada/.local/share/container-mcp/state/session.key");
  const Settings given =
      SettingsBuilder().with("MCP_MAX_BODY_MB", "3").with("SANDBOX_MAX_RUNS", "1").build(host());
  EXPECT_EQ(given.integer("MCP_MAX_BODY_MB"), 3);
  EXPECT_EQ(given.integer("SANDBOX_MAX_RUNS"), 1);
}

TEST(Settings, SandboxRootByTheWayOfTheStart) {
  HostFacts facts = host();
  const Environment xdg(Environment::Variables{{"XDG_DATA_HOME", "/srv/ada"}});
  EXPECT_EQ(SettingsBuilder().build(facts, xdg).text("SANDBOX_ROOT"),
            "/srv/ada/container-mcp/sandbox");
  const Environment relative(Environment::Variables{{"XDG_DATA_HOME", "srv"}});
  EXPECT_EQ(SettingsBuilder().build(facts, relative).text("SANDBOX_ROOT"),
            "/home/ada/.local/share/container-mcp/sandbox");
  facts.service = true;
  EXPECT_EQ(SettingsBuilder().build(facts, xdg).text("SANDBOX_ROOT"),
            "/var/lib/container-mcp/sandbox");
  facts.container = true;
  EXPECT_EQ(SettingsBuilder().build(facts, xdg).text("SANDBOX_ROOT"), "/app/sandbox");
  EXPECT_TRUE(SettingsBuilder().build(facts, xdg).flag("CONTAINER"));
  EXPECT_EQ(SettingsBuilder().with("CONTAINER", "false").build(facts, xdg).text("SANDBOX_ROOT"),
            "/var/lib/container-mcp/sandbox");
  EXPECT_EQ(SettingsBuilder().with("SANDBOX_ROOT", "/x/box").build(facts, xdg).text("STATE_DIR"),
            "/x/state");
}

TEST(Settings, BadValuesNameEverything) {
  struct Row {
    const char* name;
    const char* value;
    const char* allowed;
  };
  for (const Row& row :
       std::initializer_list<Row>{{"MCP_PORT", "eighty", "0 to 65535"},
                                  {"MCP_PORT", "65536", "0 to 65535"},
                                  {"MCP_PORT", "", "0 to 65535"},
                                  {"MCP_PORT", "99999999999999999999", "0 to 65535"},
                                  {"DEBUG", "maybe", "true or false"},
                                  {"LOG_LEVEL", "loud", "DEBUG, INFO, WARNING, ERROR"},
                                  {"SANDBOX_REQUIRE", "L4", "L0, L1, L2, L3"},
                                  {"SANDBOX_ROOT", "sandbox", "an absolute path"}}) {
    SettingsBuilder builder;
    const Status status =
        builder.set(row.name, row.value, "file /etc/x.env", "file /etc/x.env, line 3");
    ASSERT_FALSE(status.ok()) << row.name << "=" << row.value;
    EXPECT_EQ(status.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(status.error().message(),
                AllOf(HasSubstr(std::string(row.name) + "=" + row.value), HasSubstr(row.allowed),
                      HasSubstr("/etc/x.env, line 3")));
  }
}

TEST(Settings, SecretsAreNeverShown) {
  SettingsBuilder builder;
  const Status status = builder.set("MCP_AUTH_TOKEN", "hunter2 with spaces", "environment");
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message(),
              AllOf(HasSubstr("MCP_AUTH_TOKEN"), Not(HasSubstr("hunter2"))));
  const Settings settings = SettingsBuilder().with("MCP_AUTH_TOKEN", "hunter2").build(host());
  EXPECT_EQ(settings.text("MCP_AUTH_TOKEN"), "hunter2");
  EXPECT_EQ(settings.shown("MCP_AUTH_TOKEN"), "(set)");
  EXPECT_THAT(describe(settings),
              AllOf(Not(HasSubstr("hunter2")), HasSubstr("MCP_AUTH_TOKEN = (set)")));
}

TEST(Settings, WordsInAnyCase) {
  EXPECT_EQ(SettingsBuilder().with("LOG_LEVEL", "warning").build(host()).text("LOG_LEVEL"),
            "WARNING");
  EXPECT_TRUE(SettingsBuilder().with("DEBUG", "ON").build(host()).flag("DEBUG"));
}

TEST(Settings, AnEmptyListIsAList) {
  const Settings settings = SettingsBuilder().with("BASH_ALLOWED_COMMANDS", "").build(host());
  EXPECT_THAT(settings.list("BASH_ALLOWED_COMMANDS"), IsEmpty());
  EXPECT_TRUE(settings.is_set("BASH_ALLOWED_COMMANDS"));
}

TEST(Settings, NotBuiltYetStopsUnlessItIsTheDefault) {
  for (const Setting& row : table()) {
    if (row.built) continue;
    SettingsBuilder builder;
    EXPECT_TRUE(builder.set(row.name, row.default_value, "environment").ok() ||
                row.default_value.empty())
        << row.name;
    const char* other = row.type == Type::kInteger ? "7" : row.type == Type::kFlag ? "" : "/other";
    if (row.type == Type::kFlag) other = row.default_value == "true" ? "false" : "true";
    const Status status = builder.set(row.name, other, "environment");
    ASSERT_FALSE(status.ok()) << row.name;
    EXPECT_EQ(status.error().code(), ErrorCode::kUnsupported);
    EXPECT_THAT(status.error().message(), HasSubstr("not built yet: " + std::string(row.name)));
  }
}

TEST(Settings, NotBuiltYetWords) {
  SettingsBuilder builder;
  EXPECT_THAT(builder.set("SANDBOX_BACKEND", "none", "environment").error().message(),
              HasSubstr("not built yet: SANDBOX_BACKEND=none"));
  EXPECT_TRUE(builder.set("SANDBOX_BACKEND", "bwrap", "environment").ok());
  EXPECT_FALSE(builder.set("WORKSPACE_SCOPE", "principal", "environment").ok());
  EXPECT_TRUE(builder.set("SANDBOX_BACKEND", "native", "environment").ok());
  EXPECT_TRUE(builder.set("WORKSPACE_SCOPE", "shared", "environment").ok());
}

TEST(Settings, DefaultAboveItsMaximum) {
  const Settings settings = SettingsBuilder().with("BASH_TIMEOUT_MAX", "10").build(host());
  const Status status = check_together(settings);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message(),
              AllOf(HasSubstr("BASH_TIMEOUT_DEFAULT=30"), HasSubstr("BASH_TIMEOUT_MAX=10")));
}

TEST(SettingsDeath, AnUnknownNameIsADefect) {
  const Settings settings = SettingsBuilder().build(host());
  EXPECT_DEATH(settings.text("NO_SUCH"), "");
  EXPECT_DEATH(settings.integer("MCP_HOST"), "");
}

TEST(Describe, EveryRowIsInEveryDocument) {
  const std::string shown = describe(SettingsBuilder().build(host()));
  for (const Setting& row : table()) {
    EXPECT_THAT(shown, HasSubstr(std::string(row.name) + " = "));
    EXPECT_THAT(markdown(), HasSubstr("| `" + std::string(row.name) + "` |"));
    EXPECT_THAT(default_env(), HasSubstr("\n#" + std::string(row.name) + "="));
  }
}

}  // namespace
}  // namespace cmcp::config
