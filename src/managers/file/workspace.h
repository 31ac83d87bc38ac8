// Workspace: the directory (or the named directories) that a principal works in, and the one way
// from a client's path to a place in it. It holds descriptors, never host paths.
//
//   CMCP_TRY(Workspace workspace, Workspace::open(HostPath{"/srv/files"}));
//   CMCP_TRY(Place place, workspace.resolve("sub/x.txt", FinalLink::kFollow));
//   openat(place.parent.get(), place.name.c_str(), O_RDONLY | O_NOFOLLOW | …);
//
// A place is a descriptor of the parent directory and a final name: whatever is done next is done
// relative to that descriptor and with O_NOFOLLOW, so that nothing is looked up twice and a swap
// between the two steps can only end in an error or in another file of the same directory. Links
// that stay inside are followed, absolute targets below /workspace are re-rooted, all others are
// refused without a look at what they name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"
#include "managers/file/path_name.h"

namespace cmcp::file {

struct WorkspaceRoot {
  std::string
      name;      // "" when the workspace is this one directory; else it is seen as /workspace/NAME
  Fd directory;  // O_PATH or readable
  bool read_only = false;
};

enum class FinalLink { kFollow, kKeep };
enum class Parents { kMustExist, kCreate };
// kOpenat2 where the kernel has it; kComponentWalk opens each component with O_NOFOLLOW. Both
// refuse the same paths.
enum class WalkMode { kOpenat2, kComponentWalk };

struct Place {
  Fd parent;  // O_PATH descriptor of the directory that holds it; invalid for the list of named
              // workspaces
  std::string name;  // final name, a single component; "" for a workspace root, whose descriptor is
                     // then `parent`
  std::string
      path;  // link-free path from /workspace, without leading slash; "" for the workspace itself
  const WorkspaceRoot* root = nullptr;  // nullptr for the list of named workspaces
  bool directory_form = false;          // spelled so that only a directory can be meant
  bool is_root() const { return name.empty(); }
  bool is_name_list() const { return root == nullptr; }
};

class Workspace {
 public:
  // One directory of the host, opened once. kNotFound, kIo.
  static Result<Workspace> open(const HostPath& directory, bool read_only = false);
  // At most one root has the name "" (then the others lie over its entries of that name, as mounts
  // do); without one, /workspace is the list of the names. kInvalidArgument for an empty list, a
  // bad or double name. or double name.
  static Result<Workspace> from_roots(std::vector<WorkspaceRoot> roots);
  // The same roots through another walk: for tests and for kernels that filter openat2.
  void set_walk_mode(WalkMode mode) { mode_ = mode; }
  WalkMode walk_mode() const { return mode_; }

  const std::vector<WorkspaceRoot>& roots() const { return roots_; }
  // The root at /workspace; nullptr when /workspace is only the list of the names.
  const WorkspaceRoot* base() const;
  // The root at /workspace/NAME, or nullptr. `name` is not "".
  const WorkspaceRoot* named(std::string_view name) const;
  // True when every root is read-only.
  bool read_only() const;

  // Walks to `path`. The final entry need not exist; its parent directories must, unless they are
  // to be created. kPermissionDenied "Path traversal attempt detected: P" when it leads outside,
  // kNotFound "Path not found: P", kInvalidArgument for a malformed path, kIo otherwise.
  Result<Place> resolve(std::string_view path, FinalLink final_link,
                        Parents parents = Parents::kMustExist) const;

  // A readable descriptor of the directory `place`. kNotFound, kPermissionDenied, kInvalidArgument
  // when it is no directory.
  Result<Fd> open_directory(const Place& place) const;

  // For the run managers: `working_dir` (any spelling) must be an existing directory inside the
  // workspace. Gives back its link-free path relative to /workspace ("" for /workspace itself).
  // Errors name it as given.
  Result<std::string> check_directory(std::string_view working_dir) const;

 private:
  explicit Workspace(std::vector<WorkspaceRoot> roots) : roots_(std::move(roots)) {}
  std::vector<WorkspaceRoot> roots_;
  WalkMode mode_ = WalkMode::kOpenat2;
};

// The Error for a failed call on `path`: a sentence in terms of the workspace, never of the host.
Error path_error(int error_number, std::string_view path);
Error traversal_error(std::string_view path);

}  // namespace cmcp::file
