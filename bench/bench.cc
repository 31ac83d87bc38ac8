// cmcp-bench: measures the product against named baselines in one interleaved run and writes JSON
// to stdout.
//   cmcp-bench --server PATH [--rows main|sandbox] [--rounds N] [--other-helpers DIRECTORY]
//     [--peers no]
// bin: bench/run. Not a test: it asserts nothing about time.
#include <signal.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

#include "base/scope_guard.h"
#include "base/strings.h"
#include "client.h"
#include "cold_sandbox.h"
#include "interleaved.h"
#include "ladder.h"
#include "spawn.h"

namespace cmcp::bench {
namespace {

struct Options {
  std::string server;
  std::string rows = "main";
  int rounds = 100;
  bool peers = true;          // bubblewrap and Firejail too
  std::string other_helpers;  // another build's, measured beside this one's

  std::string directory() const { return server.substr(0, server.rfind('/')); }
  HostPath helpers() const { return {directory() + "/libexec"}; }
};

Status expect(Client& client, const std::string& message, std::string_view part) {
  CMCP_TRY(const std::string answer, client.exchange(message));
  if (answer.find(part) == std::string::npos) {
    return Error(ErrorCode::kProtocol, "unexpected answer: " + answer.substr(0, 500));
  }
  return {};
}

// The port in the line of the log that names the URL; waits until it is there.
Result<int> port_in(const std::string& log_path) {
  for (int tries = 0; tries < 1000; ++tries) {
    std::stringstream text;
    text << std::ifstream(log_path).rdbuf();
    const std::string log = text.str();
    const std::size_t at = log.find("http://127.0.0.1:");
    if (at != std::string::npos) return std::atoi(log.c_str() + at + 17);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return Error(ErrorCode::kTimeout, "the server did not name its URL in " + log_path);
}

// Sum over `root` and everything below it of a field of /proc/PID/smaps_rollup, in kB.
std::uint64_t tree_pss_kb(pid_t root) {
  std::uint64_t sum = 0;
  std::vector<pid_t> todo{root};
  while (!todo.empty()) {
    const std::string proc = "/proc/" + std::to_string(todo.back());
    const std::string pid = std::to_string(todo.back());
    todo.pop_back();
    std::ifstream rollup(proc + "/smaps_rollup");
    for (std::string line; std::getline(rollup, line);) {
      if (line.starts_with("Pss:")) sum += std::strtoull(line.c_str() + 4, nullptr, 10);
    }
    std::ifstream children(proc + "/task/" + pid + "/children");
    for (pid_t child = 0; children >> child;) todo.push_back(child);
  }
  return sum;
}

std::uint64_t rss_kb(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::strtoull(line.c_str() + 6, nullptr, 10);
  }
  return 0;
}

// The user that the server serves as: the one whom its own directories belong to.
Uid owner_of(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 ? Uid{status.st_uid} : Uid{geteuid()};
}

struct Setup {
  std::string directory;
  std::vector<std::string> environment;
  std::string log() const { return directory + "/log"; }
};

Result<Setup> make_setup() {
  char name[] = "/tmp/cmcp-bench-XXXXXX";
  if (mkdtemp(name) == nullptr) return Error(ErrorCode::kIo, "mkdtemp failed");
  chmod(name, 0755);
  Setup setup;
  setup.directory = name;
  setup.environment = {"PATH=/usr/bin:/bin",
                       "HOME=" + setup.directory,
                       "SANDBOX_ROOT=" + setup.directory + "/sandbox",
                       "STATE_DIR=" + setup.directory + "/state",
                       "COMMAND_RESTRICTED=false",
                       "LOG_LEVEL=INFO"};
  return setup;
}

json::Object machine() {
  utsname names{};
  uname(&names);
  return {{"kernel", names.release},
          {"architecture", names.machine},
          {"cpus", static_cast<std::int64_t>(std::thread::hardware_concurrency())},
          {"uid", geteuid()}};
}

Result<json::Object> measure_main(const Options& options, const Setup& setup) {
  CMCP_TRY(const auto http_server, Process::spawn({options.server, "serve", "--port", "0"},
                                                  setup.environment, setup.log()));
  CMCP_TRY(const int port, port_in(setup.log()));
  CMCP_TRY(const auto http, HttpClient::connect(port));
  CMCP_CHECK_OK(http->initialize());
  CMCP_TRY(const auto stdio_server, Process::spawn({options.server, "--stdio"}, setup.environment,
                                                   setup.directory + "/log-stdio"));
  const auto stdio = stdio_client(*stdio_server);
  CMCP_CHECK_OK(expect(*stdio, std::string(kInitialize), "\"result\""));
  CMCP_TRY(const std::string none, stdio->exchange(kInitialized));
  CMCP_CHECK_OK(expect(
      *http,
      tool_call("file_write", R"({"path":"k.txt","content":")" + std::string(1024, 'x') + "\"}"),
      "\"success\":true"));
  const std::uint64_t idle_rss = rss_kb(http_server->pid());
  const std::uint64_t idle_pss = tree_pss_kb(http_server->pid());

