// Which environment a caller may give to a run: plain names, and none that makes a loader, a shell
// or an interpreter load or run something before the code that was asked for.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace cmcp::managers {

using Environment = std::vector<std::pair<std::string, std::string>>;

// Whether `name` is a loader or start-up hook (LD_PRELOAD, BASH_ENV, PYTHONSTARTUP, …).
bool is_startup_hook(std::string_view name);

// The entries as NAME=VALUE. kInvalidArgument names the entry and the rule: a name is
// [A-Za-z_][A-Za-z0-9_]*, no hook; a value holds no NUL; at most 128 entries and 128 KiB in all.
Result<std::vector<std::string>> environment_entries(const Environment& environment);

}  // namespace cmcp::managers
