#include "sandbox/output_capture.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/omission_line.h"
#include "base/utf8.h"

namespace cmcp::sandbox {
namespace {

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
// Raw bytes are held back up to this much before a file is begun: most outputs never need one.
constexpr std::size_t kHeldBack = std::size_t{256} << 10U;

bool is_plain_ascii(std::string_view bytes) {
  std::uint64_t seen = 0;
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, 8);
    seen |= word;
  }
  for (; i < bytes.size(); ++i) seen |= static_cast<unsigned char>(bytes[i]);
  return (seen & 0x8080808080808080U) == 0;
}

bool is_character_start(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

// The bytes of the first `chars` characters of well-formed text that fit in `bytes`.
struct Prefix {
  std::size_t bytes = 0;
  std::size_t chars = 0;
};
Prefix prefix_of(std::string_view text, std::size_t chars, std::size_t bytes) {
  Prefix out;
  std::size_t at = 0;
  while (at < text.size() && out.chars < chars) {
    std::size_t next = at + 1;
    while (next < text.size() && !is_character_start(text[next])) ++next;
    if (next > bytes) break;
    at = next;
    ++out.chars;
  }
  out.bytes = at;
  return out;
}

// Where the last `chars` characters of well-formed text that fit in `bytes` begin.
std::size_t suffix_start(std::string_view text, std::size_t chars, std::size_t bytes) {
  std::size_t start = text.size();
  std::size_t count = 0;
  for (std::size_t i = text.size(); i > 0 && count < chars && text.size() - (i - 1) <= bytes; --i) {
    if (is_character_start(text[i - 1])) {
      start = i - 1;
      ++count;
    }
  }
  return start;
}

// Without a budget for the text, `keep` bounds it; a keep of 0 or of gigabytes is no sensible bound
// for memory.
std::size_t memory_bound(const OutputBudget& budget) {
  const std::uint64_t keep = budget.keep.count == 0 ? Bytes::mebi(16).count : budget.keep.count;
  return static_cast<std::size_t>(std::min(keep, Bytes::mebi(64).count));
}

}  // namespace

OutputCapture::OutputCapture(OutputBudget budget, KeptOutputs* kept, std::string call_id,
                             std::string stream_name)
    : kept_(kept),
      call_id_(std::move(call_id)),
      stream_(std::move(stream_name)),
      keep_limit_(budget.keep.count) {
  const bool limited = budget.max_chars != 0;
  const std::size_t keep = memory_bound(budget);
  head_.chars_left = limited ? budget.max_chars - budget.max_chars / 2 : kNoLimit;
  head_.bytes_left = limited ? kNoLimit : keep - keep / 2;
  tail_.max_chars = limited ? budget.max_chars / 2 : kNoLimit;
  tail_.max_bytes = limited ? tail_.max_chars * 4 : keep / 2;
}

std::string OutputCapture::append(std::string_view bytes) {
  total_bytes_ += bytes.size();
  keep(bytes);
  std::string clean = decode(bytes);
  store(clean);
  return clean;
}

std::string OutputCapture::decode(std::string_view bytes) {
  if (partial_.empty() && ansi_.idle() && is_plain_ascii(bytes) &&
      bytes.find('\x1B') == std::string_view::npos) {
    return std::string(bytes);
  }
  std::string joined = std::move(partial_);
  joined.append(bytes);
  partial_ = joined.substr(joined.size() - utf8::incomplete_suffix(joined));
  joined.resize(joined.size() - partial_.size());
  utf8::Sanitized decoded = utf8::sanitize(joined);
  invalid_bytes_ += decoded.invalid_bytes;
  if (ansi_.idle() && decoded.text.find('\x1B') == std::string::npos)
    return std::move(decoded.text);
  std::string clean;
  clean.reserve(decoded.text.size());
  ansi_.append(decoded.text, clean);
  return clean;
}

void OutputCapture::store(std::string_view clean) {
  clean_bytes_ += clean.size();
  tail_.add(head_.take(clean));
}

CapturedStream OutputCapture::finish() {
  std::string rest;
  if (!partial_.empty()) {
    const utf8::Sanitized last = utf8::sanitize(partial_);
    invalid_bytes_ += last.invalid_bytes;
    ansi_.append(last.text, rest);
  }
  ansi_.finish(rest);
  store(rest);
  tail_.trim();

  CapturedStream out;
  out.total_bytes = total_bytes_;
  out.invalid_bytes = invalid_bytes_;
  out.omitted_bytes = clean_bytes_ - head_.text.size() - tail_.text.size();
  out.truncated = out.omitted_bytes != 0;
  out.text = std::move(head_.text);
  if (!out.truncated) {
    if (keeping_) kept_->discard(call_id_, stream_);
    out.text += tail_.text;
    return out;
  }
  if (!keeping_ && !keep_stopped_) keep({});
  if (keeping_) {
    out.kept_uri = KeptOutputs::uri(call_id_, stream_);
    out.kept_bytes = kept_bytes_;
  }
  if (!out.text.empty() && out.text.back() != '\n') out.text += '\n';
  out.text +=
      omission_line(out.omitted_bytes, out.kept_uri, kept_bytes_ < total_bytes_ ? kept_bytes_ : 0);
  out.text += '\n';
  out.text += tail_.text;
  return out;
}

// Holds raw bytes back until it is likely that something is left out, then writes them to the file
// from the beginning.
void OutputCapture::keep(std::string_view bytes) {
  if (kept_ == nullptr || keep_stopped_) return;
  const bool overflowing = head_.full && tail_.text.size() >= tail_.max_chars;
  if (!keeping_ && !overflowing && !bytes.empty() && unkept_.size() + bytes.size() <= kHeldBack) {
    unkept_.append(bytes);
    return;
  }
  for (std::string_view part : {std::string_view(unkept_), bytes}) {
    part = part.substr(0, static_cast<std::size_t>(
                              std::min<std::uint64_t>(part.size(), keep_limit_ - kept_bytes_)));
    if (part.empty() || keep_stopped_) continue;
    const Result<std::uint64_t> written = kept_->append(call_id_, stream_, part);
    kept_bytes_ += written.ok() ? *written : 0;
    keeping_ = keeping_ || (written.ok() && *written > 0);
    keep_stopped_ = !written.ok() || *written < part.size();
  }
  keep_stopped_ = keep_stopped_ || kept_bytes_ >= keep_limit_;
  unkept_ = std::string();
}

std::string_view OutputCapture::Head::take(std::string_view clean) {
  if (full) return clean;
  const Prefix part = prefix_of(clean, chars_left, bytes_left);
  text.append(clean.substr(0, part.bytes));
  if (chars_left != kNoLimit) chars_left -= part.chars;
  if (bytes_left != kNoLimit) bytes_left -= part.bytes;
  full = part.bytes < clean.size() || chars_left == 0 || bytes_left == 0;
  return clean.substr(part.bytes);
}

void OutputCapture::Tail::add(std::string_view clean) {
  if (clean.size() > max_bytes) clean.remove_prefix(clean.size() - max_bytes);
  while (!clean.empty() && !is_character_start(clean.front())) clean.remove_prefix(1);
  text.append(clean);
  if (text.size() > 2 * max_bytes) trim();
}

void OutputCapture::Tail::trim() {
  text.erase(0, suffix_start(text, max_chars, max_bytes));
}

}  // namespace cmcp::sandbox
