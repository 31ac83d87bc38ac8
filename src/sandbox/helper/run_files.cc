#include "sandbox/helper/run_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "os/file.h"
#include "os/proc.h"
#include "sandbox/helper/watchdog.h"

namespace cmcp::sandbox {
namespace {

constexpr std::size_t kMaxMaps = 16 * 1024 * 1024;
constexpr unsigned kBlock = 512;

std::optional<std::uint64_t> take_number(std::string_view& text, int base) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

std::uint64_t value_of(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return 0;
  text.remove_prefix(at + key.size());
  return take_number(text, 10).value_or(0);
}

std::uint64_t written_by(int proc, pid_t pid) {
  const auto text = os::read_file_at(proc, std::to_string(pid) + "/io", 4096);
  if (!text.ok()) return 0;
  const std::uint64_t all = value_of(*text, "\nwrite_bytes: ");
  return all - std::min(all, value_of(*text, "\ncancelled_write_bytes: "));
}

void add_open(int proc, pid_t pid, RunFiles& files) {
  const auto directory = os::open_at(proc, std::to_string(pid) + "/fd", O_RDONLY | O_DIRECTORY);
  if (!directory.ok()) return;
  const auto names = os::list_directory(directory->get());
  if (!names.ok()) return;
  for (const auto& name : *names) {
    struct stat info{};
    if (::fstatat(directory->get(), name.c_str(), &info, 0) != 0) continue;
    if (!S_ISREG(info.st_mode) || info.st_nlink != 0) continue;
    files.unnamed[{info.st_dev, info.st_ino}].bytes =
        static_cast<std::uint64_t>(info.st_blocks) * kBlock;
  }
}

void add_mapped(int proc, pid_t pid, RunFiles& files) {
  const auto text = os::read_file_at(proc, std::to_string(pid) + "/maps", kMaxMaps);
  if (!text.ok()) return;
  for (const auto& line : split(*text, '\n')) {
    UnnamedMapping mapping;
    if (!parse_unnamed_mapping(line.c_str(), mapping)) continue;
    auto& file = files.unnamed[{mapping.device, mapping.inode}];
    file.bytes = std::max(file.bytes, mapping.length);
  }
}

}  // namespace

bool parse_unnamed_mapping(const char* line, UnnamedMapping& mapping) {
  constexpr std::string_view kDeleted = " (deleted)";
  std::string_view text = line;
  if (!text.ends_with(kDeleted)) return false;
  const auto begin = take_number(text, 16);
  if (!begin || !take(text, '-')) return false;
  const auto end = take_number(text, 16);
  if (!end || *end < *begin || !take(text, ' ') || text.size() < 5) return false;
  text.remove_prefix(5);  // "rw-s "
  const auto offset = take_number(text, 16);
  if (!offset || !take(text, ' ')) return false;
  const auto device_major = take_number(text, 16);
  if (!device_major || !take(text, ':')) return false;
  const auto device_minor = take_number(text, 16);
  if (!device_minor || !take(text, ' ')) return false;
  const auto inode = take_number(text, 10);
  if (!inode || *inode == 0) return false;
  mapping.device =
      ::makedev(static_cast<unsigned>(*device_major), static_cast<unsigned>(*device_minor));
  mapping.inode = *inode;
  mapping.length = *offset + (*end - *begin);
  return true;
}

TreeUsage RunFiles::unnamed_on(int directory) const {
  TreeUsage usage;
  struct stat info{};
  if (::fstat(directory, &info) != 0) return usage;
  for (const auto& [identity, file] : unnamed) {
    if (identity.first != info.st_dev) continue;
    usage.bytes += file.bytes;
    ++usage.files;
  }
  return usage;
}

RunFiles files_of_runs(int proc, const std::vector<pid_t>& inits) {
  RunFiles files;
  files.written.assign(inits.size(), 0);
  const auto samples = os::sample_processes(proc);
  if (!samples.ok()) return files;
  const auto usage = usage_by_sandbox(*samples, inits);
  for (std::size_t i = 0; i < inits.size(); ++i) {
    for (const pid_t pid : usage.at(inits[i]).processes) {
      files.written[i] += written_by(proc, pid);
      add_open(proc, pid, files);
      add_mapped(proc, pid, files);
    }
  }
  return files;
}

}  // namespace cmcp::sandbox
