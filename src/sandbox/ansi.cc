#include "sandbox/ansi.h"

namespace cmcp::sandbox {
namespace {

constexpr char kEsc = '\x1B';
constexpr char kBell = '\x07';

bool in_range(char c, char low, char high) {
  return c >= low && c <= high;
}

}  // namespace

void AnsiStripper::append(std::string_view text, std::string& out) {
  while (!text.empty()) {
    if (state_ == State::kText) {
      const std::size_t run = text.find(kEsc);
      out.append(text.substr(0, run));
      if (run == std::string_view::npos) return;
      text.remove_prefix(run);
    }
    step(text.front(), out);
    text.remove_prefix(1);
  }
}

void AnsiStripper::finish(std::string& out) {
  if (state_ == State::kString || state_ == State::kStringEscape) give_up(out);
  state_ = State::kText;
}

void AnsiStripper::step(char c, std::string& out) {
  switch (state_) {
    case State::kText:
      if (c == kEsc) {
        state_ = State::kEscape;
      } else {
        out.push_back(c);
      }
      return;
    case State::kEscape:
      step_escape(c, out);
      return;
    case State::kControl:
      step_control(c, out);
      return;
    case State::kString:
      step_string(c, out);
      return;
    case State::kStringEscape:
      if (c == '\\') {
        held_.clear();
        state_ = State::kText;
      } else {  // an ESC that does not end the string begins a new sequence
        give_up(out);
        state_ = State::kEscape;
        step_escape(c, out);
      }
      return;
  }
}

void AnsiStripper::step_escape(char c, std::string& out) {
  if (c == '[') {
    state_ = State::kControl;
  } else if (c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_') {
    held_.assign(1, c);
    state_ = State::kString;
  } else if (in_range(c, ' ', '/')) {
    // Intermediate characters: the final one is still to come.
  } else if (in_range(c, '0', '~')) {
    state_ = State::kText;
  } else {
    state_ = State::kText;
    step(c, out);
  }
}

void AnsiStripper::step_control(char c, std::string& out) {
  if (in_range(c, ' ', '?')) return;  // parameters and intermediates
  state_ = State::kText;
  if (!in_range(c, '@', '~')) step(c, out);
}

void AnsiStripper::step_string(char c, std::string& out) {
  if (c == kBell) {
    held_.clear();
    state_ = State::kText;
  } else if (c == kEsc) {
    state_ = State::kStringEscape;
  } else {
    held_.push_back(c);
    if (c == '\n' || held_.size() > kMaxString) give_up(out);
  }
}

void AnsiStripper::give_up(std::string& out) {
  out.append(held_);
  held_.clear();
  state_ = State::kText;
}

}  // namespace cmcp::sandbox
