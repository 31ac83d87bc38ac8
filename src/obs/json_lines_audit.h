// JsonLinesAudit: the audit log as one JSON object a line, appended to STATE_DIR/audit.jsonl (mode
// 0600). It has who, what, how it ended and how big; never arguments, outputs or secrets.
//
//   CMCP_TRY(auto audit, obs::JsonLinesAudit::open(loaded.layout.state_dir));
//   audit->record({.principal = "local", .transport = "stdio", .tool = "file_read", .outcome =
//   "ok"});
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "obs/audit.h"

namespace cmcp::obs {

class JsonLinesAudit final : public AuditSink {
 public:
  using Clock = std::function<std::chrono::system_clock::time_point()>;

  // Opens or makes `state_dir`/audit.jsonl; the directory must exist. kPermissionDenied when the
  // file is not a regular file of ours (a link, another owner), kIo when it cannot be opened.
  static Result<std::unique_ptr<JsonLinesAudit>> open(const HostPath& state_dir,
                                                      Clock clock = std::chrono::system_clock::now);

  // One write() a line, so that lines of several server processes never mix. A failure is logged
  // once until it ends: a full disk must not stop the tools.
  void record(const AuditRecord& record) override;

 private:
  JsonLinesAudit(Fd file, Clock clock) : file_(std::move(file)), clock_(std::move(clock)) {}

  Fd file_;
  Clock clock_;
  bool failing_ = false;
};

}  // namespace cmcp::obs
