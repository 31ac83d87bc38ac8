#include "managers/file/text_codec.h"

#include <fmt/format.h>
#include <iconv.h>

#include <array>
#include <cerrno>
#include <map>

#include "base/scope_guard.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "managers/file/path_name.h"

namespace cmcp::file {
namespace {

constexpr std::string_view kSignature = "\xEF\xBB\xBF";

// Python's normal form of a name: lower case, runs of other characters become one underscore.
std::string normal_form(std::string_view name) {
  std::string out;
  for (const char c : to_lower(strip(name))) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
    if (word) {
      out.push_back(c);
    } else if (!out.empty() && out.back() != '_') {
      out.push_back('_');
    }
  }
  return out;
}

// Python's names (normal form, aliases included) to those of iconv, where no pattern below makes
// them.
const std::map<std::string, std::string, std::less<>>& table() {
  static const std::map<std::string, std::string, std::less<>> names = {
      {"big5", "BIG5"},
      {"big5_tw", "BIG5"},
      {"csbig5", "BIG5"},
      {"big5hkscs", "BIG5-HKSCS"},
      {"hkscs", "BIG5-HKSCS"},
      {"euc_jp", "EUC-JP"},
      {"eucjp", "EUC-JP"},
      {"ujis", "EUC-JP"},
      {"euc_kr", "EUC-KR"},
      {"euckr", "EUC-KR"},
      {"korean", "EUC-KR"},
      {"gb2312", "EUC-CN"},
      {"euc_cn", "EUC-CN"},
      {"chinese", "EUC-CN"},
      {"gbk", "GBK"},
      {"936", "GBK"},
      {"gb18030", "GB18030"},
      {"iso2022_jp", "ISO-2022-JP"},
      {"iso_2022_jp", "ISO-2022-JP"},
      {"iso2022_kr", "ISO-2022-KR"},
      {"iso_2022_kr", "ISO-2022-KR"},
      {"johab", "JOHAB"},
      {"koi8_r", "KOI8-R"},
      {"koi8_u", "KOI8-U"},
      {"koi8_t", "KOI8-T"},
      {"mac_roman", "MACINTOSH"},
      {"macroman", "MACINTOSH"},
      {"macintosh", "MACINTOSH"},
      {"mac_cyrillic", "MAC-CYRILLIC"},
      {"maccyrillic", "MAC-CYRILLIC"},
      {"ptcp154", "PT154"},
      {"pt154", "PT154"},
      {"shift_jis", "SHIFT_JIS"},
      {"shiftjis", "SHIFT_JIS"},
      {"sjis", "SHIFT_JIS"},
      {"s_jis", "SHIFT_JIS"},
      {"ms932", "CP932"},
      {"mskanji", "CP932"},
      {"ms_kanji", "CP932"},
      {"tis_620", "TIS-620"},
      {"thai", "ISO-8859-11"},
      {"cyrillic", "ISO-8859-5"},
      {"greek", "ISO-8859-7"},
      {"hebrew", "ISO-8859-8"},
      {"arabic", "ISO-8859-6"},
      {"latin2", "ISO-8859-2"},
      {"latin_2", "ISO-8859-2"},
      {"l2", "ISO-8859-2"},
      {"latin3", "ISO-8859-3"},
      {"latin4", "ISO-8859-4"},
      {"latin5", "ISO-8859-9"},
      {"latin6", "ISO-8859-10"},
      {"latin7", "ISO-8859-13"},
      {"latin8", "ISO-8859-14"},
      {"latin9", "ISO-8859-15"},
      {"latin_9", "ISO-8859-15"},
      {"latin10", "ISO-8859-16"},
      {"utf_7", "UTF-7"},
      {"utf7", "UTF-7"},
      {"u7", "UTF-7"},
      {"viscii", "VISCII"},
      {"hp_roman8", "HP-ROMAN8"},
      {"roman8", "HP-ROMAN8"},
  };
  return names;
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

// iconv's name for a single- or multi-byte encoding; "" when there is none.
std::string iconv_name(const std::string& name) {
  if (const auto found = table().find(name); found != table().end()) return found->second;
  for (const std::string_view prefix : {"cp", "windows_", "windows", "ibm", "cp_"}) {
    if (name.starts_with(prefix) && all_digits(std::string_view(name).substr(prefix.size()))) {
      return "CP" + name.substr(prefix.size());
    }
  }
  for (const std::string_view prefix : {"iso8859_", "iso_8859_", "iso8859", "8859_"}) {
    if (name.starts_with(prefix) && all_digits(std::string_view(name).substr(prefix.size()))) {
      return "ISO-8859-" + name.substr(prefix.size());
    }
  }
  if (all_digits(name)) return "CP" + name;
  return "";
}

// What is wrong with the ill-formed sequence at `at`, in Python's words.
struct Utf8Fault {
  std::size_t position;
  const char* reason;
};
Utf8Fault utf8_fault(std::string_view bytes) {
  std::size_t position = 0;
  for (bool valid = true; valid;) {
    valid = false;
    for (std::size_t length = 1; length <= 4 && position + length <= bytes.size(); ++length) {
      if (!utf8::is_valid(bytes.substr(position, length))) continue;
      position += length;
      valid = true;
      break;
    }
  }
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[position + i]); };
  const unsigned char lead = byte(0);
  if (lead < 0xC2 || lead > 0xF4) return {position, "invalid start byte"};
  const std::size_t need = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  const std::string_view rest = bytes.substr(position);
  if (rest.size() < need && utf8::incomplete_suffix(rest) == rest.size())
    return {position, "unexpected end of data"};
  return {position, "invalid continuation byte"};
}

