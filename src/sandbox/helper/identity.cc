#include "sandbox/helper/identity.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "base/strings.h"
#include "os/file.h"
#include "os/process.h"

namespace cmcp::sandbox {
namespace {

struct Range {
  std::string user;
  std::uint64_t start = 0;
  std::uint64_t count = 0;
};

std::vector<Range> parse_ranges(std::string_view text) {
  std::vector<Range> ranges;
  for (const auto& line : split(text, '\n')) {
    const auto fields = split(strip(line), ':');
    if (fields.size() != 3) continue;
    const auto start = parse_int(fields[1]);
    const auto count = parse_int(fields[2]);
    if (!start || !count || *start < 0 || *count <= 0) continue;
    ranges.push_back(
        {fields[0], static_cast<std::uint64_t>(*start), static_cast<std::uint64_t>(*count)});
  }
  return ranges;
}

std::string map_line(std::uint32_t inside, std::uint32_t outside) {
  return std::to_string(inside) + " " + std::to_string(outside) + " 1";
}

}  // namespace

Result<std::uint32_t> choose_slot_uids(std::string_view subuid, std::string_view user,
                                       std::uint32_t count) {
  auto ranges = parse_ranges(subuid);
  for (const auto& range : ranges) {
    if (range.user == user && range.count >= count) return static_cast<std::uint32_t>(range.start);
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.start < b.start; });
  std::uint64_t candidate = kFirstSlotUid;
  for (const auto& range : ranges) {
    const bool overlaps = range.start < candidate + count && candidate < range.start + range.count;
    if (overlaps) candidate = range.start + range.count;
  }
  constexpr std::uint64_t kLastUid = 0xfffffffdU;
  if (candidate + count > kLastUid) {
    return Error(
        ErrorCode::kLimitExceeded,
        "no free user ids for sandboxes: add a line container-mcp:START:COUNT to /etc/subuid");
  }
  return static_cast<std::uint32_t>(candidate);
}

Status write_id_maps(int proc, pid_t pid, Owner inner, Owner outer) {
  const std::string directory = std::to_string(pid);
  CMCP_CHECK_OK(
      os::write_existing_at(proc, directory + "/gid_map", map_line(inner.gid, outer.gid)));
  return os::write_existing_at(proc, directory + "/uid_map", map_line(inner.uid, outer.uid));
}

Status write_own_id_maps(int proc, Owner inner, Owner outer) {
  CMCP_CHECK_OK(os::write_existing_at(proc, "self/setgroups", "deny"));
  CMCP_CHECK_OK(os::write_existing_at(proc, "self/gid_map", map_line(inner.gid, outer.gid)));
  return os::write_existing_at(proc, "self/uid_map", map_line(inner.uid, outer.uid));
}

Result<Fd> idmap_namespace(int proc, Owner on_disk, Owner shown) {
  CMCP_TRY(const os::Child child, os::fork_with(CLONE_NEWUSER));
  if (child.pid == 0) {
    while (true) ::pause();
  }
  const Status mapped = write_id_maps(proc, child.pid, on_disk, shown);
  auto space = os::open_at(proc, std::to_string(child.pid) + "/ns/user", O_RDONLY);
  const Status killed = os::signal_pidfd(child.pidfd.get(), SIGKILL);
  ::waitpid(child.pid, nullptr, 0);
  CMCP_CHECK_OK(mapped);
  CMCP_CHECK_OK(killed);
  return space;
}

}  // namespace cmcp::sandbox
