#include "os/apparmor.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/strings.h"
#include "os/error.h"
#include "os/file.h"

namespace cmcp::os {
namespace {

constexpr std::string_view kStackMark = "//&";

const char* path_of(AppArmorAttribute attribute) {
  return attribute == AppArmorAttribute::kCurrent ? "self/attr/apparmor/current"
                                                  : "self/attr/apparmor/exec";
}

}  // namespace

bool AppArmorLabel::includes(std::string_view name) const {
  std::string_view rest = label;
  while (true) {
    const auto mark = rest.find(kStackMark);
    if (rest.substr(0, mark) == name) return true;
    if (mark == std::string_view::npos) return false;
    rest.remove_prefix(mark + kStackMark.size());
  }
}

AppArmorLabel parse_apparmor_label(std::string_view text) {
  while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.remove_suffix(1);
  AppArmorLabel parsed;
  const auto open = text.rfind(" (");
  if (open == std::string_view::npos || text.back() != ')') {
    parsed.label = std::string(text);
    return parsed;
  }
  parsed.label = std::string(text.substr(0, open));
  parsed.mode = std::string(text.substr(open + 2, text.size() - open - 3));
  return parsed;
}

Result<Fd> open_apparmor_attribute(int proc, AppArmorAttribute attribute, AttributeUse use) {
  struct statfs info{};
  if (::fstatfs(proc, &info) != 0) return last_error("fstatfs", "/proc");
  if (info.f_type != PROC_SUPER_MAGIC)
    return Error(ErrorCode::kUnavailable, "/proc is no procfs; no AppArmor label is written there");
  const int flags = use == AttributeUse::kRead ? O_RDONLY : O_WRONLY;
  return openat2(proc, path_of(attribute), static_cast<std::uint64_t>(flags | O_CLOEXEC),
                 RESOLVE_BENEATH | RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS);
}

Result<AppArmorLabel> read_apparmor_label(int attribute) {
  std::array<char, 4096> buffer{};
  const ssize_t n = ::pread(attribute, buffer.data(), buffer.size(), 0);
  if (n < 0) return last_error("read", "attr/apparmor/current");
  return parse_apparmor_label({buffer.data(), static_cast<std::size_t>(n)});
}

Status order_apparmor_label(int attribute, const std::string& order) {
  if (::write(attribute, order.data(), order.size()) != static_cast<ssize_t>(order.size()))
    return last_error("write", "attr/apparmor \"" + order + "\"");
  return {};
}

}  // namespace cmcp::os
