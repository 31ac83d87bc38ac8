#include "obs/json_lines_audit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "base/log.h"
#include "base/utf8.h"
#include "json/json.h"

namespace cmcp::obs {
namespace {

// Names can come from a client: well-formed and short, so that a line stays one line of bounded
// size.
std::string bounded(std::string_view text) {
  constexpr std::size_t kMaxBytes = 200;
  std::string clean = utf8::sanitize(text).text;
  clean.resize(utf8::cut_point(clean, kMaxBytes));
  return clean;
}

// "2026-01-31T08:15:00.123Z"
std::string utc_time(std::chrono::system_clock::time_point when) {
  using std::chrono::milliseconds;
  const auto since = std::chrono::duration_cast<milliseconds>(when.time_since_epoch()).count();
  const std::time_t seconds = static_cast<std::time_t>(since / 1000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char date[64];
  const std::size_t length = std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
  std::string fraction = std::to_string(since % 1000);
  fraction.insert(0, 3 - fraction.size(), '0');
  return std::string(date, length) + "." + fraction + "Z";
}

std::string line_of(const AuditRecord& record, std::chrono::system_clock::time_point when) {
  json::Object object;
  object["time"] = utc_time(when);
  object["principal"] = bounded(record.principal);
  object["transport"] = bounded(record.transport);
  object["tool"] = bounded(record.tool);
  object["outcome"] = bounded(record.outcome);
  object["detail"] = bounded(record.detail);
  object["argument_bytes"] = record.argument_bytes;
  object["duration_ms"] = static_cast<std::int64_t>(record.duration.count());
  return json::write(object) + "\n";
}

}  // namespace

Result<std::unique_ptr<JsonLinesAudit>> JsonLinesAudit::open(const HostPath& state_dir,
                                                             Clock clock) {
  const std::string path = state_dir.value + "/audit.jsonl";
  Fd file(::open(path.c_str(),
                 O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK,
                 0600));
  if (!file) {
    const int error = errno;
    return Error(error == ELOOP ? ErrorCode::kPermissionDenied : ErrorCode::kIo,
                 "The audit log " + path + " cannot be opened: " + std::strerror(error) +
                     ". Check STATE_DIR.",
                 error);
  }
  struct stat status{};
  if (::fstat(file.get(), &status) != 0)
    return Error(ErrorCode::kIo, "fstat of " + path + " failed.", errno);
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) {
    return Error(
        ErrorCode::kPermissionDenied,
        "The audit log " + path + " is not a regular file of the server's user. Move it away.");
  }
  if ((status.st_mode & 07777) != 0600 && ::fchmod(file.get(), 0600) != 0) {
    return Error(ErrorCode::kIo, "The mode of " + path + " cannot be set to 0600.", errno);
  }
  return std::unique_ptr<JsonLinesAudit>(new JsonLinesAudit(std::move(file), std::move(clock)));
}

void JsonLinesAudit::record(const AuditRecord& record) {
  const std::string line = line_of(record, clock_());
  ssize_t written = -1;
  do {
    written = ::write(file_.get(), line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  const bool failed = written != static_cast<ssize_t>(line.size());
  if (failed && !failing_) {
    log::error("The audit log cannot be written",
               {{"error", written < 0 ? std::strerror(errno) : "short write"}});
  }
  failing_ = failed;
}

}  // namespace cmcp::obs
