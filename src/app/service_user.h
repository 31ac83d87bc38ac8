// The system user that a root start serves as, and the directories that it owns.
#pragma once

#include <string>

#include "base/result.h"
#include "base/types.h"

namespace cmcp::app {

inline constexpr const char* kServiceUser = "container-mcp";

struct ServiceUser {
  Uid uid;
  Gid gid;
};

// The account kServiceUser. kNotFound with the command that makes it.
Result<ServiceUser> find_service_user();

// Gives up root for good: no supplementary groups, then group and user. kInternal when the kernel
// says anything but yes.
Status become(const ServiceUser& user);

// Makes `path` and its missing parents with `mode` for the last and 0755 for the others. What is
// made by a root start belongs to `owner` from the first moment on that somebody else could see it;
// what exists is left as it is. kIo with the path's setting `name` and the cause.
Status ensure_directory(const std::string& name, const std::string& path, mode_t mode,
                        const ServiceUser* owner);

}  // namespace cmcp::app
