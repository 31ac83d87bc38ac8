#include "spawn.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/fd.h"
#include "base/strings.h"

extern char** environ;

namespace cmcp::bench {
namespace {

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

Result<pid_t> spawn(const std::vector<std::string>& argv, FileActions& actions) {
  std::vector<char*> arguments;
  for (const auto& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = -1;
  const int failure =
      posix_spawn(&pid, argv[0].c_str(), actions.get(), nullptr, arguments.data(), environ);
  if (failure != 0)
    return Error(ErrorCode::kIo, "posix_spawn " + argv[0] + ": " + std::strerror(failure), failure);
  return pid;
}

// "" when it exited with 0.
std::string end_of(pid_t pid) {
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) return "it could not be waited for";
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  const int code = WEXITSTATUS(status);
  return code == 0 ? "" : "exit code " + std::to_string(code);
}

}  // namespace

Status spawn_and_wait(const std::vector<std::string>& argv) {
  FileActions actions;
  posix_spawn_file_actions_addopen(actions.get(), 1, "/dev/null", O_WRONLY, 0);
  CMCP_TRY(const pid_t pid, spawn(argv, actions));
  const std::string end = end_of(pid);
  if (end.empty()) return {};
  return Error(ErrorCode::kIo, argv[0] + " failed: " + end);
}

Result<std::string> spawn_and_read(const std::vector<std::string>& argv) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return Error(ErrorCode::kIo, "pipe2 failed", errno);
  const Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  FileActions actions;
  posix_spawn_file_actions_adddup2(actions.get(), write_end.get(), 1);
  posix_spawn_file_actions_adddup2(actions.get(), write_end.get(), 2);
  CMCP_TRY(const pid_t pid, spawn(argv, actions));
  write_end.reset();
  std::string text;
  std::array<char, 4096> buffer{};
  ssize_t n = 0;
  while ((n = read(read_end.get(), buffer.data(), buffer.size())) > 0)
    text.append(buffer.data(), static_cast<std::size_t>(n));
  const std::string end = end_of(pid);
  if (end.empty()) return text;
  return Error(ErrorCode::kIo, end + ", it said: " + std::string(strip(text)));
}

std::string find_program(const std::string& name) {
  for (const char* directory : {"/usr/bin/", "/usr/local/bin/", "/bin/"}) {
    if (access((directory + name).c_str(), X_OK) == 0) return directory + name;
  }
  return "";
}

}  // namespace cmcp::bench