Error cannot_decode(const std::string& name, std::string_view bytes, std::size_t position,
                    const std::string& reason) {
  return {ErrorCode::kInvalidArgument,
          fmt::format("'{}' codec can't decode byte 0x{:02x} in position {}: {}", name,
                      static_cast<unsigned char>(bytes[position]), position, reason)};
}

Error cannot_encode(const std::string& name, std::string_view text, std::size_t at,
                    const std::string& reason) {
  std::size_t length = 1;
  while (at + length < text.size() &&
         (static_cast<unsigned char>(text[at + length]) & 0xC0U) == 0x80U)
    ++length;
  char32_t value = static_cast<unsigned char>(text[at]);
  if (length > 1) {
    value &= 0xFFU >> (length + 1);
    for (std::size_t i = 1; i < length; ++i)
      value = (value << 6U) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  }
  return {ErrorCode::kInvalidArgument,
          fmt::format("'{}' codec can't encode character U+{:04X} in position {}: {}", name,
                      static_cast<std::uint32_t>(value), utf8::length(text.substr(0, at)), reason)};
}

struct Converted {
  std::string out;
  std::size_t consumed = 0;
  int error = 0;  // 0, EILSEQ or EINVAL
};

// Runs iconv over all of `in`. -1 as error: the pair of encodings is not known.
Converted convert(const char* to, const char* from, std::string_view in) {
  Converted result;
  const iconv_t handle = ::iconv_open(to, from);
  if (reinterpret_cast<std::intptr_t>(handle) == -1) {
    result.error = -1;
    return result;
  }
  const ScopeGuard close([&] { ::iconv_close(handle); });
  std::string input(in);
  char* source = input.data();
  std::size_t left = input.size();
  std::array<char, 16384> buffer{};
  for (bool flushing = false;;) {
    char* target = buffer.data();
    std::size_t room = buffer.size();
    const std::size_t done = flushing ? ::iconv(handle, nullptr, nullptr, &target, &room)
                                      : ::iconv(handle, &source, &left, &target, &room);
    const int error = done == static_cast<std::size_t>(-1) ? errno : 0;
    result.out.append(buffer.data(), buffer.size() - room);
    if (error == E2BIG) continue;
    if (error != 0) {
      result.error = error;
      break;
    }
    if (flushing) break;
    flushing = true;
  }
  result.consumed = in.size() - left;
  return result;
}

Result<std::string> decode_single(std::string_view bytes, bool ascii) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (byte >= 0x80 && ascii) return cannot_decode("ascii", bytes, i, "ordinal not in range(128)");
    utf8::append(out, byte);
  }
  return out;
}

Result<std::string> encode_single(std::string_view text, bool ascii) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      out.push_back(text[i]);
    } else if (!ascii && (byte == 0xC2 || byte == 0xC3)) {
      const auto low = static_cast<unsigned char>(text[++i]);
      out.push_back(static_cast<char>(((byte & 3U) << 6U) | (low & 0x3FU)));
    } else {
      return ascii ? cannot_encode("ascii", text, i, "ordinal not in range(128)")
                   : cannot_encode("latin-1", text, i, "ordinal not in range(256)");
    }
  }
  return out;
}

}  // namespace

