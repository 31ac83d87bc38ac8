#include "transport/line_splitter.h"

#include <utility>

namespace cmcp::transport {
namespace {

// A buffer that one large message needed is not kept for the life of the connection.
constexpr std::size_t kKeptCapacity = 1U << 20U;

std::string_view without_carriage_return(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

}  // namespace

LineSplitter::LineSplitter(std::size_t max_line_bytes, Sink sink)
    : max_(max_line_bytes), sink_(std::move(sink)) {}

void LineSplitter::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    piece(bytes.substr(0, newline));
    if (newline == std::string_view::npos) return;
    end_line();
    bytes.remove_prefix(newline + 1);
  }
}

void LineSplitter::finish() {
  if (!partial_.empty() || skipping_) end_line();
}

void LineSplitter::piece(std::string_view bytes) {
  if (skipping_) return;
  if (bytes.size() > max_ - partial_.size()) {
    skipping_ = true;
    partial_ = std::string();
    sink_.too_long();
    return;
  }
  partial_.append(bytes);
}

void LineSplitter::end_line() {
  if (!std::exchange(skipping_, false)) sink_.line(without_carriage_return(partial_));
  if (partial_.capacity() > kKeptCapacity) {
    partial_ = std::string();
  } else {
    partial_.clear();
  }
}

}  // namespace cmcp::transport
