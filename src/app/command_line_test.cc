#include "app/command_line.h"

#include <gmock/gmock.h>

namespace cmcp::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

CommandLine parsed(const std::vector<std::string>& arguments) {
  auto line = parse_command_line(arguments);
  EXPECT_TRUE(line.ok()) << (line.ok() ? "" : line.error().message());
  return line.ok() ? *line : CommandLine{};
}

TEST(CommandLine, ServeIsTheDefault) {
  EXPECT_EQ(parsed({}).command, Command::kServe);
  const CommandLine line =
      parsed({"serve", "--host", "::1", "--port=9000", "--config", "/a", "--config=b",
              "--strict-config", "--workspace", ".", "--workspace=docs=/srv/docs:ro"});
  EXPECT_EQ(line.command, Command::kServe);
  EXPECT_THAT(line.settings.values, ElementsAre(Pair("MCP_HOST", "::1"), Pair("MCP_PORT", "9000")));
  EXPECT_THAT(line.settings.config_files, ElementsAre("/a", "b"));
  EXPECT_THAT(line.settings.workspaces, ElementsAre(".", "docs=/srv/docs:ro"));
  EXPECT_TRUE(line.settings.strict);
}

TEST(CommandLine, Stdio) {
  EXPECT_EQ(parsed({"--stdio"}).command, Command::kStdio);
  EXPECT_EQ(parsed({"--test-mode", "--workspace", "/x"}).command, Command::kStdio);
  EXPECT_EQ(parsed({"serve", "--stdio"}).command, Command::kStdio);
}

TEST(CommandLine, TheOtherCommands) {
  EXPECT_EQ(parsed({"doctor"}).command, Command::kDoctor);
  EXPECT_TRUE(parsed({"doctor", "--json"}).json);
  EXPECT_TRUE(parsed({"doctor", "--seccomp"}).seccomp);
  EXPECT_EQ(parsed({"config"}).command, Command::kConfig);
  EXPECT_EQ(parsed({"--version"}).command, Command::kVersion);
  EXPECT_EQ(parsed({"doctor", "--help"}).command, Command::kHelp);
  EXPECT_EQ(parsed({"-h"}).command, Command::kHelp);
  const CommandLine call = parsed({"call", "system_run_python", R"({"code":"_ = 6*7"})"});
  EXPECT_EQ(call.command, Command::kCall);
  EXPECT_EQ(call.tool, "system_run_python");
  EXPECT_EQ(call.arguments, R"({"code":"_ = 6*7"})");
  EXPECT_EQ(parsed({"call", "system_env_var"}).arguments, "{}");
}

TEST(CommandLine, Refusals) {
  struct Row {
    std::vector<std::string> arguments;
    std::string says;
  };
  const std::vector<Row> rows = {{{"--prot", "1"}, "no option --prot; the nearest is --port"},
                                 {{"serv"}, "no command serv; the nearest is serve"},
                                 {{"--port"}, "--port needs a value"},
                                 {{"--port="}, "--port needs a value"},
                                 {{"--stdio=1"}, "--stdio takes no value"},
                                 {{"--stdio", "--port", "1"}, "--port is for the HTTP server"},
                                 {{"doctor", "--host", "x"}, "does not go with doctor"},
                                 {{"doctor", "--stdio"}, "--stdio does not go with doctor"},
                                 {{"--json"}, "--json goes with doctor only"},
                                 {{"call"}, "call needs the name of a tool"},
                                 {{"call", "t", "{", "}"}, "in single quotes"},
                                 {{"config", "MCP_PORT"}, "config takes no argument MCP_PORT"},
                                 {{"-x"}, "no option -x"}};
  for (const Row& row : rows) {
    auto line = parse_command_line(row.arguments);
    ASSERT_FALSE(line.ok()) << row.says;
    EXPECT_EQ(line.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(line.error().message(), HasSubstr(row.says));
  }
}

TEST(CommandLine, NotBuiltYet) {
  for (const char* word : {"ps", "kill", "audit", "--connect", "--conformance-fixtures"}) {
    auto line = parse_command_line({word});
    ASSERT_FALSE(line.ok());
    EXPECT_EQ(line.error().code(), ErrorCode::kUnsupported);
    EXPECT_THAT(line.error().message(), HasSubstr(std::string("not built yet: ") + word));
  }
}

TEST(CommandLine, HelpNamesEveryOption) {
  for (const char* word :
       {"serve", "--stdio", "--test-mode", "doctor", "--json", "--seccomp", "call", "config",
        "--version", "--help", "--config", "--strict-config", "--workspace", "--host", "--port"}) {
    EXPECT_THAT(usage(), HasSubstr(word));
  }
}

}  // namespace
}  // namespace cmcp::app
