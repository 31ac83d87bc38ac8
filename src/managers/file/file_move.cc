#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "managers/file/atomic_file.h"
#include "managers/file/file_core.h"
#include "managers/file/regular_file.h"

namespace cmcp::file {
namespace {

using Access = ExtensionRule::Access;

Error refuse(const std::string& text) {
  return {ErrorCode::kInvalidArgument, text};
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

Error destination_exists(std::string_view path) {
  return {ErrorCode::kAlreadyExists,
          "Destination already exists: " + shown(path) + " (overwrite: true replaces it)", EEXIST};
}

Error destination_is_directory(std::string_view path, std::string_view name) {
  return refuse("Destination is a directory: " + shown(path) +
                " (give the full new path, ending in the new name, such as " + shown(name) + ")");
}

Result<Place> find_source(const Workspace& workspace, const std::string& path) {
  CMCP_TRY(const PathName name, parse_path(path));
  Result<Place> place = workspace.resolve(path, FinalLink::kKeep);
  if (!place.ok()) {
    if (place.error().code() != ErrorCode::kNotFound) return place;
    return Error(ErrorCode::kNotFound, "Source file not found: " + shown(path));
  }
  if (place->is_root()) return refuse("Source is the workspace itself: " + shown(path));
  if (name.ends_in_dots)
    return refuse("Source must be named itself, without a final . or ..: " + shown(path));
  CMCP_CHECK_OK(require_writable(*place, path));
  return place;
}

Result<Place> find_destination(const Workspace& workspace, const std::string& path,
                               const std::string& source_name) {
  CMCP_TRY(const PathName name, parse_path(path));
  Result<Place> place = workspace.resolve(path, FinalLink::kKeep);
  if (!place.ok()) {
    if (place.error().code() != ErrorCode::kNotFound) return place;
    return Error(ErrorCode::kNotFound, "Destination directory not found: " + shown(path) +
                                           " (make it first; a move makes no directories)");
  }
  if (place->is_root() || name.ends_in_dots) return destination_is_directory(path, source_name);
  CMCP_CHECK_OK(require_writable(*place, path));
  if (is_temporary_name(place->name)) {
    return Error(ErrorCode::kPermissionDenied,
                 "Reserved name: " + shown(path) + " is a name of the server's own");
  }
  return place;
}

// Why `source` may not take the place of what stands at `destination`.
Status check_replacement(const MoveRequest& request, const Place& from, const struct stat& source,
                         const struct stat& destination) {
  if (same_file(source, destination)) {
    return refuse("Source and destination are the same file: " + shown(request.source) + " and " +
                  shown(request.destination));
  }
  if (S_ISDIR(destination.st_mode)) return destination_is_directory(request.destination, from.name);
  if (!request.overwrite) return destination_exists(request.destination);
  if (S_ISDIR(source.st_mode)) {
    return refuse("A directory cannot replace a file: " + shown(request.destination) +
                  " is a file");
  }
  return {};
}

// A file system without RENAME_NOREPLACE: a link fails on an existing name too, and no name is ever
// missing.
int rename_by_link(const Place& from, const Place& to) {
  if (::linkat(from.parent.get(), from.name.c_str(), to.parent.get(), to.name.c_str(), 0) != 0)
    return -1;
  return ::unlinkat(from.parent.get(), from.name.c_str(), 0);
}

}  // namespace

Status FileCore::move_across(const Place& source, const Place& destination,
                             const MoveRequest& request, const CancelFlag& cancel) const {
  Result<RegularFile> file = open_regular(source, request.source);
  if (!file.ok()) {
    return Error(
        ErrorCode::kUnsupported,
        "Cannot move " + shown(request.source) +
            ": the destination lies on another file system, where only files can be moved");
  }
  CMCP_TRY(const std::string bytes, read_all(*file, options_.max_size, request.source, cancel));
  NewFile copy;
  copy.fill = [&](int fd) { return write_all(fd, bytes, request.destination); };
  copy.mode = file->status.st_mode & 01777U;
  copy.publish = request.overwrite ? Publish::kReplace : Publish::kNew;
  const Status published = publish_file(destination, copy, request.destination);
  if (!published.ok()) {
    return published.error().code() == ErrorCode::kAlreadyExists
               ? destination_exists(request.destination)
               : published.error();
  }
  struct stat now{};
  const int looked = ::fstatat(source.parent.get(), source.name.c_str(), &now, AT_SYMLINK_NOFOLLOW);
  const bool unchanged = looked == 0 && same_file(now, file->status) &&
                         now.st_mtim.tv_sec == file->status.st_mtim.tv_sec &&
                         now.st_mtim.tv_nsec == file->status.st_mtim.tv_nsec;
  if (unchanged && ::unlinkat(source.parent.get(), source.name.c_str(), 0) == 0) return {};
  return Error(ErrorCode::kIo,
               "Copied to " + shown(request.destination) + ", but " + shown(request.source) +
                   " could not be deleted or was changed meanwhile; both exist now");
}

Status FileCore::move_once(const Workspace& workspace, const MoveRequest& request,
                           const CancelFlag& cancel) const {
  CMCP_TRY(const Place from, find_source(workspace, request.source));
  CMCP_TRY(const Place to, find_destination(workspace, request.destination, from.name));
  CMCP_TRY(const Fd lock, lock_.acquire({&from, &to}, cancel));
  struct stat source{};
  if (::fstatat(from.parent.get(), from.name.c_str(), &source, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT) return path_error(errno, request.source);
    return Error(ErrorCode::kNotFound, "Source file not found: " + shown(request.source));
  }
  const bool directory = S_ISDIR(source.st_mode);
  if (from.directory_form && !directory)
    return refuse("Path is not a directory: " + shown(request.source));
  if (!directory) {
    CMCP_CHECK_OK(rule_.check(from.name, Access::kWrite, request.source));
  }
  struct stat destination{};
  if (::fstatat(to.parent.get(), to.name.c_str(), &destination, AT_SYMLINK_NOFOLLOW) == 0) {
    CMCP_CHECK_OK(check_replacement(request, from, source, destination));
  } else if (errno != ENOENT) {
    return path_error(errno, request.destination);
  }
  if (!directory) {
    if (to.directory_form) {
      return Error(ErrorCode::kNotFound,
                   "Destination directory not found: " + shown(request.destination));
    }
    CMCP_CHECK_OK(rule_.check(to.name, Access::kWrite, request.destination));
  }

  const unsigned flags = request.overwrite ? 0 : RENAME_NOREPLACE;
  int done =
      ::renameat2(from.parent.get(), from.name.c_str(), to.parent.get(), to.name.c_str(), flags);
  if (done != 0 && (errno == EINVAL || errno == ENOSYS) && !directory && flags != 0)
    done = rename_by_link(from, to);
  if (done == 0) return {};
  switch (errno) {
    case EEXIST:
    case ENOTEMPTY:
      return destination_exists(request.destination);
    case EINVAL:
      return refuse("A directory cannot be moved into itself: " + shown(request.destination) +
                    " lies in " + shown(request.source));
    case EXDEV:
      return move_across(from, to, request, cancel);
    case ENOENT:
    case EISDIR:
    case ENOTDIR:
      return Error(ErrorCode::kUnavailable, "Changed while it was being moved");
    default: {
      const Error cause = path_error(errno, request.source);
      return Error(cause.code(),
                   cause.message() + " (moving it to " + shown(request.destination) + ")",
                   cause.os_errno());
    }
  }
}

Status FileCore::move(const Workspace& workspace, const MoveRequest& request,
                      const CancelFlag& cancel) const {
  return retry_while_swapped([&] { return move_once(workspace, request, cancel); }, request.source);
}

}  // namespace cmcp::file
