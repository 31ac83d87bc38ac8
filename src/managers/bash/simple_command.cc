// Simple commands: assignments, redirections, the command word, and what exec, command, builtin,
// eval and trap run.
#include <algorithm>
#include <array>
#include <utility>

#include "managers/bash/shell_parser.h"

namespace cmcp::managers {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool all_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_digit);
}

// Builtins whose arguments may be assignments (`local x=(a b)`).
bool declares(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kDeclaring = {
      "declare", "typeset", "local", "export", "readonly", "alias", "eval", "let"};
  return std::find(kDeclaring.begin(), kDeclaring.end(), name) != kDeclaring.end();
}

// Follows the words of one simple command and notes every command that they name.
class CommandWords {
 public:
  explicit CommandWords(ParseState& state) : state_(state) {}

  bool has_command() const { return has_command_; }
  bool declaring() const { return declaring_; }

  void add(ShellWord word) {
    if (!has_command_) {
      if (word.assignment) return;
      has_command_ = true;
      if (word.literal) name_command(word.text, false);
      return;
    }
    switch (runs_) {
      case Runs::kNothing:
        return;
      case Runs::kEval:
        return add_eval(word);
      case Runs::kTrap:
        if (arguments_.size() < 3) arguments_.push_back(std::move(word));
        return;
      case Runs::kArgument:
        return add_argument(word);
    }
  }

  // The text that eval or trap will run, when it is known.
  std::optional<std::string> inner_text() const {
    if (runs_ == Runs::kEval && eval_known_) return eval_;
    if (runs_ == Runs::kTrap) return trap_text();
    return std::nullopt;
  }

 private:
  enum class Runs { kNothing, kArgument, kEval, kTrap };

  void name_command(const std::string& name, bool skips_functions) {
    if (name.empty()) return;
    state_.commands.push_back({name, skips_functions});
    declaring_ = declares(name);
    runner_ = name;
    skip_next_ = false;
    if (name == "exec" || name == "command" || name == "builtin") {
      runs_ = Runs::kArgument;
    } else if (name == "eval") {
      runs_ = Runs::kEval;
    } else if (name == "trap") {
      runs_ = Runs::kTrap;
    } else {
      runs_ = Runs::kNothing;
    }
  }

  // A word behind exec, command or builtin: an option, or the command that they run.
  void add_argument(const ShellWord& word) {
    if (std::exchange(skip_next_, false)) return;
    if (!word.literal) {
      runs_ = Runs::kNothing;
      return;
    }
    if (word.text.size() > 1 && word.text.front() == '-') {
      if (word.text == "--") return;
      if (runner_ == "command" && word.text.find_first_of("vV") != std::string::npos)
        runs_ = Runs::kNothing;
      // exec -a NAME: the name is the next word unless it follows in this one.
      if (runner_ == "exec" && word.text.find('a') == word.text.size() - 1) skip_next_ = true;
      return;
    }
    name_command(word.text, true);
  }

  void add_eval(const ShellWord& word) {
    if (!eval_begun_ && word.text == "--") return;
    if (eval_begun_) eval_ += ' ';
    eval_begun_ = true;
    eval_ += word.text;
    eval_known_ = eval_known_ && word.literal;
  }

  // `trap ACTION SIGNAL…`; with a number or `-` first it resets signals.
  std::optional<std::string> trap_text() const {
    const std::size_t first = !arguments_.empty() && arguments_[0].text == "--" ? 1 : 0;
    if (arguments_.size() < first + 2) return std::nullopt;
    const ShellWord& action = arguments_[first];
    if (!action.literal || action.text.starts_with('-') || all_digits(action.text))
      return std::nullopt;
    return action.text;
  }

  ParseState& state_;
  bool has_command_ = false;
  bool declaring_ = false;
  bool skip_next_ = false;
  Runs runs_ = Runs::kNothing;
  std::string runner_;
  bool eval_begun_ = false;
  bool eval_known_ = true;  // every word of eval is literal
  std::string eval_;
  std::vector<ShellWord> arguments_;  // of trap
};

}  // namespace

bool ShellParser::parse_simple() {
  CommandWords words(state_);
  bool any = false;
  for (;;) {
    skip_blanks();
    if (at_end()) break;
    if (at_redirection()) {
      if (!parse_redirection()) return false;
      any = true;
      continue;
    }
    const char c = peek();
    if (c == '\n' || c == ';' || c == '&' || c == '|' || c == ')') break;
    const std::size_t start = pos_;
    const WordKind kind = !words.has_command() ? WordKind::kCommand
                          : words.declaring()  ? WordKind::kAssignable
                                               : WordKind::kArgument;
    ShellWord word;
    if (!parse_word(kind, word) || pos_ == start) return false;
    if (!any && !word.assignment) {
      skip_blanks();
      if (peek() == '(') {
        ++pos_;
        skip_blanks();
        return word.literal && expect(')') && parse_function_body(std::move(word.text));
      }
    }
    any = true;
    words.add(std::move(word));
  }
  if (any) {
    // Charged several times over: a text of nothing but eval would be read once per word.
    constexpr std::size_t kCost = 8;
    const auto inner = words.inner_text();
    if (inner && spend(inner->size() * kCost)) parse_inner(*inner);
  }
  return any;
}

