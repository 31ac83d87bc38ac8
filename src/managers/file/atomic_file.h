// Atomic publication of a file: whoever looks at the name sees the old content or the new one,
// whole, also after a crash. The bytes go to a file without a name (O_TMPFILE), are synced, and
// only then get a name; where the file system has no such files, to a hidden temporary name. A
// write breaks hard links: other names of the file keep the old content.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "managers/file/workspace.h"

namespace cmcp::file {

// kNew: only if nothing has the name; kReplace: in place of whatever file or link has it.
enum class Publish { kNew, kReplace };

struct NewFile {
  std::function<Status(int fd)> fill;  // writes the content
  std::optional<mode_t> mode;          // nothing: 0666 without the umask
  Publish publish = Publish::kNew;
  bool allow_unnamed = true;  // false: always the temporary name (tests, old file systems)
};

// Writes `file` at `place`. kAlreadyExists (kNew), kNotFound when the directory is gone, else as
// path_error. `path` is the path as given, for messages.
Status publish_file(const Place& place, const NewFile& file, std::string_view path);

// Writes all of `bytes`, whatever write() does in pieces. `path` as above.
Status write_all(int fd, std::string_view bytes, std::string_view path);

// True for the hidden names under which files are made: listings leave them out, tools refuse to
// write them.
bool is_temporary_name(std::string_view name);

// Removes `name` in `directory` if it is one of ours that was left behind (more than an hour old).
void remove_if_stale(int directory, const char* name);

}  // namespace cmcp::file
