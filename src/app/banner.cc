#include "app/banner.h"

namespace cmcp::app {
namespace {

// What to paste into clients. The token itself is never printed: clients take it from their own
// environment.
std::string client_lines(const std::string& url, bool with_token) {
  const std::string claude =
      with_token ? " --header \"Authorization: Bearer $MCP_AUTH_TOKEN\"" : "";
  const std::string cursor =
      with_token ? R"(, "headers": {"Authorization": "Bearer ${env:MCP_AUTH_TOKEN}"})" : "";
  const std::string remote =
      with_token
          ? R"(, "--header", "Authorization: Bearer ${MCP_AUTH_TOKEN}"], "env": {"MCP_AUTH_TOKEN": "your token"})"
          : "]";
  return "  Claude Code      claude mcp add --transport http container-mcp " + url + claude + "\n" +
         R"(  Cursor           {"mcpServers": {"container-mcp": {"url": ")" + url + "\"" + cursor +
         "}}}\n" + R"(  VS Code          {"servers": {"container-mcp": {"type": "http", "url": ")" +
         url + "\"" + cursor + "}}}\n" +
         R"(  Claude Desktop   {"mcpServers": {"container-mcp": {"command": "npx", "args": ["-y", "mcp-remote", ")" +
         url + "\"" + remote + "}}}\n";
}

}  // namespace

std::string banner(const BannerFacts& facts) {
  std::string out = "\nContainer-MCP " + facts.version + "\n";
  for (const std::string& url : facts.urls) {
    out += "  Streamable HTTP  " + url + "/mcp\n  HTTP with SSE    " + url + "/sse\n";
  }
  for (const std::string& workspace : facts.workspaces)
    out += "  Workspace        " + workspace + "\n";
  out += std::string("  Sandbox          ") +
         sandbox::name_of(sandbox::level_of(facts.sandbox.layers));
  out += sandbox::doctor_ok(facts.sandbox)
             ? " (every layer proven by trying the forbidden act)\n"
             : ": tools that need a sandbox are REFUSED; `container-mcp doctor` says why\n";
  out += facts.authenticated ? "  Access           with the token of MCP_AUTH_TOKEN\n"
                             : "  Access           without a token, from this machine only\n";
  if (facts.urls.empty()) return out;
  return out + "\nClients:\n" + client_lines(facts.urls.front() + "/mcp", facts.authenticated) +
         "\n";
}

}  // namespace cmcp::app
