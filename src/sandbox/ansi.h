// Removes ANSI escape sequences (ECMA-48) from text that arrives in pieces.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cmcp::sandbox {

// CSI, OSC, DCS and the other string sequences, and two-character escapes go; everything else stays
// as it is. A string sequence that does not end within kMaxString bytes or on its line was none:
// its text comes out again (without ESC), so that one stray ESC cannot hide what follows.
class AnsiStripper {
 public:
  static constexpr std::size_t kMaxString = 4096;

  // Appends to `out` what remains of `text` (well-formed UTF-8, cut at character borders).
  void append(std::string_view text, std::string& out);
  // The end of the text: an unfinished string sequence comes out, any other unfinished sequence is
  // dropped.
  void finish(std::string& out);
  // True when no sequence has begun: text without ESC passes unchanged.
  bool idle() const { return state_ == State::kText; }

 private:
  enum class State { kText, kEscape, kControl, kString, kStringEscape };
  void step(char c, std::string& out);
  void step_escape(char c, std::string& out);
  void step_control(char c, std::string& out);
  void step_string(char c, std::string& out);
  void give_up(std::string& out);

  State state_ = State::kText;
  std::string held_;  // the string sequence so far, without its ESC
};

}  // namespace cmcp::sandbox
