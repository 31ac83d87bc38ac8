// SettingsBuilder: checks values against the table and makes Settings. The loader uses it; so do
// tests of other rooms:
//
//   Settings settings = SettingsBuilder().with("BASH_TIMEOUT_MAX", "5").build(HostFacts{});
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "config/env.h"
#include "config/host_facts.h"
#include "config/settings.h"

namespace cmcp::config {

class SettingsBuilder {
 public:
  SettingsBuilder();  // every row at its default

  // Sets `name` from its written form. `where` is the origin for messages when it says more ("file
  // PATH, line 3"). kInvalidArgument: unknown name or bad value; kUnsupported: not built yet
  // (unless it is the default).
  Status set(std::string_view name, std::string_view text, std::string_view origin,
             std::string_view where = {});
  // For tests: aborts where set() fails.
  SettingsBuilder& with(std::string_view name, std::string_view text);

  // Fills in what depends on the machine or on other settings (SANDBOX_ROOT and its neighbours,
  // SANDBOX_MAX_RUNS, MCP_MAX_BODY_MB, CONTAINER …); these keep the origin "default". `environment`
  // gives $XDG_DATA_HOME.
  Settings build(const HostFacts& host, const Environment& environment = {}) const;

 private:
  Settings settings_;
};

// kInvalidArgument for settings that contradict each other (a default above its maximum).
Status check_together(const Settings& settings);

}  // namespace cmcp::config
