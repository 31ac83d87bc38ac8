#include "sandbox/bwrap.h"

#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cctype>

#include "base/strings.h"
#include "os/error.h"
#include "os/program.h"
#include "sandbox/helper/bwrap_arguments.h"

namespace cmcp::sandbox {
namespace {

constexpr const char* kSetting = "SANDBOX_BACKEND=bwrap: ";
// What the arguments need: --clearenv, --as-pid-1, --args, and --unshare-user beside --unshare-all.
constexpr Version kOldest{0, 5, 0};
constexpr Version kDisablesUserns{0, 8, 0};
constexpr Version kCreatesSafely{0, 12, 0};

Status check_program() {
  struct stat info{};
  if (::lstat(kBwrapProgram, &info) != 0) {
    return Error(ErrorCode::kNotFound, std::string(kSetting) + kBwrapProgram +
                                           " is not there: install the package bubblewrap, or use "
                                           "SANDBOX_BACKEND=native, which needs no other program");
  }
  if (!S_ISREG(info.st_mode) || info.st_uid != 0 || (info.st_mode & 0022) != 0) {
    return Error(ErrorCode::kPermissionDenied,
                 std::string(kSetting) + kBwrapProgram +
                     " is not a plain file that root alone can change; install the package "
                     "bubblewrap again");
  }
  const bool file_capabilities = ::getxattr(kBwrapProgram, "security.capability", nullptr, 0) > 0;
  if ((info.st_mode & (S_ISUID | S_ISGID)) != 0 || file_capabilities) {
    return Error(ErrorCode::kPermissionDenied,
                 std::string(kSetting) + kBwrapProgram +
                     " is set-uid or has file capabilities, and a program with more rights than "
                     "its caller is not used here: chmod u-s,g-s and setcap -r it (user "
                     "namespaces make it work without), or use SANDBOX_BACKEND=native");
  }
  return {};
}

}  // namespace

std::string text_of(const Version& version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
         std::to_string(version.patch);
}

Result<Version> find_version(std::string_view text) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto begin = std::find_if(text.begin(), text.end(), digit);
  const auto end =
      std::find_if(begin, text.end(), [&digit](char c) { return !digit(c) && c != '.'; });
  const auto parts = split(std::string(begin, end), '.');
  std::vector<unsigned> numbers;
  for (const auto& part : parts) {
    const auto number = parse_int(part);
    if (!number || *number < 0 || *number > 100000) break;
    numbers.push_back(static_cast<unsigned>(*number));
  }
  if (numbers.size() < 2)
    return Error(ErrorCode::kProtocol, "no version in \"" + printable(text, 100) + "\"");
  return Version{numbers[0], numbers[1], numbers.size() > 2 ? numbers[2] : 0};
}

Result<Bwrap> judge_bwrap(const Version& version) {
  if (version < kOldest) {
    return Error(ErrorCode::kUnsupported,
                 std::string(kSetting) + "bubblewrap " + text_of(version) +
                     " lacks options that are needed; install 0.5.0 or later, or use "
                     "SANDBOX_BACKEND=native");
  }
  Bwrap bwrap{version, version >= kDisablesUserns, {}};
  if (version < kCreatesSafely) {
    bwrap.notes.push_back(
        "bubblewrap " + text_of(version) +
        " is older than 0.12.0 (CVE-2026-87766: what it creates below a writable bind can land on "
        "the host); it is given no option that creates anything");
  }
  if (!bwrap.disable_userns) {
    bwrap.notes.push_back("bubblewrap " + text_of(version) +
                          " does not know --disable-userns; seccomp alone forbids user namespaces");
  }
  return bwrap;
}

Result<Bwrap> find_bwrap() {
  CMCP_CHECK_OK(check_program());
  auto said = os::output_of(kBwrapProgram, {"--version"});
  if (!said.ok()) return said.error().with_context(std::string(kSetting) + "asking its version");
  const auto version = find_version(*said);
  if (!version.ok()) return version.error().with_context(std::string(kSetting) + kBwrapProgram);
  return judge_bwrap(*version);
}

Status check_bwrap_workspaces(const std::vector<WorkspaceRoot>& roots) {
  const bool base =
      std::any_of(roots.begin(), roots.end(), [](const auto& root) { return root.name.empty(); });
  const auto named =
      std::find_if(roots.begin(), roots.end(), [](const auto& root) { return !root.name.empty(); });
  if (!base || named == roots.end()) return {};
  return Error(ErrorCode::kInvalidArgument,
               std::string(kSetting) + "the workspace " + named->name +
                   " would lie below the one at /workspace, and bubblewrap follows what a program "
                   "puts at that place. Serve one workspace without a name, or use "
                   "SANDBOX_BACKEND=native");
}

}  // namespace cmcp::sandbox
