// Describes settings to people, from the table.
#pragma once

#include <string>

#include "config/settings.h"

namespace cmcp::config {

// `container-mcp config`: one paragraph a setting with value, origin and meaning. Secrets show as
// "(set)".
std::string describe(const Settings& settings);
// docs/configuration.md.
std::string markdown();
// config/default.env: every setting, commented out, with its default.
std::string default_env();
// "a number from 1 to 86400", "true or false", "one of L0, L1, L2, L3": what a value may be.
std::string allowed(const Setting& setting);

}  // namespace cmcp::config
