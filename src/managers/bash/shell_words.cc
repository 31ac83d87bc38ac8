// Words and quotes.
#include <algorithm>
#include <charconv>

#include "base/utf8.h"
#include "managers/bash/shell_parser.h"

namespace cmcp::managers {
namespace {

// Notes what makes the value of an unquoted word a matter of run time: globs, braces, a home
// directory.
class RuntimeMarks {
 public:
  void see(char c, bool first) {
    if (c == '*' || c == '?' || (c == '~' && first)) certain_ = true;
    if (c == '[') bracket_ = true;
    if (c == ']' && bracket_) certain_ = true;
    if (c == '{') brace_ = true;
    if (brace_ && (c == ',' || (c == '.' && previous_ == '.'))) list_ = true;
    if (c == '}' && list_) certain_ = true;
    previous_ = c;
  }
  bool any() const { return certain_; }

 private:
  bool certain_ = false;
  bool bracket_ = false;
  bool brace_ = false;
  bool list_ = false;
  char previous_ = '\0';
};

bool opens_pattern(char previous) {
  return previous == '?' || previous == '*' || previous == '+' || previous == '@' ||
         previous == '!';
}

// The value of up to `digits` digits of `base` at `at`; `at` moves behind them. Nothing when there
// is none.
std::optional<unsigned> take_number(std::string_view text, std::size_t& at, std::size_t digits,
                                    int base) {
  const char* first = text.data() + at;
  const char* last = first + std::min(digits, text.size() - at);
  unsigned value = 0;
  const auto [end, error] = std::from_chars(first, last, value, base);
  if (error != std::errc{}) return std::nullopt;
  at += static_cast<std::size_t>(end - first);
  return value;
}

void append_code_point(std::string& out, unsigned value) {
  const bool valid = value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
  utf8::append(out, valid ? static_cast<char32_t>(value) : char32_t{0xFFFD});
}

// The meaning of the escape whose letter is at `at` (behind the backslash) inside $'…'; `at` moves
// behind it.
void decode_escape(std::string_view text, std::size_t& at, std::string& out) {
  static constexpr std::string_view kLetters = "abeEfnrtv\\'\"?";
  static constexpr std::string_view kValues = "\a\b\x1b\x1b\f\n\r\t\v\\'\"?";
  const char c = text[at];
  if (c >= '0' && c <= '7') {
    const auto value = take_number(text, at, 3, 8);
    out += static_cast<char>(value.value_or(0) & 0xFFU);
    return;
  }
  ++at;
  if (const std::size_t known = kLetters.find(c); known != std::string_view::npos) {
    out += kValues[known];
  } else if (c == 'c' && at < text.size()) {
    out += static_cast<char>(static_cast<unsigned char>(text[at++]) & 0x1FU);
  } else if (c == 'x' || c == 'u' || c == 'U') {
    const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : 8;
    const auto value = take_number(text, at, digits, 16);
    if (!value) {
      out += {'\\', c};
    } else if (c == 'x') {
      out += static_cast<char>(*value & 0xFFU);
    } else {
      append_code_point(out, *value);
    }
  } else {
    out += {'\\', c};
  }
}

}  // namespace

// Reads a word up to an unquoted metacharacter. At a metacharacter it reads nothing and the
// position stays.
bool ShellParser::parse_word(WordKind kind, ShellWord& word) {
  bool array = false;
  if (!parse_assignment_prefix(kind, word, array)) return false;
  if (array) return true;
  const bool groups =
      kind == WordKind::kPattern || kind == WordKind::kRegex || kind == WordKind::kArgument;
  RuntimeMarks marks;
  std::size_t open = 0;  // parentheses of a pattern
  char previous = '\0';
  for (const std::size_t start = pos_; !at_end();) {
    const char c = peek();
    if ((c == '<' || c == '>') && peek(1) == '(' && open == 0) {
      pos_ += 2;
      word.literal = false;
      if (!parse_command_substitution()) return false;
    } else if (groups && c == '(' &&
               (open > 0 || kind == WordKind::kRegex || opens_pattern(previous))) {
      ++open;
      ++pos_;
      word.literal = false;
    } else if (open > 0 && c == ')') {
      --open;
      ++pos_;
    } else if (is_metacharacter(c) && open == 0 &&
               !(kind == WordKind::kRegex && c == '|' && peek(1) != '|')) {
      break;
    } else if (c == '\\' || c == '\'' || c == '"' || c == '$' || c == '`') {
      if (!parse_word_part(c, word)) return false;
      previous = '\0';
      continue;
    } else {
      marks.see(c, pos_ == start);
      word.text += c;
      ++pos_;
    }
    previous = c;
  }
  if (marks.any()) word.literal = false;
  return open == 0;
}

// A backslash, a quoted part or an expansion.
bool ShellParser::parse_word_part(char c, ShellWord& word) {
  switch (c) {
    case '\'':
      return parse_single_quotes(word);
    case '"':
      return parse_double_quotes(word);
    case '$':
      return parse_dollar(false, word);
    case '`':
      word.literal = false;
      return parse_backquotes(false);
    default:
      break;
  }
  if (pos_ + 1 >= text_.size()) {
    word.text += '\\';
    ++pos_;
    return true;
  }
  if (peek(1) != '\n') {
    word.text += peek(1);
    word.quoted = true;
  }
  pos_ += 2;
  return true;
}

// NAME=, NAME+= and NAME[…]= in front of the rest of the word; `array` when the value is a whole
// (…) list.
bool ShellParser::parse_assignment_prefix(WordKind kind, ShellWord& word, bool& array) {
  if (kind == WordKind::kPattern || kind == WordKind::kRegex || !is_name_start(peek())) return true;
  std::size_t end = pos_;
  while (end < text_.size() && is_name_character(text_[end])) ++end;
  const auto assigns = [this](std::size_t at) -> std::size_t {
    if (at < text_.size() && text_[at] == '=') return 1;
    return text_.substr(at, 2) == "+=" ? 2 : 0;
  };
  if (end < text_.size() && text_[end] == '[' && kind != WordKind::kArgument) {
    pos_ = end;
    if (!parse_subscript()) return false;
    word.literal = false;
    end = pos_;
    if (assigns(end) == 0) return true;
  }
  const std::size_t sign = assigns(end);
  if (sign == 0) return true;
  word.assignment = true;
  word.text += text_.substr(pos_, end + sign - pos_);
  pos_ = end + sign;
  array = peek() == '(';
  return !array || parse_array();
}

bool ShellParser::parse_array() {
  const DepthGuard guard(state_);
  if (!guard.ok()) return false;
  ++pos_;
  for (;;) {
    skip_newlines();
    if (at_end()) return false;
    if (peek() == ')') {
      ++pos_;
      return true;
    }
    const std::size_t start = pos_;
    if (peek() == '[' && !parse_subscript()) return false;
    ShellWord element;
    if (!parse_word(WordKind::kArgument, element) || pos_ == start) return false;
  }
}

bool ShellParser::parse_single_quotes(ShellWord& word) {
  const std::size_t close = text_.find('\'', pos_ + 1);
  if (close == std::string_view::npos) return false;
  word.text += text_.substr(pos_ + 1, close - pos_ - 1);
  word.quoted = true;
  pos_ = close + 1;
  return true;
}

// $'…', with the position on the quote.
bool ShellParser::parse_ansi_quotes(ShellWord& word) {
  word.quoted = true;
  for (++pos_; !at_end();) {
    const char c = peek();
    if (c == '\'') {
      ++pos_;
      return true;
    }
    ++pos_;
    if (c == '\\' && !at_end()) {
      decode_escape(text_, pos_, word.text);
    } else {
      word.text += c;
    }
  }
  return false;
}

bool ShellParser::parse_double_quotes(ShellWord& word) {
  word.quoted = true;
  for (++pos_; !at_end();) {
    const char c = peek();
    if (c == '"') {
      ++pos_;
      return true;
    }
    if (c == '\\' && pos_ + 1 < text_.size()) {
      const char next = peek(1);
      if (next != '$' && next != '`' && next != '"' && next != '\\' && next != '\n') word.text += c;
      if (next != '\n') word.text += next;
      pos_ += 2;
    } else if (c == '$') {
      if (!parse_dollar(true, word)) return false;
    } else if (c == '`') {
      word.literal = false;
      if (!parse_backquotes(true)) return false;
    } else {
      word.text += c;
      ++pos_;
    }
  }
  return false;
}

}  // namespace cmcp::managers
