#include "sandbox/host_paths.h"

#include <errno.h>
#include <fmt/format.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <deque>

#include "base/strings.h"

namespace cmcp::sandbox {
namespace {

constexpr int kMaxLinks = 40;  // as the kernel

Error path_error(const std::string& path, int error) {
  const ErrorCode code = error == ENOENT || error == ENOTDIR ? ErrorCode::kNotFound
                         : error == EACCES                   ? ErrorCode::kPermissionDenied
                                                             : ErrorCode::kIo;
  return {code, fmt::format("{}: {}", path, strerror(error)), error};
}

void push_front(std::deque<std::string>& rest, std::string_view path) {
  const auto parts = split(path, '/');
  rest.insert(rest.begin(), parts.begin(), parts.end());
}

}  // namespace

std::string parent_of(const std::string& path) {
  const auto last = path.find_last_not_of('/');
  if (last == std::string::npos) return "/";
  const auto slash = path.rfind('/', last);
  return slash == std::string::npos || slash == 0 ? "/" : path.substr(0, slash);
}

bool is_below(std::string_view path, std::string_view directory) {
  while (directory.size() > 1 && directory.back() == '/') directory.remove_suffix(1);
  if (directory == "/") return path.starts_with('/');
  return path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

Result<ResolvedPath> resolve_path(const std::string& path) {
  if (!path.starts_with('/')) {
    return Error(ErrorCode::kInvalidArgument,
                 fmt::format("{} is not an absolute path.", printable(path)));
  }
  ResolvedPath result;
  std::deque<std::string> rest;
  push_front(rest, path);
  std::string current;  // "" is the root
  int links = 0;
  while (!rest.empty()) {
    const std::string name = std::move(rest.front());
    rest.pop_front();
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      current.erase(current.empty() ? 0 : current.rfind('/'));
      continue;
    }
    const std::string next = current + "/" + name;
    struct stat info{};
    if (lstat(next.c_str(), &info) != 0) return path_error(next, errno);
    if (!S_ISLNK(info.st_mode)) {
      current = next;
      continue;
    }
    if (++links > kMaxLinks) return path_error(path, ELOOP);
    char target[PATH_MAX];
    const ssize_t size = readlink(next.c_str(), target, sizeof(target));
    if (size < 0) return path_error(next, errno);
    const std::string text(target, static_cast<std::size_t>(size));
    result.symlinks.push_back({{next}, text});
    if (text.starts_with('/')) current.clear();
    push_front(rest, text);
  }
  result.path = current.empty() ? "/" : current;
  return result;
}

}  // namespace cmcp::sandbox
