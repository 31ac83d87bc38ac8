#include "sandbox/backend_choice.h"

#include "base/strings.h"

namespace cmcp::sandbox {

Result<Backend> parse_backend(std::string_view text) {
  for (const Backend backend : kBackends) {
    if (equals_ignore_case(text, name_of(backend))) return backend;
  }
  return Error(ErrorCode::kInvalidArgument,
               "SANDBOX_BACKEND: \"" + printable(text) +
                   "\" is no backend. Allowed: native, bwrap, firejail+native, none.");
}

Status check_required(Backend backend, Level required) {
  if (backend != Backend::kNone || required == Level::kL0) return {};
  return Error(ErrorCode::kInvalidArgument,
               std::string("SANDBOX_BACKEND=none runs programs without any sandbox: with the "
                           "server's rights, on the host's files and network. That starts only "
                           "together with SANDBOX_REQUIRE=L0 (it is ") +
                   name_of(required) +
                   "). Set both if this machine may be lost, or leave SANDBOX_BACKEND unset.");
}

}  // namespace cmcp::sandbox
