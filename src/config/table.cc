// The settings table: contract section 6, row by row. A name that is not here does not exist.
#include <string>
#include <vector>

#include "config/settings.h"

namespace cmcp::config {
namespace {

Setting text(std::string_view name, std::string_view default_value, std::string_view meaning) {
  return {name, Type::kText, default_value, 0, 0, meaning, false, true};
}

Setting word(std::string_view name, std::string_view default_value, std::string_view choices,
             std::string_view unbuilt, std::string_view meaning) {
  Setting row = text(name, default_value, meaning);
  row.choices = choices;
  row.unbuilt_choices = unbuilt;
  return row;
}

Setting integer(std::string_view name, std::string_view default_value, std::int64_t minimum,
                std::int64_t maximum, std::string_view meaning) {
  return {name, Type::kInteger, default_value, minimum, maximum, meaning, false, true};
}

Setting flag(std::string_view name, std::string_view default_value, std::string_view meaning) {
  return {name, Type::kFlag, default_value, 0, 0, meaning, false, true};
}

Setting list(std::string_view name, std::string_view default_value, std::string_view meaning) {
  return {name, Type::kList, default_value, 0, 0, meaning, false, true};
}

Setting path(std::string_view name, std::string_view meaning, std::string_view default_note = {}) {
  Setting row{name, Type::kPath, "", 0, 0, meaning, false, true};
  row.default_note = default_note;
  return row;
}

Setting secret(Setting row) {
  row.secret = true;
  return row;
}

Setting unbuilt(Setting row) {
  row.built = false;
  return row;
}

Setting noted(Setting row, std::string_view default_note) {
  row.default_note = default_note;
  return row;
}

constexpr std::int64_t kDay = 86400;             // seconds
constexpr std::int64_t kMaxMegabytes = 1 << 20;  // one TiB

void listeners(std::vector<Setting>& rows) {
  rows.push_back(noted(
      text(
          "MCP_HOST", "127.0.0.1",
          "Address to listen on. An address that is not a loopback address needs MCP_AUTH_TOKEN or "
          "MCP_ALLOW_UNAUTHENTICATED=true. `--host` overrides it."),
      "unset: ::1 too"));
  rows.push_back(integer("MCP_PORT", "8000", 0, 65535,
                         "TCP port; 0 lets the kernel choose. `--port` overrides it."));
  rows.push_back(unbuilt(path("MCP_SOCKET", "Unix socket to listen on, with peer credentials.")));
  rows.push_back(list(
      "MCP_ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]",
      "Host names that the Host header of a request may have, with any port. The bound address is "
      "always allowed."));
  rows.push_back(list("MCP_ALLOWED_ORIGINS", "",
                      "Origins of web pages (scheme://host:port) whose requests are answered. "
                      "Empty: none; requests "
                      "without an Origin header are not from a page and pass."));
  rows.push_back(secret(text(
      "MCP_AUTH_TOKEN", "",
      "The bearer token that every HTTP request must carry. Printable ASCII without spaces.")));
  rows.push_back(
      unbuilt(path("MCP_AUTH_FILE", "File of tokens with names and scopes, and OAuth settings.")));
  rows.push_back(flag("MCP_ALLOW_UNAUTHENTICATED", "false",
                      "Permits an address that is not a loopback address without a token. Only "
                      "where something else "
                      "keeps strangers out, such as a container port published on 127.0.0.1."));
  rows.push_back(unbuilt(path("MCP_TLS_CERT", "Certificate chain (PEM) for HTTPS.")));
  rows.push_back(unbuilt(path("MCP_TLS_KEY", "Private key (PEM) for HTTPS.")));
  rows.push_back(
      path("MCP_SESSION_KEY_FILE",
           "Key that signs session ids, so that they survive a restart. Made at the first start.",
           "session.key in STATE_DIR"));
  rows.push_back(noted(integer("MCP_MAX_BODY_MB", "", 1, 4096, "Largest HTTP request body, MB."),
                       "2 × FILE_MAX_SIZE_MB + 1"));
}

void general(std::vector<Setting>& rows) {
  rows.push_back(flag(
      "DEBUG", "false",
      "Development mode: human-readable log, causes of errors in `_meta`, a trace of the sandbox's "
      "set-up. It never weakens a layer. Otherwise: JSON log, no internals."));
  rows.push_back(word("LOG_LEVEL", "INFO", "DEBUG,INFO,WARNING,ERROR", "",
                      "Least severe level that is logged."));
  rows.push_back(path("LOG_DIR", "Directory of the log file.", "log on stderr"));
}

void directories(std::vector<Setting>& rows) {
  rows.push_back(path(
      "SANDBOX_ROOT",
      "The workspace is `files` below it. A SANDBOX_ROOT that already holds files and no `files` "
      "is "
      "itself the workspace.",
      "/app/sandbox in a container, the checkout's `sandbox` under bin/run, "
      "/var/lib/container-mcp/sandbox as a service, else $XDG_DATA_HOME/container-mcp/sandbox"));
  rows.push_back(text(
      "WORKSPACE_DIR", "",
      "A directory of yours as workspace: [NAME=]DIR[:ro]. `--workspace` overrides it and may be "
      "given "
      "several times; NAME=DIR appears as /workspace/NAME. Refused: /, the home directory itself, "
      "directories that hold our configuration, state or sockets."));
  rows.push_back(word("WORKSPACE_SCOPE", "shared", "shared,principal", "principal",
                      "shared: one workspace for all. principal: one for each principal."));
  rows.push_back(integer(
      "WORKSPACE_QUOTA_MB", "1024", 0, kMaxMegabytes,
      "What runs may make a workspace hold, MB, and one file for each 4 KB of it; 0 = no limit. A "
      "run that exceeds it is ended. A workspace that holds more already may be used, and shrink, "
      "but hardly grow."));
  rows.push_back(flag(
      "WORKSPACE_READONLY", "false",
      "The workspace is mounted read-only in every sandbox, and the writing tools are hidden."));
  rows.push_back(path("DATA_DIR", "Read-only data that bash and Python see as /data.",
                      "`data` beside SANDBOX_ROOT"));
  rows.push_back(path("STATE_DIR",
                      "Session key, audit log, kept outputs. Never visible to sandboxes.",
                      "`state` beside SANDBOX_ROOT"));
  rows.push_back(path("TEMP_DIR", "Temporary files of the server.", "`temp` beside SANDBOX_ROOT"));
  rows.push_back(integer("OUTPUT_MAX_CHARS", "40000", 0, 100'000'000,
                         "How much of each output a result carries, characters; 0 = no limit."));
  rows.push_back(integer(
      "OUTPUT_KEEP_MB", "16", 0, 4096,
      "How much of an output beyond that is kept as a resource, MB for one call; 0 = nothing."));
}

void sandbox(std::vector<Setting>& rows) {
  rows.push_back(word(
      "SANDBOX_REQUIRE", "L3", "L0,L1,L2,L3", "",
      "The least level at which tools that need a sandbox run. L3: namespaces, seccomp, Landlock, "
      "limits. L2: without namespaces. L1: seccomp and limits. L0: nothing."));
  rows.push_back(
      word("SANDBOX_BACKEND", "native", "native,bwrap,firejail+native,none", "none",
           "What builds the sandbox. `none` starts only together with SANDBOX_REQUIRE=L0."));
  rows.push_back(unbuilt(list("SANDBOX_ALLOWED_DOMAINS", "",
                              "Domains that bash and Python may reach. Empty: no network.")));
  rows.push_back(
      list("SANDBOX_ENV_PASS", "", "Environment variables that are passed into sandboxes."));
  rows.push_back(
      integer("SANDBOX_MAX_PROCESSES", "64", 2, 32768, "Processes and threads in one sandbox."));
  rows.push_back(
      noted(integer("SANDBOX_CPU_SECONDS", "", 1, 2 * kDay, "CPU time of one run, seconds."),
            "2 × the run's timeout"));
  rows.push_back(integer("SANDBOX_TMP_MB", "64", 1, kMaxMegabytes,
                         "Size of /tmp in a sandbox, MB of memory."));
  rows.push_back(
      noted(integer("SANDBOX_MAX_RUNS", "", 1, 10000, "Runs at the same time."), "4 × cores"));
}

void bash_and_python(std::vector<Setting>& rows) {
  rows.push_back(
      flag("COMMAND_RESTRICTED", "true",
           "system_run_command may run only BASH_ALLOWED_COMMANDS. false lifts the list, never the "
           "sandbox. Python has no list: a list does not limit it."));
  rows.push_back(list("BASH_ALLOWED_COMMANDS", "ls,cat,grep,find,echo,pwd,mkdir,touch",
                      "Commands that system_run_command may run. Empty: none."));
  rows.push_back(integer("BASH_TIMEOUT_DEFAULT", "30", 1, kDay, "Timeout of a command, seconds."));
  rows.push_back(integer("BASH_TIMEOUT_MAX", "120", 1, kDay,
                         "Largest timeout that a call may ask for, seconds."));
  rows.push_back(
      integer("BASH_MEMORY_LIMIT", "512", 16, kMaxMegabytes, "Memory of a command, MB."));
  rows.push_back(unbuilt(
      integer("BASH_POOL_SIZE", "2", 0, 1000, "Sandboxes that are built before they are needed.")));
  rows.push_back(
      integer("PYTHON_TIMEOUT_DEFAULT", "30", 1, kDay, "Timeout of Python code, seconds."));
  rows.push_back(integer("PYTHON_TIMEOUT_MAX", "120", 1, kDay,
                         "Largest timeout that a call may ask for, seconds."));
  rows.push_back(
      integer("PYTHON_MEMORY_LIMIT", "256", 16, kMaxMegabytes, "Memory of Python code, MB."));
  rows.push_back(unbuilt(integer("PYTHON_POOL_SIZE", "2", 0, 1000,
                                 "Interpreters that are started before they are needed.")));
  rows.push_back(path("PYTHON_PATH", "The Python interpreter. Never looked up in PATH.",
                      "the newest /usr/bin/python3.N, N ≥ 11"));
  rows.push_back(
      unbuilt(path("PYTHON_PACKAGES_DIR",
                   "Packages that Python code may import besides the standard library.")));
  rows.push_back(unbuilt(
      list("PYTHON_PRELOAD", "", "Modules that are imported before an interpreter is needed.")));
}

void files(std::vector<Setting>& rows) {
  rows.push_back(integer("FILE_MAX_SIZE_MB", "10", 1, 1024,
                         "Largest file that the file tools read or write, MB."));
  rows.push_back(
      list("FILE_ALLOWED_EXTENSIONS", "txt,md,csv,json,py,none",
           "Extensions that the file tools work on. `none`: names without one; `*`: all."));
  rows.push_back(list("FILE_READ_EXTENSIONS", "png,jpg,jpeg,gif,webp,pdf",
                      "Extensions that may be read besides."));
  rows.push_back(
      unbuilt(integer("FILE_HISTORY", "10", 0, 1000, "Earlier versions kept of a file.")));
}

void web(std::vector<Setting>& rows) {
  rows.push_back(
      unbuilt(integer("WEB_TIMEOUT_DEFAULT", "30", 1, kDay, "Timeout of a web tool, seconds.")));
  rows.push_back(unbuilt(list("WEB_ALLOWED_DOMAINS", "*",
                              "Domains that the web tools may reach: exact host or any sub-domain; "
                              "`*` all. Empty: none.")));
  rows.push_back(unbuilt(
      list("WEB_ALLOWED_PORTS", "80,443,8080,8443", "Ports that the web tools may reach.")));
  rows.push_back(unbuilt(
      list("WEB_ALLOW_PRIVATE", "", "host:port that may be reached although it is not public.")));
  rows.push_back(unbuilt(flag("WEB_ROBOTS", "off", "Obey robots.txt.")));
  rows.push_back(unbuilt(list("WEB_SEARCH_PROVIDERS", "auto",
                              "Search providers in the order in which they are asked.")));
  rows.push_back(unbuilt(text("SEARXNG_URL", "", "Address of a SearXNG instance.")));
  rows.push_back(secret(unbuilt(text("BRAVE_SEARCH_API_KEY", "", "Key of the Brave search API."))));
  rows.push_back(secret(unbuilt(text("TAVILY_API_KEY", "", "Key of the Tavily search API."))));
  rows.push_back(
      secret(unbuilt(text("WEB_UPSTREAM_PROXY", "", "Proxy through which the gate dials out."))));
  rows.push_back(noted(unbuilt(path("WEB_BROWSER_PATH", "The browser.")), "found"));
}

void tools(std::vector<Setting>& rows) {
  rows.push_back(unbuilt(list("CONFIRM", "", "delete, overwrite: ask the user first.")));
  rows.push_back(flag("TOOLS_ENABLE_SYSTEM", "true",
                      "List system_run_command, system_run_python, system_env_var."));
  rows.push_back(flag("TOOLS_ENABLE_FILE", "true", "List the file tools."));
  rows.push_back(unbuilt(flag("TOOLS_ENABLE_WEB", "true", "List the web tools.")));
  rows.push_back(unbuilt(flag("TOOLS_ENABLE_CODE", "true", "List system_run_code.")));
  rows.push_back(noted(flag("CONTAINER", "", "The server runs in a container."), "detected"));
}

}  // namespace

const std::vector<Setting>& table() {
  static const std::vector<Setting> rows = [] {
    std::vector<Setting> all;
    listeners(all);
    general(all);
    directories(all);
    sandbox(all);
    bash_and_python(all);
    files(all);
    web(all);
    tools(all);
    return all;
  }();
  return rows;
}

const Setting* find(std::string_view name) {
  for (const Setting& row : table()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

const std::vector<std::string>& names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> list_of_names;
    for (const Setting& row : table()) list_of_names.emplace_back(row.name);
    return list_of_names;
  }();
  return all;
}

}  // namespace cmcp::config
