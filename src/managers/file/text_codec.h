// TextCodec: text in one of Python's encodings, by Python's names ("latin-1", "utf_8_sig",
// "cp1252"), decoded and encoded strictly. The text on our side is UTF-8; line endings and other
// characters are never changed.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cmcp::file {

class TextCodec {
 public:
  // kInvalidArgument "unknown encoding: X". "base64" is none of these: it stands for raw bytes and
  // is handled by the callers.
  static Result<TextCodec> find(std::string_view python_name);

  // kInvalidArgument in Python's words: 'utf-8' codec can't decode byte 0xff in position 3: invalid
  // start byte. A byte order mark is taken off by utf-8-sig, utf-16 and utf-32 and kept by all
  // others, as in Python.
  Result<std::string> decode(std::string_view bytes) const;

  // `text` is well-formed UTF-8. kInvalidArgument: 'ascii' codec can't encode character U+00E9 in
  // position 3: … Marks are written by utf-8-sig, utf-16 and utf-32, but not for text that is
  // appended to a file.
  enum class Mark { kAsEncoding, kNever };
  Result<std::string> encode(std::string_view text, Mark mark = Mark::kAsEncoding) const;

  // True when a zero byte is a normal part of text (UTF-16 and UTF-32).
  bool has_zero_bytes() const { return kind_ == Kind::kWide; }
  bool is_utf8() const { return kind_ == Kind::kUtf8 || kind_ == Kind::kUtf8Signature; }

 private:
  enum class Kind { kUtf8, kUtf8Signature, kAscii, kLatin1, kWide, kOther };
  TextCodec(Kind kind, std::string name, std::string iconv_name)
      : kind_(kind), name_(std::move(name)), iconv_name_(std::move(iconv_name)) {}
  Kind kind_;
  std::string name_;        // as Python prints it
  std::string iconv_name_;  // for kWide and kOther
};

}  // namespace cmcp::file
