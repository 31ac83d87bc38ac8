#include "os/confinement.h"

#include <sys/stat.h>

#include <charconv>
#include <optional>
#include <string>

#include "os/error.h"
#include "os/file.h"

namespace cmcp::os {
namespace {

// The number behind "\nNAME:\t".
std::optional<std::uint64_t> field(std::string_view status, std::string_view name, int base) {
  const std::string key = "\n" + std::string(name) + ":\t";
  const auto at = status.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = status.substr(at + key.size());
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value, base);
  if (error != std::errc() || end == rest.data()) return std::nullopt;
  return value;
}

Status read_namespace(const char* name, std::uint64_t& number) {
  const std::string path = std::string("/proc/self/ns/") + name;
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return last_error("stat", path);
  number = info.st_ino;
  return {};
}

}  // namespace

Status parse_confinement(std::string_view status, Confinement& into) {
  const auto bounding = field(status, "CapBnd", 16);
  const auto privs = field(status, "NoNewPrivs", 10);
  const auto filters = field(status, "Seccomp_filters", 10);
  if (!bounding || !privs || !filters)
    return Error(ErrorCode::kProtocol,
                 "/proc/self/status lacks CapBnd, NoNewPrivs or Seccomp_filters");
  into.bounding_set = *bounding;
  into.no_new_privs = *privs != 0;
  into.seccomp_filters = static_cast<std::uint32_t>(*filters);
  return {};
}

Result<Confinement> own_confinement() {
  Confinement own;
  CMCP_TRY(const std::string status, read_file("/proc/self/status", 64 * 1024));
  CMCP_CHECK_OK(parse_confinement(status, own));
  CMCP_CHECK_OK(read_namespace("mnt", own.mount));
  CMCP_CHECK_OK(read_namespace("pid", own.pid));
  CMCP_CHECK_OK(read_namespace("net", own.network));
  CMCP_CHECK_OK(read_namespace("ipc", own.ipc));
  CMCP_CHECK_OK(read_namespace("uts", own.uts));
  return own;
}

}  // namespace cmcp::os
