// What is taken for a secret when variables are shown.
#pragma once

#include <string_view>

namespace cmcp::managers {

// By name: key, token, secret, password, auth, credential and the like, in any case.
bool is_secret_name(std::string_view name);
// By value: a URL with a user or password before its host.
bool is_secret_value(std::string_view value);

}  // namespace cmcp::managers
