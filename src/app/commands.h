// What `container-mcp` does after it has read its command line. Each returns the exit status.
#pragma once

#include "app/command_line.h"
#include "config/env.h"

namespace cmcp::app {

int serve_http(const CommandLine& line, const config::Environment& environment);
int serve_stdio(const CommandLine& line, const config::Environment& environment);
// One tool call from the shell: the tool's object on stdout; 0 when it says success.
int call_tool(const CommandLine& line, const config::Environment& environment);
// 0 when the level is at least SANDBOX_REQUIRE.
int doctor(const CommandLine& line, const config::Environment& environment);
int show_config(const CommandLine& line, const config::Environment& environment);

}  // namespace cmcp::app
