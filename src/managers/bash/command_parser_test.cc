#include "managers/bash/command_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "managers/bash/test_bash.h"

namespace cmcp::managers {
namespace {

using testing::ElementsAreArray;

std::vector<std::string> names(const ParsedText& parsed) {
  std::vector<std::string> out;
  for (const auto& command : parsed.commands) out.push_back(command.name);
  return out;
}

struct Row {
  const char* text;
  std::vector<std::string> commands;
};

// Ordinary texts: bash accepts each (`bash -n`), and we find exactly these commands in this order.
const std::vector<Row>& ordinary() {
  static const std::vector<Row> rows = {
      // Lists and pipelines.
      {"ls", {"ls"}},
      {"  ls  -l /tmp ", {"ls"}},
      {"echo ok\nid", {"echo", "id"}},
      {"echo ok\n\n\nid\n", {"echo", "id"}},
      {"echo ok\r\nid", {"echo", "id"}},
      {"echo ok & id", {"echo", "id"}},
      {"echo ok |& id", {"echo", "id"}},
      {"echo ok; id", {"echo", "id"}},
      {"echo ok;id;", {"echo", "id"}},
      {"echo ok && id", {"echo", "id"}},
      {"echo ok&&id", {"echo", "id"}},
      {"echo ok || id", {"echo", "id"}},
      {"echo ok | id | wc", {"echo", "id", "wc"}},
      {"echo ok |\n id", {"echo", "id"}},
      {"echo ok &&\n\n id", {"echo", "id"}},
      {"echo ok & id &", {"echo", "id"}},
      {"a & b & c", {"a", "b", "c"}},
      {"! ls", {"ls"}},
      {"! ! ls", {"ls"}},
      {"time ls | wc", {"ls", "wc"}},
      {"time -p ls", {"ls"}},
      {"time -- ls", {"ls"}},
      {"time", {}},
      {"! time ls", {"ls"}},
      {"ls | time wc", {"ls", "wc"}},
      {"", {}},
      {" \n\t\n", {}},
      {"# only a comment", {}},
      {"ls # id; id", {"ls"}},
      {"ls #", {"ls"}},
      {"ls;# id\nwc", {"ls", "wc"}},
      {"echo a#b $(id)", {"echo", "id"}},
      {"ls \\\n-l", {"ls"}},
      {"i\\\nd", {"id"}},
      {"ls \\\n# x\nid", {"ls", "id"}},
      // Quotes.
      {"echo 'a; id'", {"echo"}},
      {"echo \"a; id\"", {"echo"}},
      {"echo '$(id)'", {"echo"}},
      {"echo '`id`'", {"echo"}},
      {"echo \"\\$(id)\"", {"echo"}},
      {"echo \"\\`id\\`\"", {"echo"}},
      {"echo $'it\\'s; id'", {"echo"}},
      {"echo $'$(id)'", {"echo"}},
      {"echo $\"$(id)\"", {"echo", "id"}},
      {"echo a\\;id", {"echo"}},
      {"echo a\\ \\&\\& id", {"echo"}},
      {"\"id\"", {"id"}},
      {"'id'", {"id"}},
      {"i'd'", {"id"}},
      {"\\id", {"id"}},
      {"i\\d", {"id"}},
      {"i\"\"d", {"id"}},
      {"$'\\x69d'", {"id"}},
      {"$'\\151\\144'", {"id"}},
      {"$'i\\u0064'", {"id"}},
      {"\"if\" true", {"if"}},
      {"''", {}},
      {"echo \"a\nid\"", {"echo"}},
      {"echo 'a\nid'", {"echo"}},
      {"echo \"\\\"; id\"", {"echo"}},
      {"echo a\"b c\"d'e f' ; id", {"echo", "id"}},
      // Words known only at run time.
      {"$cmd", {}},
      {"$cmd a; ls", {"ls"}},
      {"i${x}d", {}},
      {"\"$x\"", {}},
      {"$(echo ls)", {"echo"}},
      {"/bin/i?", {}},
      {"/bin/[i]d", {}},
      {"{id,-u}", {}},
      {"{a..c}", {}},
      {"~/id", {}},
      {"i*", {}},
      {"\\~/id", {"~/id"}},
      {"'i*'", {"i*"}},
      {"{id", {"{id"}},
      {"{}", {"{}"}},
      {"i,d", {"i,d"}},
      // Substitutions.
      {"ls $(touch mark1)", {"ls", "touch"}},
      {"ls `touch mark2`", {"ls", "touch"}},
      {"echo \"${x:-$(touch mark3)}\"", {"echo", "touch"}},
      {"echo $((a[$(touch mark4)]))", {"echo", "touch"}},
      {"echo \"$(touch m)\"", {"echo", "touch"}},
      {"echo \"`touch m`\"", {"echo", "touch"}},
      {"echo \"a $(echo \"b $(id)\" c)\"", {"echo", "echo", "id"}},
      {"echo `echo \\`id\\``", {"echo", "echo", "id"}},
      {"echo `echo \\`echo \\\\\\`id\\\\\\`\\``", {"echo", "echo", "echo", "id"}},
      {"echo \"`echo \\\"$(id)\\\"`\"", {"echo", "echo", "id"}},
      {"echo $(ls; id)", {"echo", "ls", "id"}},
      {"echo $(ls\nid)", {"echo", "ls", "id"}},
      {"echo $( (id) )", {"echo", "id"}},
      {"echo $((id) | wc)", {"echo", "id", "wc"}},
      {"echo $(case a in a) id;; esac)", {"echo", "id"}},
      {"echo $(# a ) comment\nid)", {"echo", "id"}},
      {"echo $(echo ')' ; id)", {"echo", "echo", "id"}},
      {"echo $(<file)", {"echo"}},
      {"cat <(id)", {"cat", "id"}},
      {"ls > >(tee f)", {"ls", "tee"}},
      {"diff <(ls a) <(ls b)", {"diff", "ls", "ls"}},
      {"echo a<(id)", {"echo", "id"}},
      {"echo ${x:-`id`}", {"echo", "id"}},
      {"echo ${x:-'$(id)'}", {"echo"}},
      {"echo ${x:-<(id)}", {"echo", "id"}},
      {"echo \"${x:-'$(id)'}\"", {"echo", "id"}},
      {"echo \"${x#'$(id)'}\"", {"echo"}},
      {"echo \"${x/'$(id)'/y}\"", {"echo"}},
      {"echo \"${x/a/$(id)}\"", {"echo", "id"}},
      {"echo ${x:$(id):2}", {"echo", "id"}},
      {"echo ${x:=$(id)} ${x:?$(wc)} ${x:+$(ls)}", {"echo", "id", "wc", "ls"}},
      {"echo ${x%$(id)} ${x##$(wc)}", {"echo", "id", "wc"}},
      {"echo ${a[$(id)]}", {"echo", "id"}},
      {"echo \"${a[`id`]}\"", {"echo", "id"}},
      {"echo ${x:-${y:-$(id)}}", {"echo", "id"}},
      {"echo ${x:-\"${y:-\"$(id)\"}\"}", {"echo", "id"}},
      {"echo ${#x} ${#} ${#a[@]} ${!x} ${!a[@]} ${x@Q} $# $$ $! $? $- $* $@ $0 $1 ${10}", {"echo"}},
      {"echo ${x:-}} ${x:-\\}}", {"echo"}},
      {"echo ${x^^} ${x,,} ${x^} ${x//a/b}", {"echo"}},
      {"echo $", {"echo"}},
      {"echo \"$\" \"a$\" $'' $\"\"", {"echo"}},
      {"echo $[ 1 + $(id) ]", {"echo", "id"}},
      {"echo $((1 + 2)) $(( (1) * (2) ))", {"echo"}},
      {"echo $(( $(id) + `wc` ))", {"echo", "id", "wc"}},
      {"echo $((2#101 + x[1]))", {"echo"}},
      {"echo $(($((1))+${x:-$((2))}))", {"echo"}},
      {"echo \"$((1))\" \"$(($(id)))\"", {"echo", "id"}},
      {"echo $((1 << 2)) $((a > b))", {"echo"}},
      // Assignments.
      {"x=1", {}},
      {"x=1 ls", {"ls"}},
      {"x=1 y=2 ls -l", {"ls"}},
      {"x=$(id)", {"id"}},
      {"x=$(id) ls", {"id", "ls"}},
      {"x+=`id`", {"id"}},
      {"a[1]=2 ls", {"ls"}},
      {"a[$(id)]=2", {"id"}},
      {"a[1 + 2]=$(id)", {"id"}},
      {"a['$(id)']=1", {"id"}},
      {"a=(1 2 $(id))", {"id"}},
      {"a=(\n1 # c\n[2]=$(id)\n)", {"id"}},
      {"a+=(x)", {}},
      {"a=() ls", {"ls"}},
      {"declare -A m=([a b]=1 [$(id)]=2)", {"declare", "id"}},
      {"local x=(a b); export y=$(id)", {"local", "export", "id"}},
      {"x=a\\ b ls", {"ls"}},
      {"x='a b' ls", {"ls"}},
      {"x= ls", {"ls"}},
      {"x=~/a ls", {"ls"}},
      {"1x=2", {"1x=2"}},
      {"\"x=1\" ls", {"x=1"}},
      {"PATH=/tmp id", {"id"}},
      // Redirections.
      {">f ls", {"ls"}},
      {"2>&1 ls", {"ls"}},
      {">f", {}},
      {"x=1 >f y=2 ls", {"ls"}},
      {"ls >$(id)", {"ls", "id"}},
      {"ls 2>/dev/null >&2 >>f <in <>rw >|clob", {"ls"}},
      {"ls &>f; id &>>f", {"ls", "id"}},
      {"&>f ls", {"ls"}},
      {"{fd}>f ls", {"ls"}},
      {"exec {fd}<f", {"exec"}},
      {"ls 2>&- <&3-", {"ls"}},
      {"cat <<< $(id)", {"cat", "id"}},
      {"cat <<<\"`id`\" ; ls", {"cat", "id", "ls"}},
      {"cat <<<'$(id)'", {"cat"}},
      {"ls>f;id", {"ls", "id"}},
      {"ls >\"$(id)\"", {"ls", "id"}},
      {"{ ls; } >f 2>&1 | id", {"ls", "id"}},
      {"(ls) >$(id)", {"ls", "id"}},
      {"while read -r l; do ls; done <f", {"read", "ls"}},
      {"if ls; then id; fi >$(wc)", {"ls", "id", "wc"}},
      // Here-documents.
      {"cat <<E\n$(touch mark5)\nE", {"cat", "touch"}},
      {"cat <<E\n`id`\nE\nls", {"cat", "id", "ls"}},
      {"cat <<'E'\n$(id)\nE\nls", {"cat", "ls"}},
      {"cat <<\"E\"\n$(id)\nE", {"cat"}},
      {"cat <<\\E\n$(id)\nE", {"cat"}},
      {"cat <<E\nid; ls\nE", {"cat"}},
      {"cat <<E\n\\$(id) \\`id\\`\nE", {"cat"}},
      {"cat <<E\n\"$(id)\" '$(wc)'\nE", {"cat", "id", "wc"}},
      {"cat <<E\n${x:-$(id)} $((1+$(wc)))\nE", {"cat", "id", "wc"}},
      {"cat <<-E\n\t\t$(id)\n\tE\nls", {"cat", "id", "ls"}},
      {"cat <<A <<B\na\nA\n$(id)\nB\nls", {"cat", "id", "ls"}},
      {"cat <<'A' <<B\n$(id)\nA\n$(wc)\nB", {"cat", "wc"}},
      {"cat <<E | id\nbody\nE\nls", {"cat", "id", "ls"}},
      {"cat <<E && ls\nbody\nE", {"cat", "ls"}},
      {"cat <<E; ls; id\nbody\nE", {"cat", "ls", "id"}},
      {"cat <<E\na\\\nE\n$(id)\nE", {"cat", "id"}},
      {"cat << E\nx\nE", {"cat"}},
      {"cat <<'a b'\n$(id)\na b\nls", {"cat", "ls"}},
      {"cat <<E > $(id)\nx\nE", {"cat", "id"}},
      {"{ cat <<E\nx\nE\nid; }", {"cat", "id"}},
      {"echo $(cat <<E\n$(id)\nE\n)", {"echo", "cat", "id"}},
      {"if cat <<E; then\n$(id)\nE\nls; fi", {"cat", "id", "ls"}},
      {"cat <<E\nEE\nE \nE\nid", {"cat", "id"}},
      {"cat <<E\n\nE\nid", {"cat", "id"}},
      {"cat <<E\n'\nE\nid", {"cat", "id"}},
      {"cat <<E\n\"\nE\nid", {"cat", "id"}},
      {"cat <<''\nx\n\nid", {"cat", "id"}},
      {"cat <<E >f # comment\nx\nE\nid", {"cat", "id"}},
      // Groups and compound commands.
      {"(ls)", {"ls"}},
      {"(ls; id)", {"ls", "id"}},
      {"( (ls) )", {"ls"}},
      {"((ls) | id)", {"ls", "id"}},
      {"{ ls; id; }", {"ls", "id"}},
      {"{ ls; }; { id\n}", {"ls", "id"}},
      {"{ ls; } && (id) || { wc; }", {"ls", "id", "wc"}},
      {"((x = 1 + 2))", {}},
      {"((x[$(id)]++)) && ls", {"id", "ls"}},
      {"(( 1 )) ; ls", {"ls"}},
      {"if ls; then id; fi", {"ls", "id"}},
      {"if ls\nthen id\nelif wc\nthen cat\nelse tr a b\nfi", {"ls", "id", "wc", "cat", "tr"}},
      {"if (ls) then id; fi", {"ls", "id"}},
      {"if { ls; } then { id; } fi", {"ls", "id"}},
      {"if ! ls; then :; fi", {"ls", ":"}},
      {"while ls; do id; done", {"ls", "id"}},
      {"until ls; do id; done", {"ls", "id"}},
      {"while ls; id; do wc; done | cat", {"ls", "id", "wc", "cat"}},
      {"for i in a b; do id; done", {"id"}},
      {"for i in $(ls); do id; done", {"ls", "id"}},
      {"for i; do id; done", {"id"}},
      {"for i do id; done", {"id"}},
      {"for i\nin a b\ndo\nid\ndone", {"id"}},
      {"for i in a b\ndo id; done", {"id"}},
      {"for i in a; { id; }", {"id"}},
      {"for ((i=0; i<3; i++)); do id; done", {"id"}},
      {"for ((;;)) { id; }", {"id"}},
      {"for ((i=$(ls);i<3;i++)) do id; done", {"ls", "id"}},
      {"for do in do; do do=1; done", {}},
      {"for i in; do id; done", {"id"}},
      {"select x in a b; do id; done", {"id"}},
      {"case x in a) ls;; b) id;; esac", {"ls", "id"}},
      {"case x in\na)\n ls\n ;;\n*)\n id\nesac", {"ls", "id"}},
      {"case $(ls) in (a|b) id;& c) wc;;& *) cat; esac", {"ls", "id", "wc", "cat"}},
      {"case x in $(id)) ls;; esac", {"id", "ls"}},
      {"case x in esac", {}},
      {"case x in a) ;; esac", {}},
      {"case esac in (esac) id;; esac", {"id"}},
      {"case x in [a-z]*|'b c'|\"d\") id;; esac", {"id"}},
      {"case x in a) if ls; then id; fi;; esac; wc", {"ls", "id", "wc"}},
      {"case in in in) id;; esac", {"id"}},
      {"[[ a == b ]]", {}},
      {"[[ a == b && -n $(id) ]] && ls", {"id", "ls"}},
      {"[[ ! ( a < b || c > d ) ]]", {}},
      {"[[ a =~ ^(x|y)+$ ]] && ls", {"ls"}},
      {"[[ a =~ (a| b) ]] && ls", {"ls"}},
      {"[[ a =~ a|b ]]; ls", {"ls"}},
      {"[[ a =~ [[:space:]]+ ]]; ls", {"ls"}},
      {"[[ $x =~ $(id) ]]", {"id"}},
      {"[[ a == @(b|c) ]]; ls", {"ls"}},
      {"[[ a == b\n&& c == d\n]]\nls", {"ls"}},
      {"[[ -f a ]] || ls", {"ls"}},
      {"[ a = b ] && ls", {"[", "ls"}},
      {"f() { id; }", {"id"}},
      {"f() { id; }; f", {"id", "f"}},
      {"f () { id; }", {"id"}},
      {"f()\n{\nid\n}\nls", {"id", "ls"}},
      {"f() (id)", {"id"}},
      {"f() if ls; then id; fi", {"ls", "id"}},
      {"f() { id; } >$(wc)", {"id", "wc"}},
      {"f() ((1))", {}},
      {"f() [[ a ]]", {}},
      {"f() for i in 1; do id; done", {"id"}},
      {"function f { id; }", {"id"}},
      {"function f() { id; }", {"id"}},
      {"function f () (id)", {"id"}},
      {"function f (id)", {"id"}},
      {"function f\n{ id; }; ls", {"id", "ls"}},
      {"function f-g { id; }; f-g", {"id", "f-g"}},
      {"f() { g() { id; }; }", {"id"}},
      {"coproc id", {"id"}},
      {"coproc X { id; }", {"id"}},
      {"coproc { id; }", {"id"}},
      {"coproc X (id)", {"id"}},
      {"coproc X id", {"X"}},
      {"coproc X while ls; do id; done", {"ls", "id"}},
      {"{ ls & }; id", {"ls", "id"}},
      {"( ls & ) & id", {"ls", "id"}},
      {"echo } ; id", {"echo", "id"}},
      {"echo if then fi do done case esac { }", {"echo"}},
      {"echo [[ a ]]", {"echo"}},
      {"echo a{b,c}d {1..3} ; id", {"echo", "id"}},
      {"ls /[a]* ?.txt ~ ; id", {"ls", "id"}},
      // What builtins run.
      {"exec id", {"exec", "id"}},
      {"exec -a name id", {"exec", "id"}},
      {"exec -cl -- id x", {"exec", "id"}},
      {"exec -aname id", {"exec", "id"}},
      {"exec >f", {"exec"}},
      {"exec $x id", {"exec"}},
      {"command id", {"command", "id"}},
      {"command -p id", {"command", "id"}},
      {"command -- id", {"command", "id"}},
      {"command -v id", {"command"}},
      {"command -pV id", {"command"}},
      {"command command exec id", {"command", "command", "exec", "id"}},
      {"command $x id", {"command"}},
      {"x=1 command >f id", {"command", "id"}},
      {"builtin echo a", {"builtin", "echo"}},
      {"builtin eval 'id'", {"builtin", "eval", "id"}},
      {"\\command 'id'", {"command", "id"}},
      {"eval 'ls; id'", {"eval", "ls", "id"}},
      {"eval ls ';' id", {"eval", "ls", "id"}},
      {"eval \"ls $x\"", {"eval"}},
      {"eval 'echo \"$(id)\"'", {"eval", "echo", "id"}},
      {"eval 'eval id'", {"eval", "eval", "id"}},
      {"eval", {"eval"}},
      {"trap 'id' EXIT", {"trap", "id"}},
      {"trap \"ls; id\" INT TERM", {"trap", "ls", "id"}},
      {"trap '' TERM", {"trap"}},
      {"trap - INT", {"trap"}},
      {"trap 2 3", {"trap"}},
      {"trap -p INT", {"trap"}},
      {"trap -- 'id' EXIT", {"trap", "id"}},
      {"trap id", {"trap"}},
      {"source ./x; . ./y", {"source", "."}},
      // Larger texts.
      {"set -euo pipefail\nfor f in *.txt; do\n  n=$(wc -l <\"$f\")\n  if (( n > 3 )); then\n    "
       "grep -c x \"$f\" || true\n"
       "  fi\ndone | sort -n",
       {"set", "wc", "grep", "true", "sort"}},
      {"trap '' TERM; for n in 1 2 3; do sh -c 'sleep 200; :' & done; wait",
       {"trap", "sh", "wait"}},
      {"(while :; do echo tick; sleep 1; done) & sleep 1; echo fg-done",
       {":", "echo", "sleep", "sleep", "echo"}},
      {"find . -name '*.c' -exec grep -l x {} \\; | xargs -n1 echo", {"find", "xargs"}},
      {"awk '{ print $1; system(\"id\") }' f", {"awk"}},
      {"find . \\( -name a -o -name b \\) -print", {"find"}},
      {"grep -E '(a|b)' f | sed 's/(x)/\\1/'", {"grep", "sed"}},
      {"git log --format='%h %s' | head -n 3", {"git", "head"}},
      {"printf '%s\\n' \"${a[@]}\" \"${!m[@]}\" | sort -u >out", {"printf", "sort"}},
      {"usage() {\n  cat <<EOF\nUsage: $(basename \"$0\") [-h]\nEOF\n}\nusage",
       {"cat", "basename", "usage"}},
      {"\u00e9cho \u20ac; ls", {"\u00e9cho", "ls"}},
  };
  return rows;
}

bool accepted_by_bash(const std::string& text) {
  return test::run_bash({"-n", "-c", text}) == 0;
}

TEST(CommandParser, FindsTheCommandsOfOrdinaryTexts) {
  std::size_t compared = 0;
  for (const auto& row : ordinary()) {
    SCOPED_TRACE(row.text);
    if (!accepted_by_bash(row.text)) continue;
    ++compared;
    const ParsedText parsed = parse_commands(row.text);
    EXPECT_TRUE(parsed.understood);
    EXPECT_THAT(names(parsed), ElementsAreArray(row.commands));
  }
  EXPECT_EQ(compared, ordinary().size()) << "a row that bash does not accept compares nothing";
}

// Each of these makes bash run `touch m` from some corner of the grammar.
const std::vector<const char*>& running() {
  static const std::vector<const char*> texts = {
      "echo ok\ntouch m",
      "echo ok & touch m\nwait",
      "echo ok |& touch m",
      ": | touch m",
      "false || touch m",
      ": $(touch m)",
      ": `touch m`",
      ": \"${x:-$(touch m)}\"",
      ": $((a[$(touch m)]))",
      ": ${x:-`touch m`}",
      "cat <<E\n$(touch m)\nE",
      "cat <<-E\n\t`touch m`\n\tE",
      "cat <<A <<B\na\nA\n$(touch m)\nB",
      "cat <<E\na\\\nE\n$(touch m)\nE",
      "cat <<E\n${x:-'$(touch m)'}\nE",
      "cat <<E\n'$(touch m)'\nE",
      ": \"${x:-'$(touch m)'}\"",
      ": ${a['$(touch m)']}",
      "a['$(touch m)']=1",
      "(( '$(touch m)' ))",
      ": $[ $(touch m) ]",
      ": $(( '$(touch m)' ))",
      "x=$(touch m)",
      "a=(1 [2]=$(touch m) # c\n3)",
      "a[1 + 2]=$(touch m)",
      "cat <(touch m)",
      ": > >(touch m); wait",
      "touch\\\n m",
      "t\\ouch m",
      "'touch' m",
      "$'\\x74ouch' m",
      ">o touch m",
      "x=1 >o y=2 touch m",
      "{ touch m; } >/dev/null",
      "(touch m)",
      "((touch m); true)",
      ": $((touch m) | cat)",
      "! touch m",
      "!(touch m)",
      "time -p touch m",
      "coproc touch m; wait",
      "coproc { touch m; }; wait",
      "for i in 1; { touch m; }",
      "for ((i=0;i<1;i++)) { touch m; }",
      "case x in x) touch m;& y) ;; esac",
      "case esac in (esac) touch m;; esac",
      "if :; then touch m; fi",
      "while touch m; do break; done",
      "until touch m; do :; done",
      "[[ -n $(touch m) ]]",
      "[[ a =~ (a| b) ]] && touch m",
      "f() { touch m; }; f",
      "function f (touch m); f",
      "f() if :; then touch m; fi; f",
      "if :; then :; fi >$(touch m; echo /dev/null)",
      "cat <<<$(touch m)",
      "x=$(case a in a) touch m;; esac)",
      ": \"`: \\\"$(touch m)\\\"`\"",
      ": $(cat <<E\n$(touch m)\nE\n)",
      ": `: \\`touch m\\``",
      ": $\"$(touch m)\"",
      ": a#$(touch m)",
      "exec touch m",
      "exec -a x touch m",
      "command touch m",
      "command -p -- touch m",
      "eval 'touch m'",
      "eval touch m",
      "trap 'touch m' EXIT",
      "builtin eval 'touch m'",
      "cat ${x:-<(touch m)}",
      "declare x=$(touch m)",
      "export x=`touch m`",
      "select i in $(touch m); do break; done",
      ": \"a$(: \"b\" \")$(touch m)\")\"",
      "echo a;touch m",
      "touch m&wait",
      "/usr/bin/touch m",
      "/bin/touch m",
      "x=abc; : ${x/a/$(touch m)}",
      "x=abc; : ${x:$(touch m):1}",
      "x=abc; : ${x/b/$(touch m)}",
      "x=abc; : \"${x#$(touch m)}\"",
      ": $(($(touch m)1))",
      ": \"$(($(touch m)1))\"",
      "{ { { touch m; }; }; }",
      "if (touch m) then :; fi",
  };
  return texts;
}

// In each of these the same words are plain text.
const std::vector<const char*>& plain() {
  static const std::vector<const char*> texts = {
      "echo '$(touch m)'",          "echo '`touch m`'",
      "echo \"\\$(touch m)\"",      "echo $'$(touch m)'",
      "echo ok # $(touch m)",       "echo ok # ; touch m",
      "cat <<'E'\n$(touch m)\nE",   "cat <<\\E\n`touch m`\nE",
      "cat <<E\n\\$(touch m)\nE",   "cat <<E\ntouch m\nE",
      "echo ${x:-'$(touch m)'}",    "y=a; echo \"${y#'$(touch m)'}\"",
      "echo a\\;touch m",           "echo 'a\ntouch m'",
      "echo \"a;touch m\"",         "echo touch m",
      "command -v touch m",         "trap - touch m",
      "[[ touch == m ]]",           "case touch in m) ;; esac",
      "for touch in m; do :; done", "a=(touch m)",
      "echo \\`touch m\\`",         "x='touch m'",
      "cat <<E\n\\`touch m\\`\nE",
  };
  return texts;
}

// Whether bash, run in an empty directory, made the file m.
bool makes_the_file(const char* text) {
  std::string directory = testing::TempDir() + "marks.XXXXXX";
  if (mkdtemp(directory.data()) == nullptr) return false;
  test::run_bash({"-c", text}, directory);
  const bool made = std::filesystem::exists(directory + "/m");
  std::filesystem::remove_all(directory);
  return made;
}

bool names_touch(const char* text) {
  const auto found = names(parse_commands(text));
  return std::any_of(found.begin(), found.end(),
                     [](const std::string& name) { return name.ends_with("touch"); });
}

TEST(CommandParser, FindsWhateverBashRuns) {
  for (const char* text : running()) {
    EXPECT_TRUE(makes_the_file(text)) << text;
    EXPECT_TRUE(names_touch(text)) << text;
  }
}

TEST(CommandParser, PlainTextNamesNoCommand) {
  for (const char* text : plain()) {
    EXPECT_FALSE(makes_the_file(text)) << text;
    EXPECT_FALSE(names_touch(text)) << text;
  }
}

TEST(CommandParser, KeepsWhatItFoundBeforeAnError) {
  for (const char* text : {"id\n)", "id; fi", "id; (ls", "id; \"ls", "id; ls `wc", "id; ${x",
                           "id; ;; ls", "id &&", "id |", "id; [[ a", "id; case x in", "id; for",
                           "id; a=(1", "id; f() ls", "id; >", "id; ls <<"}) {
    const ParsedText parsed = parse_commands(text);
    EXPECT_FALSE(parsed.understood) << text;
    ASSERT_FALSE(parsed.commands.empty()) << text;
    EXPECT_EQ(parsed.commands[0].name, "id") << text;
    EXPECT_FALSE(accepted_by_bash(text) && std::string(text) != "id; ls <<") << text;
  }
}

TEST(CommandParser, FailureInsideTextReadAtRunTimeStopsNothing) {
  EXPECT_THAT(names(parse_commands("echo `(`; id")), testing::ElementsAre("echo", "id"));
  EXPECT_THAT(names(parse_commands("cat <<E\n$(\nE\nid")), testing::ElementsAre("cat", "id"));
  EXPECT_THAT(names(parse_commands("eval '('; id")), testing::ElementsAre("eval", "id"));
  EXPECT_FALSE(parse_commands("eval '('; id").understood);
}

TEST(CommandParser, NamesFunctions) {
  EXPECT_THAT(parse_commands("b() { :; }; function a { c() (:); }").functions,
              testing::ElementsAre("a", "b", "c"));
  EXPECT_TRUE(parse_commands("command f").commands[1].skips_functions);
  EXPECT_FALSE(parse_commands("f").commands[0].skips_functions);
}

std::string repeat(std::string_view part, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += part;
  return out;
}

TEST(CommandParser, DeepAndLongTextsEnd) {
  for (const char* part :
       {"(",       "((",        "$(",      "$((",         "${x:-", "\"${x:-", "`",          "{ ",
        "if ",     "f() ",      "coproc ", "function f ", "a=(",   "[[ ",     "case x in ", "<(",
        "$[",      "a[",        "eval ",   "! ",          "time ", "\\\n",    "<<E ",       "<<E\n",
        "'",       "\"",        "\\",      "$",           "| ",    "while ",  "for ((",     "@(",
        "echo @(", "[[ a =~ (", "$'\\",    "& "}) {
    const std::string text = repeat(part, 20000);
    const ParsedText parsed = parse_commands(text);
    EXPECT_LE(parsed.commands.size(), text.size()) << part;
  }
  const std::string many = repeat("ls $(id);", 10000);
  const ParsedText parsed = parse_commands(many);
  EXPECT_TRUE(parsed.understood);
  EXPECT_EQ(parsed.commands.size(), 20000U);
  EXPECT_FALSE(parse_commands(std::string(kMaxCommandText + 1, 'a')).understood);
}

TEST(CommandParser, ReadsAReasonableDepth) {
  EXPECT_TRUE(parse_commands(repeat("(", 40) + "id" + repeat(")", 40)).understood);
  EXPECT_TRUE(parse_commands(repeat("echo $(", 40) + "id" + repeat(")", 40)).understood);
  EXPECT_FALSE(parse_commands(repeat("{ ", 5000) + "id" + repeat("; }", 5000)).understood);
}

}  // namespace
}  // namespace cmcp::managers
