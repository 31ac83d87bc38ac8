// PathLock: one writer at a time for each path, across the threads of this server and across all
// servers that share a STATE_DIR. A lock is one byte of a lock file, held by an open file
// description (OFD): it goes with the descriptor, whatever becomes of the process.
#pragma once

#include <cstdint>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "managers/file/cancel_flag.h"
#include "managers/file/workspace.h"

namespace cmcp::file {

class PathLock {
 public:
  // Opens (makes) the lock file in `state_dir`, which must exist. kIo.
  static Result<PathLock> open(const HostPath& state_dir);

  // Holds the locks of `places` until the returned descriptor is closed. The same entry has the
  // same lock however it is spelled. kBusy after 30 s, kCancelled.
  Result<Fd> acquire(const std::vector<const Place*>& places, const CancelFlag& cancel) const;

 private:
  explicit PathLock(Fd directory) : directory_(std::move(directory)) {}
  Fd directory_;
};

}  // namespace cmcp::file
