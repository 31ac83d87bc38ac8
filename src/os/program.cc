#include "os/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "os/error.h"
#include "os/file.h"

namespace cmcp::os {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMaxOutput = 65536;

[[noreturn]] void execute(const char* path, char* const* argv, int output) {
  const int null = ::open("/dev/null", O_RDWR);
  if (null >= 0) {
    ::dup2(null, 0);
    ::dup2(null, 2);
  }
  ::dup2(output, 1);
  std::array<char*, 1> environment{nullptr};
  ::execve(path, argv, environment.data());
  ::_exit(127);
}

Result<std::string> read_until_end(int fd, Clock::time_point end, const std::string& path) {
  std::string text;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd polled{fd, POLLIN, 0};
    if (left <= 0 || ::poll(&polled, 1, static_cast<int>(left)) == 0)
      return Error(ErrorCode::kTimeout, path + " does not end");
    std::array<char, 4096> buffer{};
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return last_error("read", path);
    if (n == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(n));
    if (text.size() > kMaxOutput)
      return Error(ErrorCode::kLimitExceeded, path + " prints without an end");
  }
}

}  // namespace

Result<std::string> output_of(const std::string& path, const std::vector<std::string>& arguments,
                              std::chrono::milliseconds patience) {
  if (::access(path.c_str(), X_OK) != 0) return last_error("access", path);
  CMCP_TRY(Pipe pipe, make_pipe());
  std::vector<std::string> words = {path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) return last_error("fork", path);
  if (pid == 0) execute(path.c_str(), argv.data(), pipe.write_end.get());
  pipe.write_end.reset();
  auto text = read_until_end(pipe.read_end.get(), Clock::now() + patience, path);
  if (!text.ok()) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (text.ok() && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
    return Error(ErrorCode::kUnavailable, path + " fails");
  return text;
}

}  // namespace cmcp::os
