#include "app/banner.h"

namespace cmcp::app {

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
  const std::string url = facts.urls.front() + "/mcp";
  const std::string header =
      facts.authenticated ? " --header \"Authorization: Bearer $MCP_AUTH_TOKEN\"" : "";
  out += "\nClients:\n  Claude Code      claude mcp add --transport http container-mcp " + url +
         header + "\n";
  out += "  Cursor, VS Code  {\"mcpServers\": {\"container-mcp\": {\"url\": \"" + url + "\"}}}\n";
  out +=
      "  Claude Desktop   {\"mcpServers\": {\"container-mcp\": {\"command\": \"npx\", \"args\": "
      "[\"-y\", \"mcp-remote\", \"" +
      url + "\"]}}}\n\n";
  return out;
}

}  // namespace cmcp::app
