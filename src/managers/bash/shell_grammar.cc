// Lists, pipelines and compound commands.
#include <array>
#include <utility>

#include "managers/bash/shell_parser.h"

namespace cmcp::managers {
namespace {

// Words that end a list where a command could begin.
bool closes_list(std::string_view word) {
  static constexpr std::array<std::string_view, 8> kClosing = {"then", "do",   "done", "fi",
                                                               "elif", "else", "esac", "}"};
  for (const auto closing : kClosing) {
    if (word == closing) return true;
  }
  return false;
}

}  // namespace

bool is_metacharacter(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == ';' || c == '&' || c == '|' || c == '(' ||
         c == ')' || c == '<' || c == '>';
}
bool is_name_start(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_name_character(char c) {
  return is_name_start(c) || (c >= '0' && c <= '9');
}

// Blanks, continued lines, and a comment: called only where a token may begin.
void ShellParser::skip_blanks() {
  while (!at_end()) {
    if (is_blank(peek())) {
      ++pos_;
    } else if (at("\\\n")) {
      pos_ += 2;
    } else if (peek() == '#') {
      while (!at_end() && peek() != '\n') ++pos_;
    } else {
      return;
    }
  }
}

void ShellParser::skip_newlines() {
  for (skip_blanks(); peek() == '\n' && !at_end(); skip_blanks()) consume_newline();
}

void ShellParser::consume_newline() {
  ++pos_;
  if (!pending_.empty()) read_here_documents();
}

// The unquoted word at the position if it can be a reserved word, else "". `end` gets the position
// behind it.
std::string ShellParser::peek_reserved(std::size_t* end) const {
  constexpr std::size_t kLongest = 8;  // "function"
  std::string word;
  std::size_t at = pos_;
  while (at < text_.size() && !is_metacharacter(text_[at])) {
    const char c = text_[at];
    if (c == '\\' && at + 1 < text_.size() && text_[at + 1] == '\n') {
      at += 2;
      continue;
    }
    const bool possible =
        (c >= 'a' && c <= 'z') || c == '!' || c == '{' || c == '}' || c == '[' || c == ']';
    if (!possible || word.size() == kLongest) return {};
    word += c;
    ++at;
  }
  if (end != nullptr) *end = at;
  return word;
}

bool ShellParser::take_reserved(std::string_view word) {
  std::size_t end = 0;
  if (peek_reserved(&end) != word) return false;
  pos_ = end;
  return true;
}

bool ShellParser::expect_word(std::string_view word) {
  skip_newlines();
  return take_reserved(word);
}

bool ShellParser::expect(char c) {
  if (at_end() || peek() != c) return false;
  ++pos_;
  return true;
}

bool ShellParser::parse_text() {
  const DepthGuard guard(state_);
  return guard.ok() && parse_list() && at_end();
}

// Commands up to the end of the text, a closing parenthesis, a case terminator or a closing word;
// the caller looks which.
bool ShellParser::parse_list() {
  const DepthGuard guard(state_);
  if (!guard.ok()) return false;
  for (;;) {
    skip_newlines();
    if (at_end() || peek() == ')' || at(";;") || at(";&")) return true;
    if (closes_list(peek_reserved())) return true;
    if (!parse_and_or()) return false;
    skip_blanks();
    if (at_end() || peek() == ')' || at(";;") || at(";&")) return true;
    if (peek() == '\n') continue;
    if (peek() != ';' && peek() != '&') return closes_list(peek_reserved());
    ++pos_;
  }
}

bool ShellParser::parse_and_or() {
  for (;;) {
    if (!parse_pipeline()) return false;
    skip_blanks();
    if (!at("&&") && !at("||")) return true;
    pos_ += 2;
    skip_newlines();
  }
}

// `!` and `time [-p] [--]`. True when there was one.
bool ShellParser::skip_pipeline_prefix() {
  bool any = false;
  for (;;) {
    skip_blanks();
    if (take_reserved("!")) {
      any = true;
    } else if (take_reserved("time")) {
      any = true;
      for (skip_blanks(); at("-p") || at("--"); skip_blanks()) {
        if (pos_ + 2 < text_.size() && !is_metacharacter(peek(2))) break;
        pos_ += 2;
      }
    } else {
      return any;
    }
  }
}

bool ShellParser::parse_pipeline() {
  for (;;) {
    const bool prefixed = skip_pipeline_prefix();
    const bool nothing_follows =
        at_end() || peek() == '\n' || peek() == ';' || peek() == ')' || peek() == '&';
    if (!(prefixed && nothing_follows && !at("&>")) && !parse_command()) return false;
    skip_blanks();
    if (peek() != '|' || at("||")) return true;
    pos_ += at("|&") ? 2 : 1;
    skip_newlines();
  }
}

bool ShellParser::parse_command() {
  skip_blanks();
  if (const auto compound = parse_compound()) return *compound && parse_redirections();
  return parse_simple();
}

// Nothing when no compound command begins here.
std::optional<bool> ShellParser::parse_compound() {
  const DepthGuard guard(state_);
  if (!guard.ok()) return false;
  if (peek() == '(') return parse_parenthesis();
  std::size_t end = 0;
  const std::string word = peek_reserved(&end);
  if (word.empty()) return std::nullopt;
  const std::size_t start = std::exchange(pos_, end);
  if (word == "{") return parse_list() && expect_word("}");
  if (word == "if") return parse_if();
  if (word == "while" || word == "until") return parse_loop();
  if (word == "for") return parse_for(true);
  if (word == "select") return parse_for(false);
  if (word == "case") return parse_case();
  if (word == "[[") return parse_conditional();
  if (word == "function") return parse_function_keyword();
  if (word == "coproc") return parse_coproc();
  pos_ = start;
  return std::nullopt;
}

// `((…))` is arithmetic when its parentheses match at once, else nested subshells: the rule of
// bash.
bool ShellParser::parse_parenthesis() {
  if (!at("((")) return parse_subshell();
  const std::size_t close = find_close(pos_ + 2, '(', ')');
  if (close == std::string_view::npos) return false;
  return close + 1 < text_.size() && text_[close + 1] == ')' ? parse_arithmetic_command()
                                                             : parse_subshell();
}

bool ShellParser::parse_arithmetic_command() {
  const std::size_t close = find_close(pos_ + 2, '(', ')');
  if (close == std::string_view::npos || close + 1 >= text_.size() || text_[close + 1] != ')')
    return false;
  const bool inner = scan_inner(text_.substr(pos_ + 2, close - pos_ - 2));
  pos_ = close + 2;
  return inner;
}

bool ShellParser::parse_subshell() {
  ++pos_;
  return parse_list() && expect(')');
}

bool ShellParser::parse_if() {
  for (;;) {
    if (!parse_list() || !expect_word("then") || !parse_list()) return false;
    if (take_reserved("elif")) continue;
    if (take_reserved("else") && !parse_list()) return false;
    return take_reserved("fi");
  }
}

bool ShellParser::parse_loop() {
  return parse_list() && expect_word("do") && parse_list() && expect_word("done");
}

bool ShellParser::parse_for(bool arithmetic_allowed) {
  skip_blanks();
  if (arithmetic_allowed && at("((")) {
    if (!parse_arithmetic_command()) return false;
    skip_blanks();
    if (peek() == ';') ++pos_;
    return parse_loop_body();
  }
  ShellWord name;
  if (!parse_word(WordKind::kArgument, name) || name.text.empty()) return false;
  skip_newlines();
  if (take_reserved("in")) {
    for (skip_blanks(); !at_end() && peek() != '\n' && peek() != ';'; skip_blanks()) {
      const std::size_t start = pos_;
      ShellWord word;
      if (!parse_word(WordKind::kArgument, word) || pos_ == start) return false;
    }
  }
  if (peek() == ';') ++pos_;
  return parse_loop_body();
}

bool ShellParser::parse_loop_body() {
  skip_newlines();
  if (take_reserved("{")) return parse_list() && expect_word("}");
  return take_reserved("do") && parse_list() && expect_word("done");
}

bool ShellParser::parse_case() {
  skip_blanks();
  const std::size_t start = pos_;
  ShellWord subject;
  if (!parse_word(WordKind::kArgument, subject) || pos_ == start || !expect_word("in"))
    return false;
  for (;;) {
    skip_newlines();
    if (take_reserved("esac")) return true;
    if (!parse_case_item()) return false;
    if (at(";;&")) {
      pos_ += 3;
    } else if (at(";;") || at(";&")) {
      pos_ += 2;
    } else {
      return take_reserved("esac");
    }
  }
}

bool ShellParser::parse_case_item() {
  if (peek() == '(') ++pos_;
  for (;;) {
    skip_blanks();
    const std::size_t start = pos_;
    ShellWord pattern;
    if (!parse_word(WordKind::kPattern, pattern) || pos_ == start) return false;
    skip_blanks();
    if (peek() != '|') break;
    ++pos_;
  }
  return expect(')') && parse_list();
}

// The inside of [[ … ]]: no command begins in it but in expansions.
bool ShellParser::parse_conditional() {
  for (;;) {
    skip_newlines();
    if (at_end()) return false;
    if (take_reserved("]]")) return true;
    const char c = peek();
    if (at("&&") || at("||")) {
      pos_ += 2;
    } else if (c == '(' || c == ')' || ((c == '<' || c == '>') && peek(1) != '(')) {
      ++pos_;
    } else {
      const std::size_t start = pos_;
      ShellWord word;
      if (!parse_word(WordKind::kPattern, word) || pos_ == start) return false;
      if (word.quoted || word.text != "=~") continue;
      skip_blanks();
      ShellWord regex;
      if (!parse_word(WordKind::kRegex, regex)) return false;
    }
  }
}

bool ShellParser::parse_function_keyword() {
  skip_blanks();
  ShellWord name;
  if (!parse_word(WordKind::kCommand, name) || name.text.empty()) return false;
  skip_blanks();
  if (peek() == '(') {
    const std::size_t start = pos_++;
    skip_blanks();
    if (peek() == ')') {
      ++pos_;
    } else {
      pos_ = start;  // the body is a subshell
    }
  }
  return parse_function_body(std::move(name.text));
}

bool ShellParser::parse_function_body(std::string name) {
  state_.functions.insert(std::move(name));
  skip_newlines();
  const auto body = parse_compound();
  return body.has_value() && *body && parse_redirections();
}

// `coproc [NAME] compound` or `coproc simple`: NAME is one only when a compound command follows.
bool ShellParser::parse_coproc() {
  skip_blanks();
  if (const auto compound = parse_compound()) return *compound;
  std::size_t end = pos_;
  while (end < text_.size() && is_name_character(text_[end])) ++end;
  const std::size_t start = pos_;
  if (end > pos_ && end < text_.size() && is_blank(text_[end])) {
    pos_ = end;
    skip_blanks();
    if (const auto compound = parse_compound()) return *compound;
    pos_ = start;
  }
  return parse_simple();
}

}  // namespace cmcp::managers
