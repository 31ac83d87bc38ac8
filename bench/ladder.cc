#include "ladder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cold_sandbox.h"
#include "interleaved.h"
#include "spawn.h"

namespace cmcp::bench {
namespace {

constexpr const char* kTrue = "/usr/bin/true";
constexpr const char* kSpawn = "spawn true";
constexpr const char* kCold = "cold sandbox, true";
constexpr const char* kBubblewrap = "bubblewrap, true";
constexpr const char* kFirejail = "Firejail, the original's flags, true";
constexpr const char* kFirejailNoNet = "Firejail, the same with --net=none, true";

using Command = std::vector<std::string>;

// What our sandbox does, as far as bubblewrap can: all namespaces, a read-only system, own /proc,
// /dev and temporary directories, no capabilities, a workspace. It has no limits, no Landlock; a
// seccomp filter would have to be compiled for it by somebody else.
Command bubblewrap(const std::string& program, const std::string& workspace) {
  return {program,
          "--unshare-all",
          "--unshare-user",
          "--die-with-parent",
          "--new-session",
          "--uid",
          "1000",
          "--gid",
          "1000",
          "--hostname",
          "sandbox",
          "--ro-bind",
          "/usr",
          "/usr",
          "--symlink",
          "usr/bin",
          "/bin",
          "--symlink",
          "usr/lib",
          "/lib",
          "--symlink",
          "usr/lib64",
          "/lib64",
          "--ro-bind",
          "/etc",
          "/etc",
          "--proc",
          "/proc",
          "--dev",
          "/dev",
          "--tmpfs",
          "/tmp",
          "--tmpfs",
          "/dev/shm",
          "--bind",
          workspace,
          "/workspace",
          "--chdir",
          "/workspace",
          "--cap-drop",
          "ALL",
          "--clearenv",
          "--setenv",
          "PATH",
          "/usr/bin",
          kTrue};
}

// How the Python program of the same name starts Firejail; it gives no --net=none, so that its
// programs have the host's network.
Command firejail(const std::string& program, const std::string& home, bool without_network) {
  Command command{program,         "--noprofile",   "--quiet",         "--private=" + home,
                  "--private-dev", "--private-tmp", "--caps.drop=all", "--nonewprivs",
                  "--noroot",      "--seccomp"};
  if (without_network) command.push_back("--net=none");
  command.insert(command.end(), {"--", kTrue});
  return command;
}

class Ladder {
 public:
  explicit Ladder(const LadderOptions& options) : options_(options) {}

  Result<json::Object> measure() {
    CMCP_CHECK_OK(add_bare());
    CMCP_CHECK_OK(add_sandboxes());
    if (options_.peers) CMCP_CHECK_OK(add_peers());
    CMCP_TRY(measured_, run_interleaved(rows_, 5, options_.rounds));
    json::Object out;
    out["rows"] = report(rows_, measured_);
    out["verdicts"] = verdicts();
    out["absent"] = absent_;
    json::Object stages;
    for (const auto& [name, sandbox] : sandboxes_) stages[name] = sandbox->stages();
    out["stages_us_p50"] = std::move(stages);
    return out;
  }

 private:
  Status add_bare() {
    rows_.push_back({kSpawn, "", 0, [] { return spawn_and_wait({kTrue}); }});
    rows_.push_back({"spawn a program that only ends", "", 0,
                     [path = options_.nothing.value] { return spawn_and_wait({path}); }});
    return {};
  }

  Status add_sandboxes() {
    CMCP_CHECK_OK(add_sandbox("cold sandbox", options_.helpers));
    if (options_.other_helpers.empty()) return {};
    return add_sandbox("other build's cold sandbox", HostPath{options_.other_helpers});
  }

