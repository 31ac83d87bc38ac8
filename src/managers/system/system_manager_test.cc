#include "managers/system/system_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/settings_builder.h"
#include "managers/system/secret_rule.h"

namespace cmcp::managers {
namespace {

using ::testing::HasSubstr;

TEST(SecretRule, Names) {
  for (const char* name : {"MCP_AUTH_TOKEN", "api_key", "ApiKey", "AWS_SECRET_ACCESS_KEY",
                           "DB_PASSWORD", "PGPASSWORD", "DB_PASS", "GITHUB_PAT",
                           "HTTP_AUTHORIZATION", "GOOGLE_CREDENTIALS", "SSH_KEYS", "COOKIE_JAR"}) {
    EXPECT_TRUE(is_secret_name(name)) << name;
  }
  for (const char* name : {"PATH", "HOME", "LANG", "AUTHOR", "MCP_ALLOW_UNAUTHENTICATED", "COMPASS",
                           "KEYBOARD_LAYOUT", "SANDBOX_ENV_PASS", "PATTERN", "TZ"}) {
    EXPECT_FALSE(is_secret_name(name)) << name;
  }
}

TEST(SecretRule, UrlsWithUserInformation) {
  EXPECT_TRUE(is_secret_value("http://ada:secret@host/x"));
  EXPECT_TRUE(is_secret_value("a https://x/y postgres://u@db"));
  EXPECT_FALSE(is_secret_value("https://host/path@x?a=b@c"));
  EXPECT_FALSE(is_secret_value("ada@host"));
}

TEST(SystemManager, EnvironmentWinsOverSettingsAndSecretsStayAway) {
  const SystemManager system(
      {"PATH=/usr/bin", "GITHUB_TOKEN=ghp_x", "DEBUG=env", "PROXY=http://u:p@h", "BAD=\xFF"},
      {{"DEBUG", "false"}, {"MCP_PORT", "8000"}, {"HIDDEN", "x"}}, {"HIDDEN"});
  const SystemManager::Variables expected{
      {"PATH", "/usr/bin"}, {"DEBUG", "env"}, {"MCP_PORT", "8000"}, {"BAD", "\xEF\xBF\xBD"}};
  EXPECT_EQ(system.variables(), expected);
  EXPECT_EQ(system.variable("MCP_PORT").value, "8000");
  EXPECT_EQ(system.variable("MCP_PORT").message, "");
  for (const char* name : {"GITHUB_TOKEN", "PROXY", "HIDDEN", "UNKNOWN_SECRET"}) {
    EXPECT_FALSE(system.variable(name).value) << name;
    EXPECT_THAT(system.variable(name).message, HasSubstr("secret")) << name;
  }
  EXPECT_THAT(system.variable("MCP_PROT").message, HasSubstr("Did you mean \"MCP_PORT\"?"));
  EXPECT_THAT(system.variable("nothing like it").message, HasSubstr("neither set"));
}

TEST(SystemManager, FromConfigShowsTheTableWithoutSecrets) {
  config::SettingsBuilder builder;
  builder.with("MCP_AUTH_TOKEN", "a-very-long-secret-token-0123456789")
      .with("PYTHON_TIMEOUT_MAX", "77");
  const SystemManager system = SystemManager::from_config(builder.build({}), {"HOME=/workspace"});
  EXPECT_EQ(system.variable("PYTHON_TIMEOUT_MAX").value, "77");
  EXPECT_EQ(system.variable("HOME").value, "/workspace");
  EXPECT_FALSE(system.variable("MCP_AUTH_TOKEN").value);
  for (const auto& [name, value] : system.variables()) {
    EXPECT_THAT(value, ::testing::Not(HasSubstr("a-very-long"))) << name;
    EXPECT_NE(name, "MCP_AUTH_TOKEN");
  }
}

}  // namespace
}  // namespace cmcp::managers
