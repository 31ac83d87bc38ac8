#include "sandbox/limits_report.h"

#include <fmt/format.h>

#include "base/utf8.h"

namespace cmcp::sandbox {
namespace {

std::string megabytes(std::uint64_t bytes) {
  return fmt::format("{} MB", bytes >> 20);
}

// The value for commands, and Python's where it is another.
std::string both(const std::string& bash, const std::string& python) {
  return bash == python ? bash : bash + " (Python: " + python + ")";
}

bool has_cgroup(const LauncherFacts& facts) {
  return facts.limiter != Limiter::kRlimit;
}

LimitRow memory(const LauncherFacts& facts, const LimitSettings& settings) {
  LimitRow row{"memory",
               both(megabytes(settings.bash.memory.count), megabytes(settings.python.memory.count)),
               name_of(facts.limiter), "programs, files in /tmp and /dev/shm, memfd, sockets"};
  if (has_cgroup(facts)) return row;
  row.limiter = facts.proc ? "rlimit+watchdog" : "rlimit";
  row.note = facts.proc
                 ? "RLIMIT_DATA for each process; a watch of /proc adds up the processes and "
                   "the files in /tmp and /dev/shm five times a second; memfd and SysV shared "
                   "memory are refused; no cgroup: "
                 : "RLIMIT_DATA for each process, nothing adds them up: no /proc of our own; "
                   "no cgroup: ";
  row.note += facts.limiter_reason;
  return row;
}

LimitRow processes(const LauncherFacts& facts, const LimitSettings& settings) {
  LimitRow row{
      "processes",
      both(std::to_string(settings.bash.processes), std::to_string(settings.python.processes)),
      name_of(facts.limiter), "threads count too"};
  if (has_cgroup(facts)) return row;
  row.note =
      "RLIMIT_NPROC in a user namespace of the run's own; threads count too; the kernel counts no "
      "refusals, so a result's `limit` does not name it";
  return row;
}

LimitRow cpu(const LauncherFacts& facts, const LimitSettings& settings) {
  LimitRow row{"cpu",
               both(fmt::format("{} s", settings.bash.cpu_seconds),
                    fmt::format("{} s", settings.python.cpu_seconds)),
               facts.proc ? "watchdog+rlimit" : "rlimit",
               facts.proc ? "all processes together; RLIMIT_CPU for each"
                          : "for each process: without a /proc of our own nothing adds them up"};
  return row;
}

LimitRow cpu_share(const LauncherFacts& facts) {
  switch (facts.cpu_share) {
    case CpuShare::kCgroupV2:
      return {"cpu_share", "equal for every run", "cgroup_v2", "cpu.weight"};
    case CpuShare::kCgroupV1:
      return {"cpu_share", "equal for every run", "cgroup_v1", "cpu.shares"};
    case CpuShare::kPriority:
      break;
  }
  return {"cpu_share", "below the server", name_of(facts.cpu_share),
          "among runs the processes are equal, not the runs"};
}

LimitRow disk(const LauncherFacts& facts, const LimitSettings& settings) {
  if (settings.quota == 0)
    return {"disk", "none", "none", "WORKSPACE_QUOTA_MB=0: a run may fill the file system"};
  return {"disk", fmt::format("{}, {} files", megabytes(settings.quota), settings.quota / 4096),
          "watchdog",
          facts.proc
              ? "of each workspace; counted when the file system's free space falls; no file "
                "may become larger than what is left"
              : "of each workspace, as its tree shows it; files without a name are not seen: no "
                "/proc of our own"};
}

}  // namespace

std::vector<LimitRow> limit_rows(const LauncherFacts& facts, const LimitSettings& settings) {
  const auto seconds = [](std::uint64_t value) { return fmt::format("{} s", value); };
  std::vector<LimitRow> rows;
  rows.push_back({"time", both(seconds(settings.bash_timeout), seconds(settings.python_timeout)),
                  "launcher", "at most; a call may ask for less"});
  rows.push_back(cpu(facts, settings));
  rows.push_back(cpu_share(facts));
  rows.push_back(memory(facts, settings));
  rows.push_back(processes(facts, settings));
  rows.push_back(disk(facts, settings));
  rows.push_back({"tmp", fmt::format("{} each", megabytes(settings.tmp.count)), "tmpfs",
                  "/tmp and /dev/shm, with a bound on files too"});
  rows.push_back(
      {"file_size",
       both(megabytes(settings.bash.file_size.count), megabytes(settings.python.file_size.count)),
       "rlimit", "RLIMIT_FSIZE"});
  rows.push_back({"open_files", std::to_string(settings.bash.open_files), "rlimit",
                  "RLIMIT_NOFILE, for each process"});
  rows.push_back({"output",
                  settings.output_chars == 0 ? "all that is kept"
                                             : fmt::format("{} characters", settings.output_chars),
                  "server",
                  fmt::format("of each stream; {} MB of a call are kept, the rest is read and "
                              "dropped",
                              settings.output_keep_mb)});
  return rows;
}

json::Array limits_json(const std::vector<LimitRow>& rows) {
  json::Array array;
  for (const auto& row : rows) {
    array.push_back(
        json::Object{{"limit", row.limit},
                     {"value", row.value},
                     {"limiter", row.limiter},
                     {"note", utf8::is_valid(row.note) ? row.note : std::string("no cgroup")}});
  }
  return array;
}

std::string limits_text(const std::vector<LimitRow>& rows) {
  std::string text;
  for (const auto& row : rows) {
    text += fmt::format("  {:<10} {:<24} {}", row.limit, row.value, row.limiter);
    if (!row.note.empty()) text += ": " + row.note;
    text += '\n';
  }
  return text;
}

}  // namespace cmcp::sandbox
