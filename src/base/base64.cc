#include "base/base64.h"

#include <array>
#include <cstdint>

namespace cmcp::base64 {
namespace {

constexpr std::string_view kStandard =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrl =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string encode_with(std::string_view bytes, std::string_view alphabet, bool pad) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < have ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k <= have; ++k) out.push_back(alphabet[group >> (18 - 6 * k) & 63U]);
    if (pad) out.append(3 - have, '=');
  }
  return out;
}

Result<std::string> decode_with(std::string_view text, std::string_view alphabet) {
  std::array<std::int8_t, 256> table{};
  table.fill(-1);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    table[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
  }
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const std::int8_t value = table[static_cast<unsigned char>(c)];
    if (value < 0) return Error(ErrorCode::kInvalidArgument, "not a base64 character");
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<char>(bits >> count & 0xFFU));
    }
  }
  if (count == 6 || (bits & ((1U << count) - 1)) != 0) {
    return Error(ErrorCode::kInvalidArgument, "base64 text ends in the middle of a byte");
  }
  return out;
}

}  // namespace

std::string encode(std::string_view bytes) {
  return encode_with(bytes, kStandard, true);
}
std::string encode_url(std::string_view bytes) {
  return encode_with(bytes, kUrl, false);
}

Result<std::string> decode(std::string_view text) {
  if (text.size() % 4 != 0) {
    return Error(ErrorCode::kInvalidArgument, "base64 text must have a length divisible by 4");
  }
  if (text.ends_with("==")) {
    text.remove_suffix(2);
  } else if (text.ends_with('=')) {
    text.remove_suffix(1);
  }
  return decode_with(text, kStandard);
}

Result<std::string> decode_url(std::string_view text) {
  return decode_with(text, kUrl);
}

}  // namespace cmcp::base64
