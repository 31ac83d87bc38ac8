// FileCore: the file operations, synchronous; FileManager runs them on workers. It holds only what
// the configuration says and a lock file, so that any number of threads may use one.
//
// Errors are what the client reads: they name the path as given, never a path of the host, and
// never tell whether something exists outside the workspace.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "managers/file/cancel_flag.h"
#include "managers/file/extension_rule.h"
#include "managers/file/path_lock.h"
#include "managers/file/requests.h"
#include "managers/file/workspace.h"

namespace cmcp::file {

struct FileOptions {
  Bytes max_size = Bytes::mebi(10);  // FILE_MAX_SIZE_MB
  std::vector<std::string> allowed_extensions = {"txt", "md", "csv", "json", "py", "none"};
  std::vector<std::string> read_extensions = {"png", "jpg", "jpeg", "gif", "webp", "pdf"};
  std::size_t output_max_chars = 40000;  // OUTPUT_MAX_CHARS; 0: none
  HostPath state_dir;                    // holds the lock file
};

class FileCore {
 public:
  // kIo when the lock file in options.state_dir cannot be opened.
  static Result<FileCore> create(const FileOptions& options);

  const FileOptions& options() const { return options_; }

  Result<ReadResult> read(const Workspace& workspace, const ReadRequest& request,
                          const CancelFlag& cancel) const;
  // The same presentation for bytes that are not in the workspace (kept outputs).
  Result<ReadResult> present(std::string_view bytes, std::string_view name,
                             const ReadRequest& request) const;
  // The exact bytes of a file, for resources/read. kLimitExceeded above max_size.
  struct RawFile {
    std::string bytes;
    std::string mime_type;
  };
  Result<RawFile> read_raw(const Workspace& workspace, const std::string& path,
                           const CancelFlag& cancel) const;

  // Replaces, makes or appends, atomically; parent directories are made. The mode is kept, a link
  // stays a link, other hard links keep the old content.
  Result<WriteResult> write(const Workspace& workspace, const WriteRequest& request,
                            const CancelFlag& cancel) const;

  Result<ListResult> list(const Workspace& workspace, const ListRequest& request,
                          const CancelFlag& cancel) const;

  // Deletes a file, a link (not its target), or with `recursive` a directory with all it holds.
  Status remove(const Workspace& workspace, const DeleteRequest& request,
                const CancelFlag& cancel) const;

  // Renames a file, a directory or a link itself.
  Status move(const Workspace& workspace, const MoveRequest& request,
              const CancelFlag& cancel) const;

 private:
  FileCore(FileOptions options, PathLock lock)
      : options_(std::move(options)),
        rule_(options_.allowed_extensions, options_.read_extensions),
        lock_(std::move(lock)) {}

  struct LoadedFile;
  Result<LoadedFile> load(const Workspace& workspace, const std::string& path,
                          const CancelFlag& cancel) const;
  Result<WriteResult> write_once(const Workspace& workspace, const WriteRequest& request,
                                 const CancelFlag& cancel) const;
  Result<Place> resolve_for_write(const Workspace& workspace, const WriteRequest& request) const;
  Status move_once(const Workspace& workspace, const MoveRequest& request,
                   const CancelFlag& cancel) const;
  Status move_across(const Place& source, const Place& destination, const MoveRequest& request,
                     const CancelFlag& cancel) const;

  FileOptions options_;
  ExtensionRule rule_;
  PathLock lock_;
};

// kPermissionDenied when `place` lies in a read-only workspace. `path` is the path as given.
Status require_writable(const Place& place, std::string_view path);

// Hexadecimal SHA-256.
std::string sha256_hex(std::string_view bytes);

}  // namespace cmcp::file