  Status add_sandbox(const std::string& name, const HostPath& helpers) {
    const std::string workspace = directory("cold" + std::to_string(sandboxes_.size()));
    CMCP_TRY(auto made, ColdSandbox::create(helpers, workspace, options_.server_uid));
    const std::shared_ptr<ColdSandbox> sandbox = std::move(made);
    std::error_code failed;
    std::filesystem::copy_file(options_.nothing.value, workspace + "/nothing", failed);
    if (failed) return Error(ErrorCode::kIo, "copy the empty program: " + failed.message());
    // Stage times are those of `true` alone.
    rows_.push_back({name + ", true", kSpawn, 0, [sandbox] { return sandbox->run_true(); }});
    rows_.push_back({name + ", a program that only ends", "spawn a program that only ends", 0,
                     [sandbox] { return sandbox->run_unobserved("/workspace/nothing"); }});
    sandboxes_.emplace_back(name, sandbox);
    return {};
  }

  Status add_peers() {
    CMCP_TRY(const std::string workspace, owned_directory("bubblewrap"));
    CMCP_TRY(const std::string home, owned_directory("firejail"));
    const std::string bwrap = find_program("bwrap");
    const std::string jail = find_program("firejail");
    add_peer(kBubblewrap, bwrap, "bubblewrap", bubblewrap(bwrap, workspace));
    add_peer(kFirejail, jail, "firejail", firejail(jail, home, false));
    add_peer(kFirejailNoNet, jail, "firejail", firejail(jail, home, true));
    return {};
  }

  // A peer that is not here or does not work here is named with the reason, and nothing is compared
  // with it.
  void add_peer(const char* name, const std::string& program, const std::string& package,
                const Command& command) {
    if (program.empty()) {
      absent_[name] = "not installed: apt-get install " + package;
      return;
    }
    const auto tried = spawn_and_read(command);
    if (!tried.ok()) {
      absent_[name] = "does not work here: " + tried.error().message();
      return;
    }
    rows_.push_back({name, kSpawn, 0, [command] { return spawn_and_wait(command); }});
  }

  std::string directory(const std::string& name) const { return options_.directory + "/" + name; }

  Result<std::string> owned_directory(const std::string& name) const {
    const std::string path = directory(name);
    if (::mkdir(path.c_str(), 0755) != 0)
      return Error(ErrorCode::kIo, "mkdir " + path + ": " + std::strerror(errno), errno);
    return path;
  }

  double median(const std::string& name) const {
    for (const auto& row : measured_) {
      if (row.name == name) return row.percentile(0.5);
    }
    return 0;
  }

  // `slower` takes at least (or at most) `bound` times as long as `faster`.
  json::Object verdict(const std::string& what, const std::string& slower,
                       const std::string& faster, double bound, bool at_least) const {
    json::Object out{{"what", what}};
    if (median(slower) == 0 || median(faster) == 0) {
      out["verdict"] = "not measured";
      return out;
    }
    const double ratio = median(slower) / median(faster);
    out["ratio_p50"] = std::round(ratio * 100) / 100;
    out["verdict"] = (at_least ? ratio >= bound : ratio <= bound) ? "met" : "missed";
    return out;
  }

  json::Array verdicts() const {
    json::Array out;
    out.push_back(verdict("cold sandbox at most 3.0 x spawn", kCold, kSpawn, 3.0, false));
    out.push_back(verdict("bubblewrap / cold sandbox: more than 1", kBubblewrap, kCold, 1.0, true));
    out.push_back(verdict("Firejail / cold sandbox: at least 5", kFirejail, kCold, 5.0, true));
    out.push_back(verdict("Firejail with --net=none / cold sandbox: at least 5", kFirejailNoNet,
                          kCold, 5.0, true));
    return out;
  }

  const LadderOptions& options_;
  std::vector<Row> rows_;
  std::vector<Measured> measured_;
  std::vector<std::pair<std::string, std::shared_ptr<ColdSandbox>>> sandboxes_;
  json::Object absent_;
};

}  // namespace

Result<json::Object> measure_ladder(const LadderOptions& options) {
  return Ladder(options).measure();
}

}  // namespace cmcp::bench
