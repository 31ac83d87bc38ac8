// The reader behind parse_commands: a recursive descent over bash's grammar that keeps only what it
// needs to know where commands begin. Used by command_parser.cc alone.
//
// Every method that returns bool returns false when the text is not understood from there on;
// reading then stops. Text that bash itself reads only at run time (backquotes, here-document
// bodies, arithmetic, eval) is read by a parser of its own, whose failure does not stop the outer
// one.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "managers/bash/command_parser.h"

namespace cmcp::managers {

// What a text and the texts inside it share.
struct ParseState {
  std::vector<FoundCommand> commands;
  std::set<std::string> functions;
  bool understood = true;
  int depth = 0;
  std::size_t work_left = 0;  // bytes that may still be looked at a second time
};

// One shell word after quote removal.
struct ShellWord {
  std::string text;
  bool literal = true;      // false: the value is known only at run time
  bool quoted = false;      // some part was quoted
  bool assignment = false;  // NAME=…, NAME+=…, NAME[…]=…
};

class ShellParser {
 public:
  ShellParser(std::string_view text, ParseState& state) : text_(text), state_(state) {}

  // Reads the whole text as a list of commands.
  bool parse_text();
  // Reads the whole text as bash reads a here-document body or an arithmetic expression: only
  // expansions count.
  bool scan_expansions();

 private:
  enum class WordKind { kCommand, kArgument, kAssignable, kPattern, kRegex };
  struct HereDocument {
    std::string delimiter;
    bool strip_tabs = false;
    bool quoted = false;
  };

  // shell_grammar.cc: lists, pipelines, compound commands.
  bool parse_list();
  bool parse_and_or();
  bool parse_pipeline();
  bool skip_pipeline_prefix();
  bool parse_command();
  std::optional<bool> parse_compound();
  bool parse_parenthesis();
  bool parse_subshell();
  bool parse_arithmetic_command();
  bool parse_if();
  bool parse_loop();
  bool parse_for(bool arithmetic_allowed);
  bool parse_loop_body();
  bool parse_case();
  bool parse_case_item();
  bool parse_conditional();
  bool parse_function_keyword();
  bool parse_function_body(std::string name);
  bool parse_coproc();
  bool expect_word(std::string_view word);
  bool expect(char c);

  // simple_command.cc: words, assignments, redirections of one simple command.
  bool parse_simple();
  bool at_redirection() const;
  bool parse_redirection();
  bool parse_redirections();
  bool parse_here_document();
  void read_here_documents();
  std::string read_here_document(const HereDocument& document);
  bool take_line(std::string_view& line);

  // shell_words.cc: words and quotes.
  bool parse_word(WordKind kind, ShellWord& word);
  bool parse_word_part(char c, ShellWord& word);
  bool parse_assignment_prefix(WordKind kind, ShellWord& word, bool& array);
  bool parse_array();
  bool parse_single_quotes(ShellWord& word);
  bool parse_ansi_quotes(ShellWord& word);
  bool parse_double_quotes(ShellWord& word);

  // shell_expansions.cc: $…, `…`, <(…), and the matching of brackets.
  bool parse_dollar(bool in_quotes, ShellWord& word);
  bool parse_command_substitution();
  bool parse_parameter(bool in_quotes);
  bool parse_parameter_word(bool in_quotes, bool soft_quotes);
  bool parse_backquotes(bool in_quotes);
  bool parse_subscript();
  std::size_t find_close(std::size_t from, char open, char close);
  bool scan_inner(std::string_view inner);
  void parse_inner(std::string_view inner);
  bool spend(std::size_t bytes);

  // Position.
  bool at_end() const { return pos_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0';
  }
  bool at(std::string_view what) const { return text_.substr(pos_, what.size()) == what; }
  void skip_blanks();
  void skip_newlines();
  void consume_newline();
  std::string peek_reserved(std::size_t* end = nullptr) const;
  bool take_reserved(std::string_view word);

  std::string_view text_;
  ParseState& state_;
  std::size_t pos_ = 0;
  std::vector<HereDocument> pending_;
};

// Counts nesting while it lives; ok() is false beyond kMaxCommandDepth.
class DepthGuard {
 public:
  explicit DepthGuard(ParseState& state) : state_(state) { ++state_.depth; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;
  ~DepthGuard() { --state_.depth; }
  bool ok() const { return state_.depth <= kMaxCommandDepth; }

 private:
  ParseState& state_;
};

// Character classes of the shell.
inline bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
bool is_metacharacter(char c);
bool is_name_start(char c);
bool is_name_character(char c);

}  // namespace cmcp::managers
