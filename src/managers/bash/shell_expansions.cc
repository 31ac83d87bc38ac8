// Expansions, and the matching of brackets that decides how far text that is read at run time goes.
#include <algorithm>
#include <utility>

#include "managers/bash/shell_parser.h"

namespace cmcp::managers {
namespace {

constexpr std::string_view kSpecialParameters = "@*#?-$!";

}  // namespace

// Accounts for bytes that are looked at again. False when the text has used its share up.
bool ShellParser::spend(std::size_t bytes) {
  if (bytes > state_.work_left) {
    state_.work_left = 0;
    state_.understood = false;
    return false;
  }
  state_.work_left -= bytes;
  return true;
}

// Commands that bash reads from `inner` at run time.
void ShellParser::parse_inner(std::string_view inner) {
  if (!spend(inner.size()) || !ShellParser(inner, state_).parse_text()) state_.understood = false;
}

// Expansions inside `inner`, which bash reads as if it were in double quotes.
bool ShellParser::scan_inner(std::string_view inner) {
  return spend(inner.size()) && ShellParser(inner, state_).scan_expansions();
}

bool ShellParser::scan_expansions() {
  const DepthGuard guard(state_);
  if (!guard.ok()) return false;
  ShellWord ignored;
  while (!at_end()) {
    const char c = peek();
    if (c == '\\') {
      pos_ = std::min(pos_ + 2, text_.size());
    } else if (c == '$') {
      if (!parse_dollar(true, ignored)) return false;
    } else if (c == '`') {
      if (!parse_backquotes(false)) return false;
    } else {
      ++pos_;
    }
  }
  return true;
}

// With the position on the dollar sign. `in_quotes`: inside double quotes or what is read like
// them.
bool ShellParser::parse_dollar(bool in_quotes, ShellWord& word) {
  const DepthGuard guard(state_);
  if (!guard.ok()) return false;
  ++pos_;
  const char c = peek();
  if (!in_quotes && c == '\'') return parse_ansi_quotes(word);
  if (!in_quotes && c == '"') return parse_double_quotes(word);
  if (c == '(') {
    word.literal = false;
    if (at("((")) {
      const std::size_t close = find_close(pos_ + 2, '(', ')');
      if (close == std::string_view::npos) return false;
      if (close + 1 < text_.size() && text_[close + 1] == ')') return parse_arithmetic_command();
    }
    ++pos_;
    return parse_command_substitution();
  }
  if (c == '{') {
    word.literal = false;
    ++pos_;
    return parse_parameter(in_quotes);
  }
  if (c == '[') {
    word.literal = false;
    return parse_subscript();
  }
  if (is_name_start(c)) {
    word.literal = false;
    while (is_name_character(peek())) ++pos_;
    return true;
  }
  if (!at_end() &&
      ((c >= '0' && c <= '9') || kSpecialParameters.find(c) != std::string_view::npos)) {
    word.literal = false;
    ++pos_;
    return true;
  }
  word.text += '$';
  return true;
}

// A list up to its closing parenthesis. Here-documents that wait outside stay outside.
bool ShellParser::parse_command_substitution() {
  auto outer = std::exchange(pending_, {});
  const bool list = parse_list() && expect(')');
  pending_ = std::move(outer);
  return list;
}

// Behind `${`: the name, a subscript, and the word of the operator.
bool ShellParser::parse_parameter(bool in_quotes) {
  if (peek() == '!' || (peek() == '#' && peek(1) != '}')) ++pos_;
  if (is_name_character(peek())) {
    while (is_name_character(peek())) ++pos_;
  } else if (!at_end() && kSpecialParameters.find(peek()) != std::string_view::npos) {
    ++pos_;
  }
  if (peek() == '[' && !parse_subscript()) return false;
  // Inside double quotes, single quotes quote only behind the operators that take a pattern.
  const bool takes_pattern =
      !at_end() && std::string_view("#%/^,").find(peek()) != std::string_view::npos;
  return parse_parameter_word(in_quotes, in_quotes && !takes_pattern);
}

bool ShellParser::parse_parameter_word(bool in_quotes, bool soft_quotes) {
  ShellWord ignored;
  while (!at_end()) {
    const char c = peek();
    if (c == '}') {
      ++pos_;
      return true;
    }
    if (c == '\'') {
      const std::size_t start = pos_ + 1;
      if (!parse_single_quotes(ignored)) return false;
      // Soft quotes keep a brace from closing, but what they hold is still expanded.
      if (soft_quotes && !scan_inner(text_.substr(start, pos_ - 1 - start)))
        state_.understood = false;
    } else if (c == '\\' || c == '"' || c == '`') {
      if (!parse_word_part(c, ignored)) return false;
    } else if (c == '$') {
      if (!parse_dollar(in_quotes, ignored)) return false;
    } else if (!in_quotes && (c == '<' || c == '>') && peek(1) == '(') {
      pos_ += 2;
      if (!parse_command_substitution()) return false;
    } else {
      ++pos_;
    }
  }
  return false;
}

// `…`: bash removes one level of backslashes and reads the rest when it runs.
bool ShellParser::parse_backquotes(bool in_quotes) {
  std::string inner;
  for (++pos_; !at_end(); ++pos_) {
    const char c = peek();
    if (c == '`') {
      ++pos_;
      parse_inner(inner);
      return true;
    }
    if (c == '\\' && pos_ + 1 < text_.size()) {
      const char next = peek(1);
      const bool removed = next == '`' || next == '$' || next == '\\' || (in_quotes && next == '"');
      if (!removed) inner += c;
      inner += next;
      ++pos_;
    } else {
      inner += c;
    }
  }
  return false;
}

// `[…]` of an array element or of the old arithmetic form $[…].
bool ShellParser::parse_subscript() {
  const std::size_t close = find_close(pos_ + 1, '[', ']');
  if (close == std::string_view::npos) return false;
  const bool inner = scan_inner(text_.substr(pos_ + 1, close - pos_ - 1));
  pos_ = close + 1;
  return inner;
}

// Where the bracket that was opened just before `from` is closed, with respect to quotes and to
// what is nested; npos when it is not. A look-ahead: the position stays.
std::size_t ShellParser::find_close(std::size_t from, char open, char close) {
  std::string closers(1, close);
  std::size_t at = from;
  for (; at < text_.size(); ++at) {
    const char c = text_[at];
    const char next = at + 1 < text_.size() ? text_[at + 1] : '\0';
    const char top = closers.back();
    if (c == '\\') {
      ++at;
    } else if (c == top) {
      closers.pop_back();
      if (closers.empty()) break;
    } else if (top == '`') {
      continue;
    } else if (c == '$' && (next == '(' || next == '{')) {
      closers += next == '(' ? ')' : '}';
      ++at;
    } else if (c == '`') {
      closers += '`';
    } else if (top == '"') {
      continue;
    } else if (c == '"') {
      closers += '"';
    } else if (c == '\'') {
      at = text_.find('\'', at + 1);
      if (at == std::string_view::npos) break;
    } else if (c == '(' && top == ')') {
      closers += ')';
    } else if (c == open && top == close) {
      closers += close;
    }
  }
  const bool found = closers.empty();
  if (!spend((found ? at : text_.size()) - from)) return std::string_view::npos;
  return found ? at : std::string_view::npos;
}

}  // namespace cmcp::managers