Result<TextCodec> TextCodec::find(std::string_view python_name) {
  const Error unknown(ErrorCode::kInvalidArgument,
                      "unknown encoding: " + shown(python_name) +
                          " (use utf-8, another of Python's names, or base64)");
  if (python_name.size() > 40) return unknown;
  const std::string name = normal_form(python_name);
  using Names = std::initializer_list<std::string_view>;
  const auto is_one_of = [&](Names names) {
    for (const std::string_view candidate : names) {
      if (candidate == name) return true;
    }
    return false;
  };
  if (is_one_of({"utf_8", "utf8", "u8", "utf", "cp65001"}))
    return TextCodec(Kind::kUtf8, "utf-8", "");
  if (is_one_of({"utf_8_sig", "utf8_sig"})) return TextCodec(Kind::kUtf8Signature, "utf-8-sig", "");
  if (is_one_of({"ascii", "us_ascii", "646"})) return TextCodec(Kind::kAscii, "ascii", "");
  if (is_one_of({"latin_1", "latin1", "iso8859_1", "iso_8859_1", "iso8859", "8859", "cp819",
                 "latin", "l1", "ibm819"})) {
    return TextCodec(Kind::kLatin1, "latin-1", "");
  }
  for (const std::string_view bits : {"16", "32"}) {
    const std::string base = "utf_" + std::string(bits);
    const std::string plain = "UTF-" + std::string(bits);
    for (const std::string_view order : {"", "_le", "_be"}) {
      const std::string short_form = "utf" + std::string(bits) + std::string(order);
      if (name != base + std::string(order) && name != short_form) continue;
      const std::string suffix = order == "_le" ? "LE" : order == "_be" ? "BE" : "";
      return TextCodec(Kind::kWide,
                       "utf-" + std::string(bits) + (suffix.empty() ? "" : "-" + to_lower(suffix)),
                       plain + suffix);
    }
  }
  const std::string known = iconv_name(name);
  if (known.empty()) return unknown;
  const iconv_t probe = ::iconv_open("UTF-8", known.c_str());
  if (reinterpret_cast<std::intptr_t>(probe) == -1) return unknown;
  ::iconv_close(probe);
  return TextCodec(Kind::kOther, name, known);
}

Result<std::string> TextCodec::decode(std::string_view bytes) const {
  switch (kind_) {
    case Kind::kUtf8Signature:
    case Kind::kUtf8:
      if (!utf8::is_valid(bytes)) {
        const Utf8Fault fault = utf8_fault(bytes);
        return cannot_decode("utf-8", bytes, fault.position, fault.reason);
      }
      if (kind_ == Kind::kUtf8Signature && bytes.starts_with(kSignature))
        bytes.remove_prefix(kSignature.size());
      return std::string(bytes);
    case Kind::kAscii:
    case Kind::kLatin1:
      return decode_single(bytes, kind_ == Kind::kAscii);
    case Kind::kWide:
    case Kind::kOther:
      break;
  }
  Converted text = convert("UTF-8", iconv_name_.c_str(), bytes);
  if (text.error == 0) return std::move(text.out);
  const bool wide = kind_ == Kind::kWide;
  if (text.error == EINVAL) {
    return cannot_decode(name_, bytes, text.consumed,
                         wide ? "truncated data" : "incomplete multibyte sequence");
  }
  return cannot_decode(name_, bytes, text.consumed,
                       wide ? "illegal encoding" : "no character has these bytes");
}

Result<std::string> TextCodec::encode(std::string_view text, Mark mark) const {
  switch (kind_) {
    case Kind::kUtf8:
      return std::string(text);
    case Kind::kUtf8Signature:
      return (mark == Mark::kAsEncoding ? std::string(kSignature) : "") + std::string(text);
    case Kind::kAscii:
    case Kind::kLatin1:
      return encode_single(text, kind_ == Kind::kAscii);
    case Kind::kWide:
    case Kind::kOther:
      break;
  }
  // Little endian without a mark is what an appended piece of such a file looks like.
  const bool bare = mark == Mark::kNever && (iconv_name_ == "UTF-16" || iconv_name_ == "UTF-32");
  Converted bytes = convert((bare ? iconv_name_ + "LE" : iconv_name_).c_str(), "UTF-8", text);
  if (bytes.error == 0) {
    // iconv writes the mark with the first character only.
    if (text.empty() && mark == Mark::kAsEncoding && iconv_name_ == "UTF-16")
      return std::string("\xFF\xFE", 2);
    if (text.empty() && mark == Mark::kAsEncoding && iconv_name_ == "UTF-32")
      return std::string("\xFF\xFE\0\0", 4);
    return std::move(bytes.out);
  }
  return cannot_encode(name_, text, bytes.consumed, "the encoding does not have this character");
}

}  // namespace cmcp::file
