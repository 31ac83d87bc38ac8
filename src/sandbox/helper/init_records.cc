#include "sandbox/helper/init_records.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "sandbox/helper/init_abi.h"
#include "sandbox/helper/sandbox_child.h"

namespace cmcp::sandbox {
namespace {

void note_failure(const InitRecord& record, std::string_view text, wire::Ended& ended) {
  ended.kind = wire::Ended::Kind::kFailed;
  ended.error = record.error;
  ended.failure = std::string("the sandbox could not be set up: ") +
                  name_of(static_cast<SetupStep>(record.step)) + ": " +
                  (text.empty() ? std::string(std::strerror(record.error)) : std::string(text));
}

// After a failure record the payload's exit says nothing more than what was used.
void note_end(const InitRecord& record, wire::Ended& ended, bool& heard) {
  ended.killed_processes = record.killed;
  ended.cpu_us = record.cpu_us;
  ended.peak_memory = std::max(ended.peak_memory, record.peak_rss_kib * 1024);
  ended.tmp_full = record.tmp_full != 0;
  ended.times[6] = record.times[0];
  ended.times[7] = record.times[1];
  if (heard) return;
  heard = true;
  ended.kind = wire::Ended::Kind::kEnded;
  ended.wait_status = record.wait_status;
}

}  // namespace

bool take_init_record(std::string_view message, wire::Ended& ended, bool& heard) {
  InitRecord record{};
  if (message.size() < sizeof(record)) return false;
  std::memcpy(&record, message.data(), sizeof(record));
  const bool first_failure = !heard || ended.kind == wire::Ended::Kind::kEnded;
  switch (record.kind) {
    case kRecordSetUp:
      for (std::size_t i = 0; i < 4; ++i) ended.times[2 + i] = record.times[i];
      break;
    case kRecordFailed:
      if (first_failure) note_failure(record, message.substr(sizeof(record)), ended);
      heard = true;
      break;
    case kRecordNoDirectory:
    case kRecordNoExec:
      if (!first_failure) break;
      heard = true;
      ended.kind = record.kind == kRecordNoExec ? wire::Ended::Kind::kNoExec
                                                : wire::Ended::Kind::kNoDirectory;
      ended.error = record.error;
      break;
    case kRecordEnded:
      note_end(record, ended, heard);
      return record.emptied != 0;
    default:
      break;
  }
  return false;
}

}  // namespace cmcp::sandbox
