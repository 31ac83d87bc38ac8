#include "managers/python/test_runner.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <vector>

#include "sandbox/output_capture.h"

namespace cmcp::managers {
namespace {

using Clock = std::chrono::steady_clock;

struct Handle : sandbox::RunHandle {
  void cancel() override {}
};

struct Pipe {
  Fd read;
  Fd write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
  return {Fd(ends[0]), Fd(ends[1])};
}

Fd file_with(const std::string& bytes) {
  Fd file(::memfd_create("input", MFD_CLOEXEC));
  if (::write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    std::abort();
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& one : strings) out.push_back(one.data());
  out.push_back(nullptr);
  return out;
}

// Moves the descriptors out of the way first, so that none overwrites another.
void become(std::vector<int> descriptors, const std::string& directory, Bytes data_limit,
            char* const* argv, char* const* environment) {
  ::setpgid(0, 0);
  for (int& fd : descriptors) fd = ::fcntl(fd, F_DUPFD_CLOEXEC, 100);
  for (std::size_t i = 0; i < descriptors.size(); ++i) ::dup2(descriptors[i], static_cast<int>(i));
  if (::chdir(directory.c_str()) != 0) ::_exit(126);
  if (data_limit.count != 0) {
    const rlimit limit{data_limit.count, data_limit.count};
    ::setrlimit(RLIMIT_DATA, &limit);
  }
  ::execve(argv[0], argv, environment);
  ::_exit(127);
}

// Reads what there is; false at the end of the stream.
bool read_some(int fd, std::string& bytes) {
  std::array<char, 65536> buffer{};
  const ssize_t got = ::read(fd, buffer.data(), buffer.size());
  bytes.assign(buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  return got > 0;
}

}  // namespace

Result<std::shared_ptr<sandbox::RunHandle>> TestRunner::start(sandbox::RunRequest request,
                                                              sandbox::RunEvents events) {
  using End = sandbox::RunOutcome::End;
  if (refusal) return Error(*refusal);
  ++starts;
  last = request;
  std::array<Pipe, 3> pipes{make_pipe(), make_pipe(), make_pipe()};  // out, err, result
  std::vector<Fd> files;
  files.push_back(request.stdin_data ? file_with(*request.stdin_data)
                                     : Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
  for (const std::string& input : request.inputs) files.push_back(file_with(input));
  std::vector<int> descriptors{files[0].get(), pipes[0].write.get(), pipes[1].write.get()};
  for (std::size_t i = 1; i < files.size(); ++i) descriptors.push_back(files[i].get());
  if (request.result_channel) descriptors.push_back(pipes[2].write.get());
  std::vector<std::string> environment{"PATH=/usr/bin:/bin", "LANG=C.UTF-8"};
  environment.insert(environment.end(), request.environment.begin(), request.environment.end());
  const std::vector<char*> argv = pointers(request.argv);
  const std::vector<char*> envp = pointers(environment);
  const std::string directory = workspace_ + "/" + request.working_dir;

  const auto begun = Clock::now();
  const pid_t child = ::fork();
  if (child == 0) become(descriptors, directory, data_limit, argv.data(), envp.data());
  for (Pipe& pipe : pipes) pipe.write.reset();

  sandbox::RunOutcome outcome;
  sandbox::OutputCapture out(request.budget, nullptr, "", "stdout");
  sandbox::OutputCapture err(request.budget, nullptr, "", "stderr");
  bool timed_out = false;
  while (pipes[0].read || pipes[1].read || pipes[2].read) {
    std::array<pollfd, 3> waits{};
    for (std::size_t i = 0; i < 3; ++i) waits[i] = {pipes[i].read.get(), POLLIN, 0};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        begun + request.timeout - Clock::now());
    if (left.count() <= 0 && !timed_out) {
      timed_out = true;
      ::kill(-child, SIGKILL);
    }
    ::poll(waits.data(), waits.size(),
           timed_out ? -1 : static_cast<int>(std::max<std::int64_t>(left.count(), 1)));
    for (std::size_t i = 0; i < 3; ++i) {
      if (waits[i].revents == 0) continue;
      std::string bytes;
      if (!read_some(pipes[i].read.get(), bytes)) pipes[i].read.reset();
      if (i == 2) {
        outcome.result += bytes;
      } else {
        const std::string text = (i == 0 ? out : err).append(bytes);
        if (events.output && !text.empty()) events.output(text);
      }
    }
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  outcome.duration = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun);
  outcome.usage.peak_memory_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  outcome.out = out.finish();
  outcome.err = err.finish();
  if (timed_out) {
    outcome.end = End::kTimedOut;
    outcome.exit_code = 124;
    outcome.limit = sandbox::LimitKind::kTime;
  } else if (WIFSIGNALED(status)) {
    outcome.end = End::kSignaled;
    outcome.signal = WTERMSIG(status);
    outcome.exit_code = 128 + outcome.signal;
  } else {
    outcome.end = End::kExited;
    outcome.exit_code = WEXITSTATUS(status);
  }
  events.done(std::move(outcome));
  return std::shared_ptr<sandbox::RunHandle>(std::make_shared<Handle>());
}

}  // namespace cmcp::managers
