// DirectoryStack: the open directories of a walk, by descriptor. Trees may be deeper than the
// number of descriptors that a process may hold: only the upper levels stay open, a deeper one is
// found again through ".." and must then be the same directory (device and inode).
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace cmcp::file {

struct DirectoryEntry {
  std::string name;
  unsigned char type;  // DT_*, DT_UNKNOWN where the file system does not tell
};

class DirectoryStack {
 public:
  // `root` is a readable directory descriptor.
  explicit DirectoryStack(Fd root);

  // The directory the walk stands in. Valid until enter or leave.
  int current() const { return levels_.back().fd.get(); }
  std::size_t depth() const { return levels_.size(); }

  // Goes down into the directory `name`; never through a link. The Error has errno and no path.
  Status enter(const std::string& name);
  // Goes down into a directory that was opened elsewhere.
  Status enter(Fd directory);
  // Goes up. Returns the number of levels left: more than one when the directory above is no longer
  // where it was, then the walk goes on at the nearest level that is still open. Precondition:
  // depth() > 1.
  std::size_t leave();

  // The entries of the current directory without "." and "..", sorted by bytes; `complete` becomes
  // false when there are more than `limit`.
  Result<std::vector<DirectoryEntry>> entries(std::size_t limit, bool& complete) const;

 private:
  struct Level {
    Fd fd;
    dev_t device = 0;
    ino_t inode = 0;
  };
  static Result<Level> level_of(Fd fd);
  std::vector<Level> levels_;
};

}  // namespace cmcp::file
