// What a stdio client may send: any bytes are cut into lines, parsed and classified. The result
// does not depend on the pieces that the bytes arrive in, and what was parsed is written as one
// line that reads the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"
#include "mcp/jsonrpc.h"
#include "transport/line_splitter.h"

using cmcp::mcp::MessageKind;

namespace {

constexpr std::size_t kMaxLine = 1024;

void require(bool holds) {
  if (!holds) std::abort();
}

// The lines, and "" with a newline (which no line has) for each that was too long.
std::vector<std::string> split(std::string_view bytes, std::size_t piece) {
  std::vector<std::string> lines;
  cmcp::transport::LineSplitter splitter(kMaxLine,
                                         {[&](std::string_view line) { lines.emplace_back(line); },
                                          [&] { lines.emplace_back("\n"); }});
  for (std::size_t at = 0; at < bytes.size(); at += piece) splitter.feed(bytes.substr(at, piece));
  splitter.finish();
  return lines;
}

void classify(const cmcp::json::Value& value) {
  const cmcp::mcp::Message message = cmcp::mcp::classify(value);
  require((message.kind == MessageKind::kInvalid) == !message.problem.empty());
  require((message.kind == MessageKind::kInvalid) == (message.error_code != 0));
  if (message.kind != MessageKind::kRequest) return;
  require(!cmcp::mcp::id_key(message.id).empty());
  require(cmcp::json::parse(cmcp::json::write(cmcp::mcp::result_response(message.id, {}))).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> lines = split(bytes, size + 1);
  require(lines == split(bytes, 7));
  for (const std::string& line : lines) {
    require(line == "\n" || line.size() <= kMaxLine);
    const auto value = cmcp::json::parse(line, {kMaxLine, 16});
    if (!value.ok()) continue;
    const std::string written = cmcp::json::write(*value);
    require(written.find('\n') == std::string::npos);
    const auto again = cmcp::json::parse(written);
    require(again.ok() && *again == *value);
    classify(*value);
    if (const auto* batch = value->if_array())
      for (const auto& message : *batch) classify(message);
  }
  return 0;
}
