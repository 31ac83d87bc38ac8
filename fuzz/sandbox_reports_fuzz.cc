// What comes from within sandboxes, and what the kernel says of them in words that they choose:
// records of init, the probe's lines, /proc/PID/stat and maps, and the output itself. The readers
// take any bytes and keep their promises about the result.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "os/proc.h"
#include "sandbox/helper/init_records.h"
#include "sandbox/helper/run_files.h"
#include "sandbox/output_capture.h"
#include "sandbox/probe.h"

namespace sandbox = cmcp::sandbox;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// The records one behind the other, each with the length in its first byte.
void records(std::string_view bytes) {
  sandbox::wire::Ended ended;
  bool heard = false;
  while (!bytes.empty()) {
    const auto size = static_cast<std::uint8_t>(bytes[0]);
    const auto record = bytes.substr(1, size);
    bytes.remove_prefix(1 + record.size());
    const bool before = heard;
    const auto kind = ended.kind;
    (void)sandbox::take_init_record(record, ended, heard);
    require(heard || !before);  // what was heard stays heard
    // A failure is never taken back by a later record.
    if (before && kind == sandbox::wire::Ended::Kind::kFailed) require(ended.kind == kind);
  }
  const auto again = sandbox::wire::decode_ended(sandbox::wire::encode(ended));
  require(again.ok());
}

void probe(std::string_view bytes) {
  const std::vector<sandbox::Layer> layers(std::begin(sandbox::kLayers),
                                           std::end(sandbox::kLayers));
  const auto reports = sandbox::parse_probe_output(bytes, layers);
  require(reports.size() == layers.size());
  for (const auto& report : reports) require(cmcp::utf8::is_valid(report.detail));
}

void output(std::string_view bytes) {
  sandbox::OutputBudget budget;
  budget.max_chars = 64;
  budget.keep = cmcp::Bytes{0};
  sandbox::OutputCapture capture(budget, nullptr, "call", "stdout");
  const std::size_t half = bytes.size() / 2;
  require(cmcp::utf8::is_valid(capture.append(bytes.substr(0, half))));
  require(cmcp::utf8::is_valid(capture.append(bytes.substr(half))));
  const auto stream = capture.finish();
  require(cmcp::utf8::is_valid(stream.text));
  require(stream.total_bytes == bytes.size());
  require(stream.text.size() < 1024);
}

void mapping(const std::string& line) {
  sandbox::UnnamedMapping found;
  if (sandbox::parse_unnamed_mapping(line.c_str(), found)) require(found.inode != 0);
}

}  // namespace

// The first byte picks the reader.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 5) {
    case 0:
      records(bytes);
      break;
    case 1:
      probe(bytes);
      break;
    case 2:
      output(bytes);
      break;
    case 3:
      mapping(std::string(bytes));
      break;
    default:
      (void)cmcp::os::parse_stat(bytes);
  }
  return 0;
}
