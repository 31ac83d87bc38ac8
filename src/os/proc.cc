#include "os/proc.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "base/strings.h"
#include "os/file.h"

namespace cmcp::os {
namespace {

std::optional<std::uint64_t> number(const std::string& text) {
  const auto value = parse_int(text);
  if (!value || *value < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

}  // namespace

std::optional<ProcessSample> parse_stat(std::string_view line) {
  const auto open = line.find(" (");
  const auto close = line.rfind(") ");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return std::nullopt;
  const auto pid = parse_int(line.substr(0, open));
  const auto fields = split(line.substr(close + 2), ' ');
  // Fields after the name: 0 state, 1 ppid, 11 utime, 12 stime, 13 cutime, 14 cstime, 21 rss in
  // pages.
  if (!pid || fields.size() < 22) return std::nullopt;
  const auto parent = parse_int(fields[1]);
  if (!parent) return std::nullopt;
  ProcessSample sample;
  sample.pid = static_cast<pid_t>(*pid);
  sample.parent = static_cast<pid_t>(*parent);
  for (std::size_t i = 11; i <= 14; ++i) sample.cpu_ticks += number(fields[i]).value_or(0);
  sample.resident_bytes =
      number(fields[21]).value_or(0) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return sample;
}

Result<std::vector<ProcessSample>> sample_processes(int proc) {
  CMCP_TRY(const auto names, list_directory(proc));
  std::vector<ProcessSample> samples;
  for (const auto& name : names) {
    if (name.empty() || name[0] < '0' || name[0] > '9') continue;
    const auto line = read_file_at(proc, name + "/stat", 4096);
    if (!line.ok()) continue;
    if (auto sample = parse_stat(*line)) samples.push_back(*sample);
  }
  return samples;
}

namespace {

std::optional<std::uint64_t> rollup_value(int proc, pid_t pid, const char* key) {
  const auto text = read_file_at(proc, std::to_string(pid) + "/smaps_rollup", 8192);
  if (!text.ok()) return std::nullopt;
  const auto at = text->find(key);
  if (at == std::string::npos) return std::nullopt;
  const auto begin = text->find_first_of("0123456789", at);
  if (begin == std::string::npos) return std::nullopt;
  std::uint64_t kibibytes = 0;
  std::from_chars(text->data() + begin, text->data() + text->size(), kibibytes);
  return kibibytes * 1024;
}

}  // namespace

std::optional<std::uint64_t> proportional_size(int proc, pid_t pid) {
  return rollup_value(proc, pid, "\nPss:");
}

std::optional<std::uint64_t> proportional_shared_memory(int proc, pid_t pid) {
  return rollup_value(proc, pid, "\nPss_Shmem:");
}

std::optional<std::uint64_t> sockets_in_use(int proc, pid_t pid) {
  const auto text = read_file_at(proc, std::to_string(pid) + "/net/sockstat", 8192);
  constexpr std::string_view kUsed = "sockets: used ";
  if (!text.ok() || text->rfind(kUsed, 0) != 0) return std::nullopt;
  std::uint64_t count = 0;
  std::from_chars(text->data() + kUsed.size(), text->data() + text->size(), count);
  return count;
}

std::optional<std::string> own_cgroup(std::string_view controller, std::string_view cgroup,
                                      std::string_view mountinfo) {
  std::optional<std::string> path;
  for (const auto& line : split(cgroup, '\n')) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const auto controllers = split(line.substr(first + 1, second - first - 1), ',');
    if (std::find(controllers.begin(), controllers.end(), controller) != controllers.end())
      path = line.substr(second + 1);
  }
  if (!path) return std::nullopt;
  for (const auto& line : split(mountinfo, '\n')) {
    const auto dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    const auto before = split(line.substr(0, dash), ' ');
    const auto after = split(line.substr(dash + 3), ' ');
    if (before.size() < 5 || after.size() < 3) continue;
    const auto options = split(after[2], ',');
    const bool wanted = controller.empty()
                            ? after[0] == "cgroup2"
                            : after[0] == "cgroup" && std::find(options.begin(), options.end(),
                                                                controller) != options.end();
    if (!wanted) continue;
    // The mount may show only a part of the hierarchy (its root field): the path is relative to
    // that.
    std::string relative = *path;
    if (before[3] != "/") {
      if (relative.rfind(before[3], 0) != 0) continue;
      relative.erase(0, before[3].size());
    }
    std::string result = before[4];
    if (relative != "/") result += relative;
    return result;
  }
  return std::nullopt;
}

}  // namespace cmcp::os
