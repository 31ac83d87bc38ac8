#include "sandbox/restricted_view.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>

#include "base/fd.h"
#include "base/strings.h"
#include "sandbox/elf_dependencies.h"
#include "sandbox/host_paths.h"
#include "sandbox/plan_builder.h"
#include "sandbox/view_parts.h"

namespace cmcp::sandbox {
namespace {

constexpr int kMaxScriptDepth = 4;  // as the kernel
constexpr std::size_t kMaxTreeFiles = 20000;

// Builtins of bash that people put on a list although there is no program of the name.
constexpr const char* kBuiltins[] = {
    ".",         ":",        "alias",   "bg",       "bind",     "break",   "builtin", "caller",
    "cd",        "command",  "compgen", "complete", "continue", "declare", "dirs",    "disown",
    "echo",      "enable",   "eval",    "exec",     "exit",     "export",  "false",   "fc",
    "fg",        "getopts",  "hash",    "help",     "history",  "jobs",    "kill",    "let",
    "local",     "logout",   "mapfile", "popd",     "printf",   "pushd",   "pwd",     "read",
    "readarray", "readonly", "return",  "set",      "shift",    "shopt",   "source",  "suspend",
    "test",      "times",    "trap",    "true",     "type",     "typeset", "ulimit",  "umask",
    "unalias",   "unset",    "wait",    "["};

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_builtin(const std::string& name) {
  return std::find(std::begin(kBuiltins), std::end(kBuiltins), name) != std::end(kBuiltins);
}

bool is_valid_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.size() <= 255 &&
         name.find('/') == std::string::npos &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return c > ' ' && c < 127; });
}

// One program that is many: which of them runs is decided by an argument, which no kernel rule
// sees.
bool is_multi_call(const std::string& path) {
  const std::string name = base_name(path);
  return name.starts_with("busybox") || name.starts_with("toybox") || name == "coreutils" ||
         name == "uutils" || name == "sbase-box" || name == "ubase-box";
}

// What an interpreter reads before its first line; libraries in it are mapped, so the mount allows
// execution where it must.
struct Tree {
  std::string path;
  bool exec;
};
std::vector<Tree> trees_of(const std::string& program) {
  const std::string name = base_name(program);
#if defined(__x86_64__)
  const std::string machine = "/usr/lib/x86_64-linux-gnu/";
#else
  const std::string machine = "/usr/lib/aarch64-linux-gnu/";
#endif
  if (name.starts_with("python3")) return {{"/usr/lib/" + name, true}};
  if (name.starts_with("perl")) {
    return {{machine + "perl-base", true}, {machine + "perl", true}, {machine + "perl5", true}};
  }
  if (name == "gawk") return {{machine + "gawk", true}};
  if (name == "node") return {{machine + "nodejs", true}};
  if (name == "git") return {{"/usr/lib/git-core", false}};
  return {};
}

struct Shebang {
  std::string interpreter;
  std::string argument;
};

