#include "app/service_user.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fd.h"

namespace cmcp::app {

Result<ServiceUser> find_service_user() {
  const passwd* entry = getpwnam(kServiceUser);
  if (entry == nullptr) {
    return Error(ErrorCode::kNotFound, std::string("a start as root serves as the system user ") +
                                           kServiceUser +
                                           ", which does not exist here. Make it with\n  useradd "
                                           "--system --user-group --no-create-home --shell "
                                           "/usr/sbin/nologin " +
                                           kServiceUser + "\nor start as an ordinary user");
  }
  return ServiceUser{Uid{entry->pw_uid}, Gid{entry->pw_gid}};
}

Status become(const ServiceUser& user) {
  const bool dropped = setgroups(0, nullptr) == 0 &&
                       setresgid(user.gid.value, user.gid.value, user.gid.value) == 0 &&
                       setresuid(user.uid.value, user.uid.value, user.uid.value) == 0;
  if (!dropped || getuid() != user.uid.value || geteuid() != user.uid.value || setuid(0) == 0) {
    return Error(ErrorCode::kInternal, std::string("cannot give up root: ") + std::strerror(errno),
                 errno);
  }
#ifdef CMCP_LEAK_CHECK
  // The change of identity forbade it, and the leak checker traces its own process when it ends.
  if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0) return Error(ErrorCode::kInternal, "prctl", errno);
#endif
  return {};
}

namespace {

Error directory_error(const std::string& name, const std::string& path, int error) {
  return {ErrorCode::kIo,
          "cannot make or open " + path + " (" + name + "): " + std::strerror(error), error};
}

}  // namespace

Status ensure_directory(const std::string& name, const std::string& path, mode_t mode,
                        const ServiceUser* owner) {
  Fd current(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  std::size_t begin = 1;
  while (begin < path.size()) {
    std::size_t end = path.find('/', begin);
    if (end == std::string::npos) end = path.size();
    const std::string component = path.substr(begin, end - begin);
    const bool last = path.find_first_not_of('/', end) == std::string::npos;
    begin = end + 1;
    if (component.empty() || component == ".") continue;
    const bool made = mkdirat(current.get(), component.c_str(), last ? mode : mode_t{0755}) == 0;
    if (!made && errno != EEXIST) return directory_error(name, path, errno);
    // A directory that was made just now is entered without following a link that could have
    // replaced it.
    Fd next(openat(current.get(), component.c_str(),
                   (made ? O_RDONLY | O_NOFOLLOW : O_PATH) | O_DIRECTORY | O_CLOEXEC));
    if (!next) return directory_error(name, path, errno);
    if (made && owner != nullptr && fchown(next.get(), owner->uid.value, owner->gid.value) != 0) {
      return directory_error(name, path, errno);
    }
    current = std::move(next);
  }
  return {};
}

}  // namespace cmcp::app
