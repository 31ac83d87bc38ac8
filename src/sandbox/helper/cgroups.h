// CgroupPool: one cgroup per slot, reused from run to run, removed at the end. Version 2 where it
// is delegated to us, else version 1 (root). Created before the launcher has its own namespaces;
// the process that creates it removes it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "sandbox/helper/facts.h"

namespace cmcp::sandbox {

class CgroupPool {
 public:
  struct Counters {
    std::uint64_t oom_kills = 0;
    std::uint64_t refused_forks = 0;
    std::uint64_t peak_memory = 0;
  };

  // Makes the parent cgroups "container-mcp-PID" below our own and tries the first slot. Leftovers
  // of launchers that were killed are removed. The error says why cgroups cannot be used.
  // `server` moves with the
  // caller into a leaf cgroup where version 2 demands that.
  static Result<CgroupPool> create(std::uint32_t slots, pid_t server);

  // Removes what launchers left whose processes are gone, of both versions. Waits a little for
  // processes in them that are just dying.
  static void remove_abandoned();

  // Sets the limits of a slot.
  Status prepare(std::uint32_t slot, Bytes memory, std::uint32_t processes);
  // The limits' counters since recycle().
  Counters counters(std::uint32_t slot) const;
  // Version 1: the descriptors to which the sandbox's first process writes "0" to join (27 µs; a
  // write of its pid by another process takes 14 ms). Version 2: none.
  std::vector<int> join_descriptors(std::uint32_t slot) const;
  // Version 2: for CLONE_INTO_CGROUP; -1 with version 1.
  int clone_descriptor(std::uint32_t slot) const;
  // After a run: resets the counters, and drops page cache that stayed charged when it is worth it.
  void recycle(std::uint32_t slot);
  Limiter limiter() const { return limiter_; }
  // Each run counts as one for the processor, however many processes it has. Optional: without the
  // controller the pool is used all the same.
  CpuShare cpu_share() const { return cpu_share_; }

  // Removes every cgroup of this pool. All processes in them must be gone.
  void remove_all();

 private:
  // One directory: with version 1 memory and pids have one each, with version 2 they share one.
  struct Controller {
    Fd parent;         // the directory that holds ours
    std::string name;  // of ours in it
    Fd directory;
  };
  struct Slot {
    bool made = false;
    Fd memory;  // directories
    Fd pids;
    Fd memory_join;  // version 1
    Fd pids_join;
    Fd cpu_join;
    Fd oom_file;   // memory.oom_control or memory.events
    Fd pids_file;  // pids.events
    Fd peak_file;  // memory.max_usage_in_bytes or memory.peak; may be missing
    std::uint64_t limit = 0;
    std::uint32_t processes = 0;
    Counters base;
  };

  static Result<CgroupPool> create_v2(std::uint32_t slots, pid_t server);
  static Result<CgroupPool> create_v1(std::uint32_t slots);
  void reset_counters(std::uint32_t index);
  static Result<Controller> make_parent(const char* controller);
  static Status make_directory(Controller& entry, const std::string& path);
  void add_cpu_v1();
  Status join_cpu_v1(Slot& slot, const std::string& name) const;
  Status make_slot(std::uint32_t index);
  Status set_memory(Slot& slot, std::uint64_t bytes);
  const Controller& pids_controller() const { return controllers_.back(); }

  Limiter limiter_ = Limiter::kCgroupV1;
  std::vector<Controller> controllers_;  // memory, then pids (version 1); one for both (version 2)
  std::optional<Controller> cpu_;  // version 1; with version 2 it is one of the others' directory
  CpuShare cpu_share_ = CpuShare::kPriority;
  std::vector<Slot> slots_;
};

}  // namespace cmcp::sandbox
