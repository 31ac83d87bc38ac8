// What the processes of runs hold and write beyond what a directory tree shows, from /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <vector>

#include "sandbox/helper/tree_usage.h"

namespace cmcp::sandbox {

struct RunFiles {
  // A file without a name that a process holds open or mapped.
  struct Unnamed {
    std::uint64_t bytes = 0;
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Unnamed> unnamed;  // by (device, inode)
  std::vector<std::uint64_t> written;  // bytes that each run sent to disks, in the order asked

  // The unnamed files on the file system that `directory` is on.
  TreeUsage unnamed_on(int directory) const;
};

// `proc`: a descriptor of a /proc that shows the runs; `inits`: pid 1 of each. What cannot be read
// is left out.
RunFiles files_of_runs(int proc, const std::vector<pid_t>& inits);

// One line of /proc/PID/maps that maps a file without a name: its device, inode and the end of the
// part of it that is mapped; nothing for any other line. Pure.
struct UnnamedMapping {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t length = 0;
};
bool parse_unnamed_mapping(const char* line, UnnamedMapping& mapping);

}  // namespace cmcp::sandbox