  CMCP_TRY(const auto cold, ColdSandbox::create(options.helpers(), setup.directory + "/cold",
                                                owner_of(setup.directory + "/sandbox")));
  const std::string bash = tool_call("system_run_command", R"({"command":"true"})");
  const std::string python = tool_call("system_run_python", R"j({"code":"print(1)"})j");
  const std::string read = tool_call("file_read", R"({"path":"k.txt"})");
  const std::string ping = R"({"jsonrpc":"2.0","id":3,"method":"ping"})";
  const std::string list = R"({"jsonrpc":"2.0","id":4,"method":"tools/list"})";
  std::vector<Row> rows{
      {"spawn true", "", 0, [] { return spawn_and_wait({"/usr/bin/true"}); }},
      {"cold sandbox running true", "spawn true", 3.0, [&] { return cold->run_true(); }},
      {"bare bash -c true", "", 0, [] { return spawn_and_wait({"/bin/bash", "-c", "true"}); }},
      {"bare python3 -c pass", "", 0,
       [] { return spawn_and_wait({"/usr/bin/python3", "-c", "pass"}); }},
      {"system_run_command true, HTTP, cold", "bare bash -c true", 2.5,
       [&] { return expect(*http, bash, "\"exit_code\":0"); }},
      {"system_run_command true, stdio, cold", "bare bash -c true", 2.5,
       [&] { return expect(*stdio, bash, "\"exit_code\":0"); }},
      {"system_run_python print(1), HTTP, own process", "bare python3 -c pass", 0,
       [&] { return expect(*http, python, "\"output\":\"1\\n\""); }},
      {"system_run_python print(1), stdio, own process", "bare python3 -c pass", 0,
       [&] { return expect(*stdio, python, "\"output\":\"1\\n\""); }},
      {"file_read 1 KB, HTTP", "spawn true", 0,
       [&] { return expect(*http, read, "\"success\":true"); }},
      {"file_read 1 KB, stdio", "spawn true", 0,
       [&] { return expect(*stdio, read, "\"success\":true"); }},
      {"ping, HTTP", "spawn true", 0, [&] { return expect(*http, ping, "\"result\""); }},
      {"tools/list, HTTP", "spawn true", 0, [&] { return expect(*http, list, "\"tools\""); }},
      {"start to first answer, stdio", "spawn true", 0,
       [&]() -> Status {
         CMCP_TRY(const auto server, Process::spawn({options.server, "--stdio"}, setup.environment,
                                                    setup.directory + "/log-start"));
         return expect(*stdio_client(*server), std::string(kInitialize), "\"result\"");
       }},
  };
  CMCP_TRY(const std::vector<Measured> measured, run_interleaved(rows, 5, options.rounds));
  json::Object out;
  out["rows"] = report(rows, measured);
  out["idle"] = {{"server_rss_kb", idle_rss},
                 {"all_processes_pss_kb", idle_pss},
                 {"goal_rss_kb", 12 * 1024},
                 {"goal_pss_kb", 25 * 1024}};
  out["cold_sandbox_stages_us_p50"] = cold->stages();
  return out;
}

Result<json::Object> measure_sandbox(const Options& options, const Setup& setup) {
  // A server makes the directories that files belong to, and thus says whom it serves as.
  const auto server =
      Process::spawn({options.server, "serve", "--port", "0"}, setup.environment, setup.log());
  if (!server.ok()) return server.error();
  CMCP_TRY(const int port, port_in(setup.log()));
  (void)port;
  LadderOptions ladder;
  ladder.helpers = options.helpers();
  ladder.peers = options.peers;
  ladder.other_helpers = options.other_helpers;
  ladder.nothing = {options.directory() + "/cmcp-bench-nothing"};
  ladder.directory = setup.directory;
  ladder.server_uid = owner_of(setup.directory + "/sandbox");
  ladder.rounds = options.rounds;
  return measure_ladder(ladder);
}

Result<json::Object> measure(const Options& options) {
  CMCP_TRY(const Setup setup, make_setup());
  const ScopeGuard cleanup([&] {
    std::error_code ignored;
    std::filesystem::remove_all(setup.directory, ignored);
  });
  const auto measure_rows = options.rows == "main" ? measure_main : measure_sandbox;
  CMCP_TRY(json::Object out, measure_rows(options, setup));
  out["machine"] = machine();
  return out;
}

int run(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--server") options.server = argv[i + 1];
    if (name == "--rows") options.rows = argv[i + 1];
    if (name == "--peers") options.peers = std::string_view(argv[i + 1]) != "no";
    if (name == "--other-helpers") options.other_helpers = argv[i + 1];
    if (name == "--rounds") options.rounds = static_cast<int>(parse_int(argv[i + 1]).value_or(0));
  }
  const bool known = options.rows == "main" || options.rows == "sandbox";
  if (options.server.empty() || !known || options.rounds < 1) {
    std::cerr << "usage: cmcp-bench --server PATH [--rows main|sandbox] [--rounds N] "
                 "[--other-helpers DIRECTORY] [--peers no]\n";
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  auto result = measure(options);
  if (!result.ok()) {
    std::cerr << "cmcp-bench: " << result.error().message() << '\n';
    return 1;
  }
  std::cout << json::write(*result) << '\n';
  return 0;
}

}  // namespace
}  // namespace cmcp::bench

int main(int argc, char** argv) {
  return cmcp::bench::run(argc, argv);
}
