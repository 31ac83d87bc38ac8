#include "app/command_line.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"

namespace cmcp::app {
namespace {

const std::vector<std::string> kCommands = {"serve", "doctor", "call", "config"};
const std::vector<std::string> kUnbuiltWords = {"ps", "kill", "audit", "--connect",
                                                "--conformance-fixtures"};
const std::vector<std::string> kValueOptions = {"--host", "--port", "--config", "--workspace"};
const std::vector<std::string> kFlagOptions = {
    "--stdio", "--test-mode", "--strict-config", "--json", "--seccomp", "--version", "--help"};

bool is_one_of(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

Error invalid(const std::string& message) {
  return {ErrorCode::kInvalidArgument, message + " See container-mcp --help."};
}

Error unknown(const std::string& kind, const std::string& word,
              const std::vector<std::string>& candidates) {
  const std::string near = nearest(word, candidates);
  return invalid("There is no " + kind + " " + printable(word) +
                 (near.empty() ? "; there are " + join(candidates, ", ") + "."
                               : "; the nearest is " + near + "."));
}

std::vector<std::string> all_options() {
  std::vector<std::string> all = kValueOptions;
  all.insert(all.end(), kFlagOptions.begin(), kFlagOptions.end());
  return all;
}

class Parser {
 public:
  explicit Parser(const std::vector<std::string>& arguments) : arguments_(arguments) {}

  Result<CommandLine> run() {
    while (next_ < arguments_.size()) {
      const std::string word = arguments_[next_++];
      if (word == "-h") {
        line_.command = Command::kHelp;
        return line_;
      }
      CMCP_CHECK_OK(word.starts_with("-") ? take_option(word) : take_word(word));
      if (line_.command == Command::kHelp || line_.command == Command::kVersion) return line_;
    }
    CMCP_CHECK_OK(check_together());
    return line_;
  }

 private:
  Status take_option(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (is_one_of(kUnbuiltWords, name))
      return Error(ErrorCode::kUnsupported, "not built yet: " + name);
    if (is_one_of(kValueOptions, name)) {
      if (equals != std::string::npos) return take_value(name, word.substr(equals + 1));
      if (next_ == arguments_.size()) return invalid(name + " needs a value.");
      return take_value(name, arguments_[next_++]);
    }
    if (!is_one_of(kFlagOptions, name)) return unknown("option", name, all_options());
    if (equals != std::string::npos) return invalid(name + " takes no value.");
    return take_flag(name);
  }

  Status take_value(const std::string& name, const std::string& value) {
    if (value.empty()) return invalid(name + " needs a value.");
    if (name == "--host" || name == "--port") {
      http_option_ = name;
      line_.settings.values.emplace_back(name == "--host" ? "MCP_HOST" : "MCP_PORT", value);
    } else if (name == "--config") {
      line_.settings.config_files.push_back(value);
    } else {
      line_.settings.workspaces.push_back(value);
    }
    return {};
  }

  Status take_flag(const std::string& name) {
    if (name == "--help") line_.command = Command::kHelp;
    if (name == "--version") line_.command = Command::kVersion;
    if (name == "--strict-config") line_.settings.strict = true;
    if (name == "--json") line_.json = true;
    if (name == "--seccomp") line_.seccomp = true;
    if (name == "--stdio" || name == "--test-mode") stdio_ = name;
    return {};
  }

  // A word that is no option: the command, or an argument of `call`.
  Status take_word(const std::string& word) {
    if (!command_) return take_command(word);
    if (*command_ != "call")
      return invalid(*command_ + " takes no argument " + printable(word) + ".");
    if (line_.tool.empty()) {
      line_.tool = word;
    } else if (!has_arguments_) {
      line_.arguments = word;
      has_arguments_ = true;
    } else {
      return invalid(
          "call takes a tool and one JSON object; put the object in single quotes. Left over: " +
          printable(word) + ".");
    }
    return {};
  }

  Status take_command(const std::string& word) {
    if (is_one_of(kUnbuiltWords, word))
      return Error(ErrorCode::kUnsupported, "not built yet: " + word);
    if (!is_one_of(kCommands, word)) return unknown("command", word, kCommands);
    command_ = word;
    if (word == "doctor") line_.command = Command::kDoctor;
    if (word == "call") line_.command = Command::kCall;
    if (word == "config") line_.command = Command::kConfig;
    return {};
  }

  Status check_together() {
    if (stdio_) {
      if (line_.command != Command::kServe)
        return invalid(*stdio_ + " does not go with " + *command_ + ".");
      line_.command = Command::kStdio;
    }
    if (http_option_ && line_.command != Command::kServe && line_.command != Command::kConfig) {
      return invalid(*http_option_ + " is for the HTTP server; it does not go with " +
                     (stdio_ ? *stdio_ : *command_) + ".");
    }
    if ((line_.json || line_.seccomp) && line_.command != Command::kDoctor) {
      return invalid(std::string(line_.json ? "--json" : "--seccomp") + " goes with doctor only.");
    }
    if (line_.command == Command::kCall && line_.tool.empty()) {
      return invalid(
          "call needs the name of a tool: container-mcp call system_run_python '{\"code\":\"_ = "
          "6*7\"}'.");
    }
    return {};
  }

  const std::vector<std::string>& arguments_;
  std::size_t next_ = 0;
  CommandLine line_;
  std::optional<std::string> command_;
  std::optional<std::string> stdio_;
  std::optional<std::string> http_option_;
  bool has_arguments_ = false;
};

}  // namespace

Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments) {
  return Parser(arguments).run();
}

std::string usage() {
  return "container-mcp: an MCP server that runs bash, Python and file tools in a sandbox.\n"
         "\n"
         "  container-mcp [serve]              serve over HTTP, in the foreground\n"
         "  container-mcp --stdio              serve one client over standard input and output "
         "(--test-mode is the same)\n"
         "  container-mcp doctor [--json]      say what protects this machine and what is missing\n"
         "  container-mcp doctor --seccomp     list the system calls that sandboxes may make\n"
         "  container-mcp call TOOL [JSON]     call one tool, print its result\n"
         "  container-mcp config               print every setting with its value, origin and "
         "meaning\n"
         "  container-mcp --version\n"
         "  container-mcp --help\n"
         "\n"
         "Options of all of them:\n"
         "  --config FILE                      read settings from FILE too; the last one wins\n"
         "  --strict-config                    an unknown setting is an error\n"
         "  --workspace [NAME=]DIR[:ro]        work in DIR; with NAME it appears as "
         "/workspace/NAME. Repeatable\n"
         "Options of serve:\n"
         "  --host ADDRESS, --port PORT        where to listen (127.0.0.1, 8000)\n";
}

}  // namespace cmcp::app
