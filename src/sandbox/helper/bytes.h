// ByteWriter and ByteReader: the encoding of everything that server and launcher tell each other.
// Little-endian, every length is checked, a reader that met bad input stays failed and returns
// zeros and empty values.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace cmcp::sandbox {

class ByteWriter {
 public:
  template <std::unsigned_integral T>
  void number(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void flag(bool value) { number(static_cast<std::uint8_t>(value ? 1 : 0)); }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    bytes_.append(value);
  }
  void texts(const std::vector<std::string>& values) {
    number(static_cast<std::uint32_t>(values.size()));
    for (const auto& value : values) text(value);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <std::unsigned_integral T>
  T number() {
    T value = 0;
    if (rest_.size() < sizeof(T)) {
      fail();
      return 0;
    }
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return value;
  }
  bool flag() {
    const auto value = number<std::uint8_t>();
    if (value > 1) fail();
    return value == 1;
  }
  std::string text() {
    const auto size = number<std::uint32_t>();
    if (size > rest_.size()) {
      fail();
      return {};
    }
    std::string value(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return value;
  }
  // The number of elements that follow; fails when that many of at least `element_size` bytes
  // cannot be there, so that nobody reserves memory for a lie.
  std::uint32_t count(std::size_t element_size = 1) {
    const auto value = number<std::uint32_t>();
    if (value > rest_.size() / element_size) {
      fail();
      return 0;
    }
    return value;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> values(count(sizeof(std::uint32_t)));
    for (auto& value : values) value = text();
    return values;
  }
  void fail() {
    failed_ = true;
    rest_ = {};
  }
  // True when nothing failed and nothing is left over.
  bool complete() const { return !failed_ && rest_.empty(); }
  bool failed() const { return failed_; }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace cmcp::sandbox
