#include "mcp/progress.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "mcp/jsonrpc.h"

namespace cmcp::mcp {
namespace {

constexpr std::size_t kMaxCharacters = 200;
// Longer lines are cut at the front part before they are made readable: escape sequences may take
// some of it.
constexpr std::size_t kMaxLineBytes = 2048;

// The index behind the escape sequence that begins at text[at] == ESC (ECMA-48: CSI, OSC and other
// strings, two bytes).
std::size_t skip_escape(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return text.size();
  const char kind = text[at + 1];
  std::size_t next = at + 2;
  if (kind == '[') {
    while (next < text.size() && (text[next] < '@' || text[next] > '~')) ++next;
    return std::min(next + 1, text.size());
  }
  if (kind == ']' || kind == 'P' || kind == '_' || kind == '^' || kind == 'X') {
    while (next < text.size() && text[next] != '\a') {
      if (text[next] == '\x1b') return std::min(next + 2, text.size());
      ++next;
    }
    return std::min(next + 1, text.size());
  }
  return next;
}

}  // namespace

std::string readable_line(std::string_view bytes) {
  bytes = bytes.substr(0, utf8::cut_point(bytes, kMaxLineBytes));
  const std::string text = utf8::sanitize(bytes).text;
  std::string line;
  std::size_t characters = 0;
  std::size_t at = 0;
  while (at < text.size() && characters < kMaxCharacters) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == 0x1B) {
      at = skip_escape(text, at);
      continue;
    }
    std::size_t size = 1;
    while (at + size < text.size() &&
           (static_cast<unsigned char>(text[at + size]) & 0xC0U) == 0x80U)
      ++size;
    const bool control = byte < 0x20 || byte == 0x7F ||
                         (byte == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0);
    if (byte == '\t') {
      line += ' ';
      ++characters;
    } else if (!control) {
      line.append(text, at, size);
      ++characters;
    }
    at += size;
  }
  const std::size_t end = line.find_last_not_of(' ');
  line.resize(end == std::string::npos ? 0 : end + 1);
  return line;
}

ProgressReporter::ProgressReporter(net::Reactor& reactor, ProgressPace pace, json::Value token,
                                   bool with_message, std::shared_ptr<Exchange> exchange)
    : timer_(reactor),
      pace_(pace),
      token_(std::move(token)),
      with_message_(with_message),
      exchange_(std::move(exchange)),
      started_(std::chrono::steady_clock::now()),
      sent_(started_ - pace.gap) {}

void ProgressReporter::start() {
  schedule();
}

void ProgressReporter::stop() {
  stopped_ = true;
  timer_.cancel();
}

void ProgressReporter::output(std::string_view bytes) {
  if (stopped_) return;
  bool fresh = false;
  while (!bytes.empty()) {
    // A carriage return ends a line as well: programs redraw their progress with it.
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::string_view piece = bytes.substr(0, end);
    if (partial_.size() < kMaxLineBytes)
      partial_.append(piece.substr(0, kMaxLineBytes - partial_.size()));
    if (end == std::string_view::npos) break;
    if (partial_.find_first_not_of(" \t") != std::string::npos) {
      last_line_ = std::move(partial_);
      fresh = true;
    }
    partial_.clear();
    bytes.remove_prefix(end + 1);
  }
  if (fresh && !fresh_) {
    fresh_ = true;
    schedule();
  }
}

// Sets the timer for what is due next: the new line once the gap is over, else the sign of life.
void ProgressReporter::schedule() {
  const auto now = std::chrono::steady_clock::now();
  const auto due_at = fresh_ ? sent_ + pace_.gap : std::max(sent_, started_) + pace_.interval;
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(due_at - now);
  timer_.start(std::max(wait, std::chrono::milliseconds(0)), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->due();
  });
}

void ProgressReporter::due() {
  if (stopped_) return;
  send();
}

// The exchange may end the call from inside notify(): everything is in order before it is called.
void ProgressReporter::send() {
  json::Object params;
  params["progressToken"] = token_;
  params["progress"] = ++count_;
  if (with_message_) params["message"] = message();
  fresh_ = false;
  sent_ = std::chrono::steady_clock::now();
  schedule();
  const std::shared_ptr<Exchange> exchange = exchange_;
  exchange->notify(notification("notifications/progress", std::move(params)));
}

std::string ProgressReporter::message() const {
  std::string line = fresh_ ? readable_line(last_line_) : "";
  if (!line.empty()) return line;
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - started_);
  return "running for " + std::to_string(seconds.count()) + " s";
}

}  // namespace cmcp::mcp
