#include "managers/bash/allow_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cmcp::managers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const AllowList& echo_ls() {
  static const AllowList list({"echo", "ls"});
  return list;
}

// Case BASH-15 with its variants and siblings.
TEST(AllowList, RefusesASecondCommandHoweverItIsSeparated) {
  for (const char* text : {"echo ok\nid",
                           "echo ok\r\nid",
                           "echo ok & id",
                           "echo ok |& id",
                           "echo ok; id",
                           "echo ok && id",
                           "echo ok || id",
                           "echo ok | id",
                           "echo ok\n\n\tid",
                           "echo ok &\nid",
                           "echo ok \\\n; id",
                           "{ echo ok; id; }",
                           "(echo ok; id)",
                           "if echo; then id; fi",
                           "! id",
                           "time id",
                           "x=1 id",
                           ">f id",
                           "\\id",
                           "'id'",
                           "i''d",
                           "$'\\x69d'",
                           "command id",
                           "exec id",
                           "eval id"}) {
    EXPECT_THAT(echo_ls().refused(text), ElementsAre("id")) << text;
  }
}

// Case BASH-16.
TEST(AllowList, RefusesSubstitutedCommands) {
  for (const char* text :
       {"ls $(touch mark1)", "ls `touch mark2`", "echo \"${x:-$(touch mark3)}\"",
        "echo $((a[$(touch mark4)]))", "ls <<E\n$(touch mark5)\nE", "ls <(touch m)",
        "ls >$(touch m)", "x=$(touch m)", "a[$(touch m)]=1", "echo \"`touch m`\"",
        "ls <<<$(touch m)", "echo $(echo $(touch m))", "ls <<-E\n\t`touch m`\n\tE"}) {
    EXPECT_THAT(echo_ls().refused(text), ElementsAre("touch")) << text;
  }
  for (const char* text :
       {"ls '$(touch mark1)'", "ls '`touch mark2`'", "echo '${x:-$(touch mark3)}'",
        "ls <<'E'\n$(touch mark5)\nE", "echo \\$\\(touch m\\)", "echo \"\\$(touch m)\"",
        "echo $'$(touch m)'", "echo # $(touch m)"}) {
    EXPECT_THAT(echo_ls().refused(text), IsEmpty()) << text;
  }
}

TEST(AllowList, LeavesRunTimeWordsAndUnknownTextToTheKernel) {
  for (const char* text : {"$cmd", "x=id; $x", "/bin/i?", "{id,-u}", "~/id", "\"$(echo id)\"",
                           "echo (", "eval \"$x\"", "enable -f x y", "alias id=ls", "ls ;; id"}) {
    EXPECT_THAT(echo_ls().refused(text), IsEmpty()) << text;
  }
}

TEST(AllowList, AlwaysAllowsWhatStartsNoProgram) {
  const AllowList list({"ls"});
  for (const char* text :
       {"cd /tmp; export A=1; set -e; local x; read -r y; return 0",
        ": && true && false && test a && [ a ]",
        "source x; . y; eval ls; exec ls; command ls; trap - INT", "f() { ls; }; f", "a=1 b=2",
        "for i in 1; do break; done", "[[ a ]]", "((1))",
        "declare -a x; mapfile z; shopt -s extglob",
        "hash -r; jobs; wait; unset x; umask 022; ulimit -n; getopts a b; let 1; type ls; times"}) {
    EXPECT_THAT(list.refused(text), IsEmpty()) << text;
  }
}

TEST(AllowList, BuiltinsThatAreProgramsFollowTheList) {
  const AllowList list({"ls"});
  EXPECT_THAT(list.refused("echo a; printf b; pwd; kill 1"),
              ElementsAre("echo", "printf", "pwd", "kill"));
  EXPECT_THAT(list.refused("builtin echo a"), ElementsAre("echo"));
  EXPECT_THAT(AllowList({"echo", "printf", "pwd", "kill"}).refused("echo a; printf b; pwd; kill 1"),
              IsEmpty());
}

TEST(AllowList, PathsCountOnlyInSystemDirectories) {
  EXPECT_THAT(echo_ls().refused("/bin/ls; /usr/bin/ls"), IsEmpty());
  EXPECT_THAT(echo_ls().refused("/tmp/ls"), ElementsAre("/tmp/ls"));
  EXPECT_THAT(echo_ls().refused("./ls"), ElementsAre("./ls"));
  EXPECT_THAT(echo_ls().refused("/bin/../tmp/ls"), ElementsAre("/bin/../tmp/ls"));
  EXPECT_THAT(echo_ls().refused("/usr/bin/id; id"), ElementsAre("id"));
  EXPECT_THAT(echo_ls().refused("/bin/cd"), ElementsAre("/bin/cd"));
}

TEST(AllowList, FunctionsHideNothingFromCommandAndExec) {
  EXPECT_THAT(echo_ls().refused("id() { ls; }; id"), IsEmpty());
  EXPECT_THAT(echo_ls().refused("id() { command id; }; id"), ElementsAre("id"));
  EXPECT_THAT(echo_ls().refused("id() { ls; }; exec id"), ElementsAre("id"));
}

TEST(AllowList, NamesEachRefusedCommandOnceInOrder) {
  EXPECT_THAT(echo_ls().refused("id; wc; ls; id; cat"), ElementsAre("id", "wc", "cat"));
}

TEST(AllowList, ReadsItsConfiguration) {
  const AllowList list({" ls", "", "/usr/bin/git", "ls", "cat "});
  EXPECT_EQ(list.listed(), "ls, git, cat");
  EXPECT_TRUE(list.allows("git"));
  EXPECT_FALSE(list.allows(""));
  EXPECT_FALSE(list.allows("LS"));
  EXPECT_TRUE(AllowList(std::vector<std::string>{" "}).empty());
}

}  // namespace
}  // namespace cmcp::managers