Result<std::optional<Shebang>> read_shebang(const std::string& path) {
  Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return Error(ErrorCode::kIo, fmt::format("{} cannot be read.", path), errno);
  std::array<char, 256> head{};
  const ssize_t got = read(fd.get(), head.data(), head.size());
  std::string_view text(head.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  if (!text.starts_with("#!")) return std::optional<Shebang>();
  text = strip(
      text.substr(2, text.find('\n') == std::string_view::npos ? text.npos : text.find('\n') - 2));
  const auto space = text.find_first_of(" \t");
  if (space == std::string_view::npos) return std::optional(Shebang{std::string(text), ""});
  return std::optional(
      Shebang{std::string(text.substr(0, space)), std::string(strip(text.substr(space)))});
}

class Builder {
 public:
  explicit Builder(const RestrictedOptions& options)
      : options_(options), plan_(options.view.writable_roots) {}

  Result<RestrictedView> build() {
    add_system_links(plan_);
    CMCP_CHECK_OK(add_etc(plan_));
    CMCP_CHECK_OK(add_bash());
    for (const auto& command : options_.commands) CMCP_CHECK_OK(add_command(command));
    CMCP_CHECK_OK(add_libraries());
    CMCP_CHECK_OK(plan_.bind_if_present("/usr/share", false));
    // Without it bash warns at start and counts bytes instead of characters.
    for (const char* locale : {"/usr/lib/locale/C.utf8", "/usr/lib/locale/C.UTF-8"}) {
      CMCP_CHECK_OK(plan_.bind_if_present(locale, false));
    }
    CMCP_CHECK_OK(add_data(plan_, options_.view));
    return finish();
  }

 private:
  // The bash that runs are started with, and the one that PATH finds, if that is another.
  Status add_bash() {
    const auto found = find_command("bash");
    if (::access("/bin/bash", X_OK) != 0) {
      return Error(ErrorCode::kNotFound,
                   "/bin/bash is not installed: system_run_command needs it. Install bash.");
    }
    CMCP_CHECK_OK(add_executable("/bin/bash", 0));
    return found ? add_executable(*found, 0) : Status();
  }

  std::optional<std::string> find_command(const std::string& name) const {
    for (const auto& directory : options_.search_path) {
      const std::string path = directory + "/" + name;
      struct stat info{};
      if (stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & 0111) != 0)
        return path;
    }
    return std::nullopt;
  }

  Status add_command(const std::string& name) {
    if (!is_valid_name(name)) {
      return Error(ErrorCode::kInvalidArgument,
                   fmt::format("BASH_ALLOWED_COMMANDS: \"{}\" is not the name of a command. Names "
                               "have no slash and no white "
                               "space, such as ls or python3.",
                               printable(name)));
    }
    const auto path = find_command(name);
    if (!path) {
      if (!is_builtin(name)) result_.missing.push_back(name);
      return {};
    }
    auto added = add_executable(*path, 0);
    if (!added.ok()) return added.error().with_context("BASH_ALLOWED_COMMANDS: " + name);
    result_.listed.push_back(name);
    return {};
  }

  Status add_executable(const std::string& path, int depth) {
    CMCP_TRY(const ResolvedPath resolved, resolve_path(path));
    if (is_multi_call(resolved.path)) {
      return Error(ErrorCode::kUnsupported,
                   fmt::format("{} is the multi-call program {}, which holds many other commands: "
                               "a list of commands cannot "
                               "be enforced on it. Install the ordinary programs (Debian: "
                               "coreutils), take the command off "
                               "the list, or set COMMAND_RESTRICTED=false.",
                               path, resolved.path));
    }
    CMCP_TRY(const std::string real, plan_.bind_with_links(path, true));
    if (!executables_.insert(real).second) return {};
    for (const auto& tree : trees_of(real)) CMCP_CHECK_OK(add_tree(tree));
    CMCP_TRY(const auto shebang, read_shebang(real));
    if (!shebang) {
      elf_files_.push_back({real});
      return {};
    }
    if (depth >= kMaxScriptDepth)
      return Error(ErrorCode::kInvalidArgument, path + " is a script of scripts.");
    return add_interpreter(*shebang, depth + 1);
  }

  Status add_interpreter(const Shebang& shebang, int depth) {
    CMCP_CHECK_OK(add_executable(shebang.interpreter, depth));
    if (base_name(shebang.interpreter) != "env") return {};
    for (const auto& word : split(shebang.argument, ' ')) {
      if (word.empty() || word.starts_with('-') || word.find('=') != std::string::npos) continue;
      const auto path = find_command(word);
      return path ? add_executable(*path, depth) : Status();
    }
    return {};
  }

  Status add_tree(const Tree& tree) {
    auto bound = plan_.bind_with_links(tree.path, tree.exec);
    if (!bound.ok())
      return bound.error().code() == ErrorCode::kNotFound ? Status() : Status(bound.take_error());
    if (!tree.exec) return {};
    std::error_code error;
    std::size_t files = 0;
    for (std::filesystem::recursive_directory_iterator at(*bound, error), end; !error && at != end;
         at.increment(error)) {
      if (++files > kMaxTreeFiles) break;
      const std::string path = at->path().string();
      if (path.ends_with(".so") && read_elf({path}).ok()) elf_files_.push_back({path});
      if (base_name(path).ends_with("-packages")) plan_.mask(path);
    }
    return {};
  }

  Status add_libraries() {
    CMCP_TRY(const ElfClosure closure, elf_closure(elf_files_, library_directories()));
    for (const auto& loader : closure.interpreters) {
      CMCP_TRY(std::string real, plan_.bind_with_links(loader, true));
      executables_.insert(std::move(real));
    }
    for (const auto& library : closure.libraries) {
      CMCP_TRY(const std::string real, plan_.bind_with_links(library, true));
    }
    for (const auto& name : closure.missing) {
      result_.view.warnings.push_back(
          fmt::format("{}, which a listed command needs, is in no library directory.", name));
    }
    return {};
  }

  RestrictedView finish() {
    auto& view = result_.view;
    for (const auto& path : executables_) {
      result_.executables.push_back(path);
      view.landlock.push_back({{path}, Access::kExecuteFile});
    }
    add_writable(plan_, view.landlock, options_.view.tmp_size, false);
    view.root = plan_.take();
    for (const auto& name : result_.missing) {
      view.warnings.push_back(fmt::format(
          "BASH_ALLOWED_COMMANDS: {} is not installed on this host; it is left out.", name));
    }
    return std::move(result_);
  }

  const RestrictedOptions& options_;
  PlanBuilder plan_;
  RestrictedView result_;
  std::set<std::string> executables_;
  std::vector<HostPath> elf_files_;
};

}  // namespace

Result<RestrictedView> restricted_view(const RestrictedOptions& options) {
  return Builder(options).build();
}

}  // namespace cmcp::sandbox
