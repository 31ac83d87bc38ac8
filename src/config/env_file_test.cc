#include "config/env_file.h"

#include <gmock/gmock.h>

namespace cmcp::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(EnvFile, UnderstandsTheUsualForms) {
  auto lines = parse_env_file(
      "\xEF\xBB\xBF# a comment\r\n"
      "A=1\r\n"
      "\n"
      "  export B = two words  # comment\n"
      "C='single # literal \\n'\n"
      "D=\"double \\\"quoted\\\" \\\\ \\n\" # comment\n"
      "E=\n"
      "F=# nothing\n"
      "G=a#b\n"
      "export_H=7\n");
  ASSERT_TRUE(lines.ok()) << lines.error().message();
  EXPECT_THAT(*lines, ElementsAre(EnvFileLine{"A", "1", 2}, EnvFileLine{"B", "two words", 4},
                                  EnvFileLine{"C", "single # literal \\n", 5},
                                  EnvFileLine{"D", "double \"quoted\" \\ \n", 6},
                                  EnvFileLine{"E", "", 7}, EnvFileLine{"F", "", 8},
                                  EnvFileLine{"G", "a#b", 9}, EnvFileLine{"export_H", "7", 10}));
}

TEST(EnvFile, ExpandsNothing) {
  auto lines = parse_env_file("A=$HOME/x\nB=\"$(id)\"\n");
  ASSERT_TRUE(lines.ok());
  EXPECT_EQ((*lines)[0].value, "$HOME/x");
  EXPECT_EQ((*lines)[1].value, "$(id)");
}

TEST(EnvFile, NamesTheLineAndNeverTheValue) {
  for (const char* bad : {"A=1\nMCP_AUTH_TOKEN hunter2\n", "A=1\nMCP_AUTH_TOKEN='hunter2\n",
                          "A=1\nMCP_AUTH_TOKEN=\"hunter2\" hunter2\n", "A=1\n1TOKEN=hunter2\n",
                          "A=1\nX Y=hunter2\n"}) {
    auto lines = parse_env_file(bad);
    ASSERT_FALSE(lines.ok()) << bad;
    EXPECT_THAT(lines.error().message(), HasSubstr("line 2"));
    EXPECT_THAT(lines.error().message(), ::testing::Not(HasSubstr("hunter2")));
  }
}

TEST(EnvFile, RefusesNulBytes) {
  EXPECT_FALSE(parse_env_file(std::string_view("A=1\0B=2\n", 8)).ok());
}

}  // namespace
}  // namespace cmcp::config
