#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/base64.h"
#include "base/omission_line.h"
#include "base/strings.h"
#include "managers/file/atomic_file.h"
#include "managers/file/file_core.h"
#include "managers/file/regular_file.h"
#include "managers/file/text_codec.h"

namespace cmcp::file {
namespace {

using Access = ExtensionRule::Access;

// The bytes of `request.content`. A mark is not repeated in front of an appended piece.
Result<std::string> encoded(const WriteRequest& request, bool onto_existing) {
  if (request.encoding == "base64") {
    Result<std::string> bytes = base64::decode(request.content);
    if (bytes.ok()) return bytes;
    return Error(ErrorCode::kInvalidArgument, "content is not base64: " + bytes.error().message());
  }
  CMCP_TRY(const TextCodec codec, TextCodec::find(request.encoding));
  return codec.encode(request.content,
                      onto_existing ? TextCodec::Mark::kNever : TextCodec::Mark::kAsEncoding);
}

Status check_content(const WriteRequest& request, Bytes limit) {
  if (request.encoding != "base64" && contains_omission_line(request.content)) {
    return Error(ErrorCode::kInvalidArgument,
                 "content holds a line that stands for left-out output (\"[… bytes left out …]\"); "
                 "writing it would put "
                 "that line into " +
                     shown(request.path) + " in place of the text. Read the whole text first");
  }
  if (request.if_sha256) {
    const std::string& hash = *request.if_sha256;
    if (hash.size() != 64 ||
        to_lower(hash).find_first_not_of("0123456789abcdef") != std::string::npos) {
      return Error(
          ErrorCode::kInvalidArgument,
          "if_sha256 must be the 64 hexadecimal digits that file_read gave, not " + shown(hash));
    }
  }
  CMCP_TRY(const std::string bytes, encoded(request, false));
  if (bytes.size() <= limit.count) return {};
  return Error(ErrorCode::kLimitExceeded, "Content too large: " + size_text(bytes.size(), limit));
}

Error names_a_directory(std::string_view path) {
  return {ErrorCode::kInvalidArgument,
          "Path is a directory: " + shown(path) + " (give the name of a file)"};
}

Status check_name(const ExtensionRule& rule, std::string_view name, std::string_view path) {
  if (is_temporary_name(name)) {
    return Error(ErrorCode::kPermissionDenied,
                 "Reserved name: " + shown(path) + " is a name of the server's own");
  }
  return rule.check(name, Access::kWrite, path);
}

// What a write finds at its place.
struct Existing {
  bool exists = false;
  mode_t mode = 0;
  std::string bytes;  // only when they are needed
};

Result<Existing> look_at(const Place& place, const WriteRequest& request, Bytes limit,
                         const CancelFlag& cancel) {
  const int directory = place.parent.get();
  const char* name = place.name.c_str();
  Existing existing;
  struct stat status{};
  if (::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return existing;
    return path_error(errno, request.path);
  }
  if (S_ISLNK(status.st_mode))
    return Error(ErrorCode::kUnavailable, "Changed while it was being opened");
  if (S_ISDIR(status.st_mode)) return names_a_directory(request.path);
  if (!S_ISREG(status.st_mode)) {
    return Error(ErrorCode::kInvalidArgument,
                 "Not a regular file: " + shown(request.path) + " is " + kind_name(status.st_mode));
  }
  // The rename that publishes a write asks only for the directory's permission; a file that is
  // write-protected stays so.
  if (::faccessat(directory, name, W_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) != 0)
    return path_error(errno, request.path);
  existing.exists = true;
  existing.mode = status.st_mode & 01777U;
  if (request.append || request.if_sha256) {
    CMCP_TRY(const RegularFile file, open_regular(place, request.path));
    CMCP_TRY(existing.bytes, read_all(file, limit, request.path, cancel));
  }
  return existing;
}

Status check_version(const Existing& existing, const WriteRequest& request) {
  if (!request.if_sha256) return {};
  if (!existing.exists) {
    return Error(ErrorCode::kNotFound, "File not found: " + shown(request.path) +
                                           " (if_sha256 asks for an existing one)");
  }
  const std::string now = sha256_hex(existing.bytes);
  if (now == to_lower(*request.if_sha256)) return {};
  return Error(ErrorCode::kAlreadyExists, "Not written: " + shown(request.path) +
                                              " has changed (its sha256 is " + now +
                                              "); read it again and repeat the change");
}

}  // namespace

Status require_writable(const Place& place, std::string_view path) {
  if (!place.is_name_list() && !place.root->read_only) return {};
  if (place.is_name_list()) return names_a_directory(path);
  return Error(ErrorCode::kPermissionDenied,
               "Read-only workspace: " + shown(path) +
                   " cannot be changed; write to another place, or ask the operator to give it "
                   "without :ro (or WORKSPACE_READONLY)");
}

Result<Place> FileCore::resolve_for_write(const Workspace& workspace,
                                          const WriteRequest& request) const {
  const std::string& path = request.path;
  CMCP_TRY(const PathName name, parse_path(path));
  if (name.directory_form) {
    // An escape is told as such even in this form.
    Result<Place> place = workspace.resolve(path, FinalLink::kFollow);
    if (!place.ok() && place.error().code() == ErrorCode::kPermissionDenied) return place;
    return names_a_directory(path);
  }
  Result<Place> place = workspace.resolve(path, FinalLink::kFollow);
  if (place.ok() || place.error().code() != ErrorCode::kNotFound ||
      place.error().os_errno() != ENOENT)
    return place;
  // Directories are made only for a write that can succeed.
  CMCP_CHECK_OK(check_name(rule_, name.parts.back(), path));
  if (request.if_sha256) return Error(ErrorCode::kNotFound, "File not found: " + shown(path));
  if (workspace.read_only()) {
    return Error(ErrorCode::kPermissionDenied,
                 "Read-only workspace: " + shown(path) +
                     " cannot be changed; write to another place, or ask the operator to give it "
                     "without :ro (or WORKSPACE_READONLY)");
  }
  return workspace.resolve(path, FinalLink::kFollow, Parents::kCreate);
}

Result<WriteResult> FileCore::write_once(const Workspace& workspace, const WriteRequest& request,
                                         const CancelFlag& cancel) const {
  CMCP_TRY(const Place place, resolve_for_write(workspace, request));
  CMCP_CHECK_OK(require_writable(place, request.path));
  if (place.is_root()) return names_a_directory(request.path);
  CMCP_CHECK_OK(check_name(rule_, place.name, request.path));
  CMCP_TRY(const Fd lock, lock_.acquire({&place}, cancel));
  CMCP_TRY(Existing existing, look_at(place, request, options_.max_size, cancel));
  CMCP_CHECK_OK(check_version(existing, request));

  const bool onto_existing = request.append && !existing.bytes.empty();
  CMCP_TRY(std::string bytes, encoded(request, onto_existing));
  if (onto_existing) bytes.insert(0, existing.bytes);
  if (bytes.size() > options_.max_size.count) {
    return Error(ErrorCode::kLimitExceeded,
                 "Content too large: " + size_text(bytes.size(), options_.max_size));
  }
  NewFile file;
  file.fill = [&](int fd) { return write_all(fd, bytes, request.path); };
  file.publish = existing.exists ? Publish::kReplace : Publish::kNew;
  if (existing.exists) file.mode = existing.mode;
  const Status published = publish_file(place, file, request.path);
  if (!published.ok()) {
    // Somebody else made the file, or took its directory away, since it was looked at.
    const bool again =
        published.error().os_errno() == EEXIST || published.error().os_errno() == ENOENT;
    if (again) return Error(ErrorCode::kUnavailable, published.error().message());
    return published.error();
  }
  return WriteResult{bytes.size(), sha256_hex(bytes), !existing.exists};
}

Result<WriteResult> FileCore::write(const Workspace& workspace, const WriteRequest& request,
                                    const CancelFlag& cancel) const {
  CMCP_CHECK_OK(check_content(request, options_.max_size));
  return retry_while_swapped([&] { return write_once(workspace, request, cancel); }, request.path);
}

}  // namespace cmcp::file
