// The directory of one launcher in a cgroup: "container-mcp-PID", or with a number behind it where
// a launcher of another pid namespace has that name already. A lock on it says that its launcher
// lives: pids say nothing between pid namespaces, and two containers may share a cgroup.
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace cmcp::sandbox {

struct CgroupDirectory {
  std::string name;
  Fd fd;  // holds the lock, in every process that has inherited it, until the last one closes it
};

// Makes and locks a directory in `parent` (a directory of a cgroup hierarchy).
Result<CgroupDirectory> make_cgroup_directory(int parent);

enum class Dying { kLeave, kWaitFor };
// Removes the directories whose launchers are gone. kWaitFor: one whose outer process is gone may
// still be held by processes that are just dying, which are given two seconds.
void remove_abandoned_directories(int parent, Dying dying);

// Removes a launcher's directory and the slots in it, and waits a little for processes in them that
// are just dying.
void remove_cgroup_directory(int parent, const std::string& name);

}  // namespace cmcp::sandbox