bool ShellParser::at_redirection() const {
  if (at("&>")) return true;
  std::size_t at = pos_;
  if (peek() == '{') {
    ++at;
    while (at < text_.size() && is_name_character(text_[at])) ++at;
    if (at == pos_ + 1 || at >= text_.size() || text_[at] != '}') return false;
    ++at;
  } else {
    while (at < text_.size() && is_digit(text_[at])) ++at;
  }
  if (at >= text_.size() || (text_[at] != '<' && text_[at] != '>')) return false;
  return at + 1 >= text_.size() || text_[at + 1] != '(';  // <(…) and >(…) are words
}

bool ShellParser::parse_redirections() {
  for (skip_blanks(); !at_end() && at_redirection(); skip_blanks()) {
    if (!parse_redirection()) return false;
  }
  return true;
}

bool ShellParser::parse_redirection() {
  static constexpr std::array<std::string_view, 11> kOperators = {
      "&>>", "&>", "<<<", "<&", "<>", ">>", ">&", ">|", "<<", "<", ">"};
  while (peek() != '<' && peek() != '>' && peek() != '&') ++pos_;  // the descriptor
  for (const auto op : kOperators) {
    if (!at(op)) continue;
    pos_ += op.size();
    if (op == "<<") return parse_here_document();
    break;
  }
  skip_blanks();
  const std::size_t start = pos_;
  ShellWord target;
  return parse_word(WordKind::kArgument, target) && pos_ != start;
}

// The delimiter behind `<<`: quotes are removed, nothing is expanded. The body follows at the next
// newline.
bool ShellParser::parse_here_document() {
  HereDocument document;
  if (peek() == '-') {
    document.strip_tabs = true;
    ++pos_;
  }
  skip_blanks();
  const std::size_t start = pos_;
  ShellWord word;
  while (!at_end() && !is_metacharacter(peek())) {
    const char c = peek();
    if (c == '\'') {
      if (!parse_single_quotes(word)) return false;
    } else if (c == '"') {
      const std::size_t close = text_.find('"', pos_ + 1);
      if (close == std::string_view::npos) return false;
      word.quoted = true;
      word.text += text_.substr(pos_ + 1, close - pos_ - 1);
      pos_ = close + 1;
    } else if (c == '\\') {
      const bool continued = peek(1) == '\n';
      if (!continued) word.quoted = true;
      if (!continued && pos_ + 1 < text_.size()) word.text += peek(1);
      pos_ = std::min(pos_ + 2, text_.size());
    } else {
      word.text += c;
      ++pos_;
    }
  }
  if (pos_ == start) return false;
  document.delimiter = std::move(word.text);
  document.quoted = word.quoted;
  pending_.push_back(std::move(document));
  return true;
}

// The bodies of the line that has just ended, in the order of their operators.
void ShellParser::read_here_documents() {
  for (const auto& document : std::exchange(pending_, {})) {
    const std::string body = read_here_document(document);
    if (document.quoted || !spend(body.size())) continue;
    if (!ShellParser(body, state_).scan_expansions()) state_.understood = false;
  }
}

std::string ShellParser::read_here_document(const HereDocument& document) {
  std::string body;
  std::string joined;  // a logical line: an unquoted body joins a line that ends with a backslash
                       // to the next
  std::string_view line;
  while (take_line(line)) {
    if (document.strip_tabs && joined.empty())
      line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
    joined += line;
    const std::size_t last = joined.find_last_not_of('\\');
    const std::size_t backslashes = joined.size() - (last == std::string::npos ? 0 : last + 1);
    if (!document.quoted && backslashes % 2 == 1) {
      joined.pop_back();
      continue;
    }
    if (joined == document.delimiter) return body;
    body += joined;
    body += '\n';
    joined.clear();
  }
  return body + joined;
}

bool ShellParser::take_line(std::string_view& line) {
  if (at_end()) return false;
  const std::size_t end = std::min(text_.find('\n', pos_), text_.size());
  line = text_.substr(pos_, end - pos_);
  pos_ = std::min(end + 1, text_.size());
  return true;
}

}  // namespace cmcp::managers
