#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <vector>

#include "json/json.h"

namespace cmcp::json {
namespace {

bool needs_escape(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
}

void append_escape(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '\\';
  switch (c) {
    case '"':
    case '\\':
      out += c;
      return;
    case '\b':
      out += 'b';
      return;
    case '\f':
      out += 'f';
      return;
    case '\n':
      out += 'n';
      return;
    case '\r':
      out += 'r';
      return;
    case '\t':
      out += 't';
      return;
    default: {
      const auto byte = static_cast<unsigned char>(c);
      out += "u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    }
  }
}

void append_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t plain = 0;  // where the run of characters that need no escape began
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!needs_escape(text[i])) continue;
    out.append(text, plain, i - plain);
    append_escape(out, text[i]);
    plain = i + 1;
  }
  out.append(text, plain);
  out += '"';
}

template <class Number>
std::string_view digits(Number number, std::array<char, 32>& buffer) {
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return {buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data())};
}

void append_double(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";  // JSON has no other word for it
    return;
  }
  std::array<char, 32> buffer;
  const std::string_view text = digits(number, buffer);
  out += text;
  // A double stays one for readers that tell 3.0 from 3.
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void append_scalar(std::string& out, const Value& value) {
  std::array<char, 32> buffer;
  switch (value.kind()) {
    case boost::json::kind::null:
      out += "null";
      return;
    case boost::json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      return;
    case boost::json::kind::int64:
      out += digits(value.get_int64(), buffer);
      return;
    case boost::json::kind::uint64:
      out += digits(value.get_uint64(), buffer);
      return;
    case boost::json::kind::double_:
      append_double(out, value.get_double());
      return;
    case boost::json::kind::string:
      append_string(out, view(value.get_string()));
      return;
    case boost::json::kind::array:
    case boost::json::kind::object:
      return;  // Writer opens them
  }
}

// Writes one value. Arrays and objects that are open lie on a stack of its own, so the depth of a
// value costs heap, never the thread's stack.
class Writer {
 public:
  std::string write(const Value& value) {
    begin(value);
    while (!open_.empty()) step();
    return std::move(out_);
  }

 private:
  struct Open {
    const Array* array;    // one of the two
    const Object* object;  //
    std::size_t next = 0;
  };

  void begin(const Value& value) {
    if (const Array* array = value.if_array()) {
      out_ += '[';
      open_.push_back({array, nullptr});
    } else if (const Object* object = value.if_object()) {
      out_ += '{';
      open_.push_back({nullptr, object});
    } else {
      append_scalar(out_, value);
    }
  }

  // Writes the next element of the innermost open value, or closes it.
  void step() {
    Open& open = open_.back();
    const std::size_t size = open.array != nullptr ? open.array->size() : open.object->size();
    if (open.next == size) {
      out_ += open.array != nullptr ? ']' : '}';
      open_.pop_back();
      return;
    }
    if (open.next > 0) out_ += ',';
    const std::size_t index = open.next++;
    if (open.array != nullptr) {
      begin((*open.array)[index]);
      return;
    }
    const auto& member = open.object->begin()[index];
    append_string(out_, {member.key().data(), member.key().size()});
    out_ += ':';
    begin(member.value());
  }

  std::string out_;
  std::vector<Open> open_;
};

}  // namespace

std::string write(const Value& value) {
  return Writer().write(value);
}

}  // namespace cmcp::json
