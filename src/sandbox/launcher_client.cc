#include "sandbox/launcher_client.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/log.h"
#include "os/error.h"
#include "os/file.h"
#include "os/memfd.h"
#include "os/privileges.h"
#include "sandbox/firejail.h"
#include "sandbox/helper/cgroups.h"
#include "sandbox/output_capture.h"
#include "sandbox/run_end.h"

namespace cmcp::sandbox {
namespace {

constexpr std::size_t kReadSize = 65536;
// What a pipe can hold at most after its last writer died (pipe-max-size without privilege): more
// is never drained.
constexpr std::size_t kMaxDrain = 2 * 1024 * 1024;
// Reads per readiness, so that one loud run does not keep the reactor from the others.
constexpr int kReadsPerTurn = 4;

// Runs in the forked child: nothing here may allocate or lock, other threads may have existed.
[[noreturn]] void exec_launcher(const char* path, char* const* argv, int socket, int init) {
  const int null = ::open("/dev/null", O_RDWR);
  // stdout is the protocol stream of the server over stdio: the launcher never sees it. stderr
  // stays for its log.
  if (null >= 0) {
    ::dup2(null, 0);
    ::dup2(null, 1);
  }
  ::fcntl(socket, F_SETFD, 0);
  ::fcntl(init, F_SETFD, 0);
  std::array<char*, 1> environment{nullptr};
  ::execve(path, argv, environment.data());
  ::_exit(127);
}

Result<std::string> executable_directory() {
  std::array<char, 4096> buffer{};
  const ssize_t n = ::readlink("/proc/self/exe", buffer.data(), buffer.size() - 1);
  if (n <= 0) return os::last_error("readlink", "/proc/self/exe");
  std::string path(buffer.data(), static_cast<std::size_t>(n));
  path.erase(path.rfind('/'));
  return path;
}

// What the backend needs and the launcher gets with its set-up.
Result<std::vector<Fd>> backend_descriptors(const LauncherClient::SpawnOptions& options) {
  std::vector<Fd> fds;
  if (options.setup.backend == Backend::kBwrap) {
    CMCP_TRY(Fd stage,
             os::open_at(AT_FDCWD, options.helper_directory.value + "/cmcp-stage", O_RDONLY));
    fds.push_back(std::move(stage));
  }
  if (options.setup.backend == Backend::kFirejail && ::geteuid() != 0) {
    CMCP_TRY(Fd proc, whole_proc());
    fds.push_back(std::move(proc));
  }
  return fds;
}

std::vector<std::string> launcher_command(const LauncherClient::SpawnOptions& options,
                                          const std::string& launcher, int socket, int init) {
  const bool firejail = options.setup.backend == Backend::kFirejail;
  std::vector<std::string> words;
  if (firejail) words = firejail_command({socket, init}, ::geteuid() == 0);
  // Within Firejail our process number says nothing.
  for (const auto& word : {launcher, std::to_string(socket), std::to_string(init),
                           std::to_string(firejail ? 0 : ::getpid())})
    words.push_back(word);
  return words;
}

Status within_firejail(const LauncherFacts& facts) {
  CMCP_TRY(const os::Confinement own, os::own_confinement());
  const auto effects = firejail_effects(own, facts.before);
  return effects.ok() ? Status() : Status(effects.error());
}

// The socket of the supervisor's next launcher. Every one but the first comes after a death.
Result<Fd> next_launcher(int supervisor) {
  CMCP_TRY(auto handed, wire::receive(supervisor));
  if (handed.has_value() && handed->type == wire::Type::kRefused)
    return Error(ErrorCode::kUnavailable, "the launcher cannot set up sandboxes: " + handed->body);
  if (!handed.has_value() || handed->type != wire::Type::kLauncher || handed->fds.size() != 1)
    return Error(ErrorCode::kUnavailable, "the launcher's supervisor has ended");
  return std::move(handed->fds.front());
}

// The launcher's word on its set-up. One that is killed before it says anything is followed by
// another one.
Status wait_until_ready(LauncherClient::Spawned& spawned, std::size_t roots) {
  std::optional<wire::Envelope> envelope;
  while (!envelope.has_value()) {
    CMCP_TRY(spawned.socket, next_launcher(spawned.supervisor.get()));
    CMCP_TRY(envelope, wire::receive(spawned.socket.get()));
  }
  if (envelope->type == wire::Type::kRefused) {
    return Error(ErrorCode::kUnavailable,
                 "the launcher cannot set up sandboxes: " + envelope->body);
  }
  if (envelope->type != wire::Type::kReady || envelope->fds.size() != roots) {
    return Error(ErrorCode::kProtocol, "the launcher's first message is not what was expected");
  }
  CMCP_TRY(spawned.facts, wire::decode_facts(envelope->body));
  spawned.roots = std::move(envelope->fds);
  return os::set_nonblocking(spawned.socket.get(), true);
}

// The wait status of the process that was waited for; 0 for none.
int reap(pid_t pid) {
  int status = 0;
  while (pid > 0 && ::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

Result<HostPath> LauncherClient::find_helper_directory() {
  CMCP_TRY(const std::string directory, executable_directory());
  for (const auto& candidate : {directory + "/libexec", directory + "/../libexec/container-mcp"}) {
    if (::access((candidate + "/cmcp-launcher").c_str(), X_OK) == 0) return HostPath{candidate};
  }
  return Error(ErrorCode::kNotFound,
               "the helper programs are missing: neither " + directory + "/libexec nor " +
                   directory +
                   "/../libexec/container-mcp holds cmcp-launcher; install container-mcp again");
}

// In a process of its own, which ends in order when this one is killed meanwhile.
bool LauncherClient::memory_cgroup_available() {
  const pid_t self = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    auto pool = CgroupPool::create(1, self);
    if (pool.ok()) pool->remove_all();
    ::_exit(pool.ok() ? 0 : 1);
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Somebody who kills the supervisor while it sets itself up must not decide that there is no
// sandbox.
Result<LauncherClient::Spawned> LauncherClient::spawn(const SpawnOptions& options) {
  constexpr int kAttempts = 3;
  bool was_killed = false;
  auto spawned = spawn_once(options, was_killed);
  for (int attempt = 1; attempt < kAttempts && !spawned.ok() && was_killed; ++attempt) {
    log::error("the sandbox launcher's supervisor was killed during the start; another one follows",
               {{"cause", spawned.error().message()}});
    spawned = spawn_once(options, was_killed);
  }
  return spawned;
}

Result<LauncherClient::Spawned> LauncherClient::spawn_once(const SpawnOptions& options,
                                                           bool& was_killed) {
  was_killed = false;
  const std::string launcher = options.helper_directory.value + "/cmcp-launcher";
  CMCP_TRY(const Fd init,
           os::open_at(AT_FDCWD, options.helper_directory.value + "/cmcp-init", O_RDONLY));
  CMCP_TRY(const std::vector<Fd> extra, backend_descriptors(options));
  std::vector<int> extra_numbers;
  for (const auto& fd : extra) extra_numbers.push_back(fd.get());
  CMCP_TRY(os::SocketPair sockets, os::seqpacket_pair());
  std::vector<std::string> words =
      launcher_command(options, launcher, sockets.second.get(), init.get());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) return os::last_error("fork", "launcher");
  if (pid == 0) exec_launcher(argv[0], argv.data(), sockets.second.get(), init.get());
  sockets.second.reset();
  Spawned spawned;
  spawned.supervisor = std::move(sockets.first);
  spawned.pid = pid;
  const Status sent = wire::send(spawned.supervisor.get(), wire::Type::kSetup,
                                 wire::encode(options.setup), extra_numbers, os::SendMode::kWait);
  Status ready = wait_until_ready(spawned, options.setup.roots.size());
  // A launcher that is not within what was asked for is none: also when it is started anew.
  if (ready.ok() && options.setup.backend == Backend::kFirejail)
    ready = within_firejail(spawned.facts);
  if (ready.ok()) return spawned;
  // With the sockets' ends it ends by itself, whoever we are by now.
  spawned.socket.reset();
  spawned.supervisor.reset();
  ::kill(pid, SIGTERM);
  const int status = reap(pid);
  was_killed = WIFSIGNALED(status) && WTERMSIG(status) != SIGTERM;
  if (!sent.ok() && ready.error().code() != ErrorCode::kUnavailable) return sent.error();
  return ready.error();
}

// One run in progress: its descriptors, what it printed, and what it will be.
class ActiveRun : public std::enable_shared_from_this<ActiveRun> {
 public:
  ActiveRun(net::Reactor& reactor, std::uint64_t id, RunRequest request, RunEvents events,
            KeptOutputs* kept, std::string call_id)
      : reactor_(reactor),
        id_(id),
        request_(std::move(request)),
        events_(std::move(events)),
        kept_(kept),
        call_id_(std::move(call_id)),
        out_{{}, {}, OutputCapture(request_.budget, kept, call_id_, "stdout")},
        err_{{}, {}, OutputCapture(request_.budget, kept, call_id_, "stderr")},
        begun_(std::chrono::steady_clock::now()) {}

  std::uint64_t id() const { return id_; }
  const RunRequest& request() const { return request_; }
  bool cancelled() const { return cancelled_; }
  void set_cancelled() { cancelled_ = true; }

  // Makes pipes and memory files; returns the payload's ends, number 0 first.
  Result<std::vector<Fd>> open_descriptors() {
    std::vector<Fd> payload;
    CMCP_TRY(Fd input, open_input());
    payload.push_back(std::move(input));
    for (Stream* stream : {&out_, &err_}) {
      CMCP_TRY(os::Pipe pipe, output_pipe());
      stream->fd = std::move(pipe.read_end);
      payload.push_back(std::move(pipe.write_end));
    }
    for (const auto& bytes : request_.inputs) {
      CMCP_TRY(Fd file, os::sealed_memfd("input", bytes));
      // Another uid opens it again through /proc/self/fd: readable for it, sealed for everybody.
      if (::fchmod(file.get(), 0444) != 0) return os::last_error("fchmod", "input");
      payload.push_back(std::move(file));
    }
    if (request_.result_channel) {
      CMCP_TRY(os::Pipe pipe, output_pipe());
      result_fd_ = std::move(pipe.read_end);
      payload.push_back(std::move(pipe.write_end));
    }
    return payload;
  }

  // From now on bytes flow.
  void watch() {
    watch_stream(out_);
    watch_stream(err_);
    watch_result();
    watch_input();
  }

  // The launcher has reported the end: every process is dead, so what the pipes hold now is all
  // there will be.
  void finish(RunOutcome outcome) {
    drain(out_);
    drain(err_);
    drain_result();
    stop();
    outcome.duration = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - begun_);
    outcome.out = out_.capture.finish();
    outcome.err = err_.capture.finish();
    outcome.result = std::move(result_);
    outcome.result_overflow = result_overflow_;
    if (kept_ != nullptr) kept_->end_call(call_id_);
    if (events_.done) std::exchange(events_.done, nullptr)(std::move(outcome));
  }

  // Never started: the captures are dropped and nobody is called.
  void abandon() {
    stop();
    (void)out_.capture.finish();
    (void)err_.capture.finish();
    if (kept_ != nullptr) kept_->end_call(call_id_);
  }

 private:
  struct Stream {
    Fd fd;
    std::unique_ptr<net::FdWatch> watch;  // destroyed before fd: declared after it
    OutputCapture capture;
  };

  static Result<os::Pipe> output_pipe() {
    CMCP_TRY(os::Pipe pipe, os::make_pipe());
    // `> /dev/stderr` opens the pipe again, as whatever uid the payload has: writing must be
    // allowed to others.
    if (::fchmod(pipe.write_end.get(), 0622) != 0) return os::last_error("fchmod", "pipe");
    CMCP_CHECK_OK(os::set_nonblocking(pipe.read_end.get(), true));
    return pipe;
  }

  Result<Fd> open_input() {
    if (!request_.stdin_data) return os::open_at(AT_FDCWD, "/dev/null", O_RDONLY);
    CMCP_TRY(os::Pipe pipe, os::make_pipe());
    if (::fchmod(pipe.read_end.get(), 0444) != 0) return os::last_error("fchmod", "pipe");
    CMCP_CHECK_OK(os::set_nonblocking(pipe.write_end.get(), true));
    in_fd_ = std::move(pipe.write_end);
    return std::move(pipe.read_end);
  }

  void stop() {
    for (Stream* stream : {&out_, &err_}) close(*stream);
    result_watch_.reset();
    result_fd_.reset();
    close_input();
  }

  static void close(Stream& stream) {
    stream.watch.reset();
    stream.fd.reset();
  }

  void close_input() {
    in_watch_.reset();
    in_fd_.reset();
  }

  void watch_stream(Stream& stream) {
    if (!stream.fd) return;
    if (!stream.watch) stream.watch = std::make_unique<net::FdWatch>(reactor_, stream.fd.get());
    stream.watch->on_readable([self = shared_from_this(), &stream] { self->read_stream(stream); });
  }

  void read_stream(Stream& stream) {
    for (int turn = 0; turn < kReadsPerTurn && stream.fd; ++turn) {
      if (!read_once(stream)) break;
    }
    if (stream.fd) {
      watch_stream(stream);
    } else {
      stream.watch.reset();
    }
  }

  // False when nothing more is there now (or ever: then the descriptor is closed).
  bool read_once(Stream& stream) {
    auto bytes = os::read_some(stream.fd.get(), kReadSize);
    if (!bytes.ok() || (bytes->has_value() && (*bytes)->empty())) {
      close(stream);
      return false;
    }
    if (!bytes->has_value()) return false;
    const std::string text = stream.capture.append(**bytes);
    if (events_.output && !text.empty()) events_.output(text);
    return true;
  }

  void drain(Stream& stream) {
    for (std::size_t i = 0; i < kMaxDrain / kReadSize * 2 && stream.fd; ++i) {
      if (!read_once(stream)) return;
    }
  }

  void watch_result() {
    if (!result_fd_) return;
    if (!result_watch_) result_watch_ = std::make_unique<net::FdWatch>(reactor_, result_fd_.get());
    result_watch_->on_readable([self = shared_from_this()] {
      for (int turn = 0; turn < kReadsPerTurn && self->result_fd_; ++turn) {
        if (!self->read_result_once()) break;
      }
      self->watch_result();
    });
  }

  bool read_result_once() {
    auto bytes = os::read_some(result_fd_.get(), kReadSize);
    if (!bytes.ok() || (bytes->has_value() && (*bytes)->empty())) {
      result_watch_.reset();
      result_fd_.reset();
      return false;
    }
    if (!bytes->has_value()) return false;
    // Read on past the limit: a full pipe would stall the program.
    const std::size_t room = static_cast<std::size_t>(request_.result_limit.count) - result_.size();
    if ((*bytes)->size() > room) result_overflow_ = true;
    result_.append(**bytes, 0, room);
    return true;
  }

  void drain_result() {
    for (std::size_t i = 0; i < kMaxDrain / kReadSize * 2 && result_fd_; ++i) {
      if (!read_result_once()) return;
    }
  }

  void watch_input() {
    if (!in_fd_) return;
    if (fed_ == request_.stdin_data->size()) return close_input();
    if (!in_watch_) in_watch_ = std::make_unique<net::FdWatch>(reactor_, in_fd_.get());
    in_watch_->on_writable([self = shared_from_this()] { self->feed_input(); });
  }

  void feed_input() {
    const std::string& data = *request_.stdin_data;
    const ssize_t n = ::write(in_fd_.get(), data.data() + fed_, data.size() - fed_);
    if (n < 0 && errno != EAGAIN && errno != EINTR)
      return close_input();  // nobody reads it any more
    if (n > 0) fed_ += static_cast<std::size_t>(n);
    watch_input();
  }

  net::Reactor& reactor_;
  std::uint64_t id_;
  RunRequest request_;
  RunEvents events_;
  KeptOutputs* kept_;
  std::string call_id_;
  Stream out_;
  Stream err_;
  Fd in_fd_;
  std::unique_ptr<net::FdWatch> in_watch_;
  std::size_t fed_ = 0;
  Fd result_fd_;
  std::unique_ptr<net::FdWatch> result_watch_;
  std::string result_;
  bool result_overflow_ = false;
  bool cancelled_ = false;
  std::chrono::steady_clock::time_point begun_;
};

class LauncherClient::Impl : public std::enable_shared_from_this<LauncherClient::Impl> {
 public:
  Impl(net::Reactor& reactor, Spawned spawned, SpawnOptions options, KeptOutputs* kept)
      : reactor_(reactor),
        options_(std::move(options)),
        kept_(kept),
        spawned_(std::move(spawned)) {}

  void watch() {
    if (!watch_) watch_ = std::make_unique<net::FdWatch>(reactor_, spawned_.socket.get());
    watch_->on_readable([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->receive();
    });
  }

  Result<std::shared_ptr<RunHandle>> start(RunRequest request, RunEvents events);
  void cancel(std::uint64_t id);

  void shut_down() {
    watch_.reset();
    for (auto& [id, run] : runs_) run->abandon();
    runs_.clear();
    spawned_.socket.reset();
    spawned_.supervisor.reset();  // after a start as root this, and not the signal, ends it
    if (spawned_.pid > 0) ::kill(spawned_.pid, SIGTERM);
    reap(std::exchange(spawned_.pid, -1));
  }

  const LauncherFacts& facts() const { return spawned_.facts; }
  std::size_t active() const { return runs_.size(); }
  bool available() const { return spawned_.socket.valid(); }
  unsigned generation() const { return generation_; }
  void observe(TimesObserver observer) { observer_ = std::move(observer); }
  void on_gone(std::function<void(const std::string&)> handler) { on_gone_ = std::move(handler); }

 private:
  struct Pending {
    wire::Type type;
    std::uint64_t run = 0;
    std::string body;
    std::vector<Fd> fds;
  };

  Result<std::uint32_t> profile_index(const RunRequest& request) const;
  Status send(wire::Type type, std::uint64_t run, std::string body, std::vector<Fd> fds);
  bool start_is_pending(std::uint64_t run) const;
  void flush();
  void receive();
  void ended(const wire::Ended& message);
  void lost(const std::string& why);
  Status replace_launcher();
  void fail_begun_runs(const std::string& failure);

  net::Reactor& reactor_;
  SpawnOptions options_;
  KeptOutputs* kept_;
  Spawned spawned_;
  std::unique_ptr<net::FdWatch>
      watch_;                    // one for both directions: the kernel knows a descriptor only once
  bool flushing_ = false;        // waits for the socket to take more
  std::deque<Pending> pending_;  // what the socket had no room for
  std::map<std::uint64_t, std::shared_ptr<ActiveRun>> runs_;
  std::uint64_t next_id_ = 1;
  unsigned generation_ = 1;
  TimesObserver observer_;
  std::function<void(const std::string&)> on_gone_;
};

namespace {

class Handle : public RunHandle {
 public:
  Handle(std::weak_ptr<LauncherClient::Impl> impl, std::uint64_t id)
      : impl_(std::move(impl)), id_(id) {}
  void cancel() override {
    if (const auto impl = impl_.lock()) impl->cancel(id_);
  }

 private:
  std::weak_ptr<LauncherClient::Impl> impl_;
  std::uint64_t id_;
};

}  // namespace

Result<std::uint32_t> LauncherClient::Impl::profile_index(const RunRequest& request) const {
  const auto& profiles = options_.setup.profiles;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    if (profiles[i].name != request.profile) continue;
    if (request.memory && *request.memory > profiles[i].limits.memory) {
      return Error(ErrorCode::kInvalidArgument,
                   "the run asks for more memory than its sandbox may have (" +
                       std::to_string(profiles[i].limits.memory.count) + " bytes)");
    }
    return static_cast<std::uint32_t>(i);
  }
  return Error(ErrorCode::kInvalidArgument,
               "there is no sandbox profile \"" + request.profile + "\"");
}

Result<std::shared_ptr<RunHandle>> LauncherClient::Impl::start(RunRequest request,
                                                               RunEvents events) {
  CMCP_TRY(const std::uint32_t profile, profile_index(request));
  if (!available()) {
    return Error(
        ErrorCode::kUnavailable,
        "the sandbox launcher has ended and could not be started again: restart the server");
  }
  if (runs_.size() >= options_.setup.max_runs) {
    return Error(ErrorCode::kBusy, std::to_string(runs_.size()) +
                                       " runs are in progress, no more are allowed "
                                       "(SANDBOX_MAX_RUNS): try again when one has ended");
  }
  const std::uint64_t id = next_id_++;
  wire::Start message{
      .run = id,
      .profile = profile,
      .argv = request.argv,
      .environment = request.environment,
      .working_dir = request.working_dir,
      .timeout_ms = static_cast<std::uint64_t>(std::max<std::int64_t>(request.timeout.count(), 0)),
      .memory = request.memory ? request.memory->count : 0};
  std::string call_id;
  if (kept_ != nullptr) {
    CMCP_TRY(call_id, kept_->begin_call(request.principal));
  }
  auto run = std::make_shared<ActiveRun>(reactor_, id, std::move(request), std::move(events), kept_,
                                         call_id);
  auto descriptors = run->open_descriptors();
  const Status sent = descriptors.ok() ? send(wire::Type::kStart, id, wire::encode(message),
                                              std::move(*descriptors))
                                       : Status(descriptors.error());
  if (!sent.ok()) {
    run->abandon();
    return sent.error().with_context("the run could not be started");
  }
  run->watch();
  runs_.emplace(id, std::move(run));
  return std::shared_ptr<RunHandle>(std::make_shared<Handle>(weak_from_this(), id));
}

void LauncherClient::Impl::cancel(std::uint64_t id) {
  const auto run = runs_.find(id);
  if (run == runs_.end() || run->second->cancelled()) return;
  run->second->set_cancelled();
  (void)send(wire::Type::kKill, id, wire::encode(wire::Kill{id}), {});
}

// What a launcher that has just died does not take is for the next one, see lost().
Status LauncherClient::Impl::send(wire::Type type, std::uint64_t run, std::string body,
                                  std::vector<Fd> fds) {
  if (pending_.empty()) {
    std::vector<int> numbers;
    for (const auto& fd : fds) numbers.push_back(fd.get());
    const Status sent =
        wire::send(spawned_.socket.get(), type, body, numbers, os::SendMode::kDontWait);
    const bool later = !sent.ok() && (sent.error().code() == ErrorCode::kBusy ||
                                      sent.error().code() == ErrorCode::kUnavailable);
    if (!later) return sent;
  }
  pending_.push_back({type, run, std::move(body), std::move(fds)});
  flush();
  return {};
}

void LauncherClient::Impl::flush() {
  if (pending_.empty() || !available()) return;
  if (std::exchange(flushing_, true)) return;
  watch_->on_writable([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    self->flushing_ = false;
    while (!self->pending_.empty()) {
      Pending& next = self->pending_.front();
      std::vector<int> numbers;
      for (const auto& fd : next.fds) numbers.push_back(fd.get());
      const Status sent = wire::send(self->spawned_.socket.get(), next.type, next.body, numbers,
                                     os::SendMode::kDontWait);
      if (!sent.ok() && sent.error().code() == ErrorCode::kBusy) return self->flush();
      // The socket's end is noticed by receive(): what waits then is for the next launcher.
      if (!sent.ok() && sent.error().code() == ErrorCode::kUnavailable) return;
      self->pending_.pop_front();
    }
  });
}

void LauncherClient::Impl::receive() {
  while (true) {
    auto envelope = wire::receive(spawned_.socket.get());
    if (!envelope.ok()) {
      if (envelope.error().code() == ErrorCode::kBusy) return watch();
      return lost(envelope.error().message());
    }
    if (!envelope->has_value()) return lost("its socket was closed");
    if ((*envelope)->type != wire::Type::kEnded) continue;
    const auto message = wire::decode_ended((*envelope)->body);
    if (!message.ok()) return lost(message.error().message());
    ended(*message);
    if (!available()) return;
  }
}

void LauncherClient::Impl::ended(const wire::Ended& message) {
  const auto found = runs_.find(message.run);
  if (found == runs_.end()) return;
  const auto run = std::move(found->second);
  runs_.erase(found);
  if (observer_) observer_(message);
  run->finish(outcome_of(message, run->request()));
}

// The supervisor's next launcher; of an ordinary user also one with a supervisor of its own.
Status LauncherClient::Impl::replace_launcher() {
  std::vector<Fd> roots = std::move(spawned_.roots);  // the file tools keep those they have
  Status ready = wait_until_ready(spawned_, options_.setup.roots.size());
  if (!ready.ok()) {
    spawned_.socket.reset();
    spawned_.supervisor.reset();
    reap(std::exchange(spawned_.pid, -1));
    if (spawned_.facts.identity == IdentityMode::kUnprivileged) {
      auto again = spawn(options_);
      ready = again.ok() ? Status() : Status(again.error());
      if (again.ok()) spawned_ = std::move(*again);
    }
  }
  spawned_.roots = std::move(roots);
  return ready;
}

bool LauncherClient::Impl::start_is_pending(std::uint64_t run) const {
  return std::any_of(pending_.begin(), pending_.end(), [run](const Pending& pending) {
    return pending.type == wire::Type::kStart && pending.run == run;
  });
}

void LauncherClient::Impl::fail_begun_runs(const std::string& failure) {
  std::vector<std::shared_ptr<ActiveRun>> begun;
  for (const auto& [id, run] : runs_) {
    if (!start_is_pending(id)) begun.push_back(run);
  }
  for (const auto& run : begun) runs_.erase(run->id());
  for (const auto& run : begun) {
    RunOutcome outcome;
    outcome.failure = failure;
    run->finish(std::move(outcome));
  }
}

// The launcher's death killed every sandbox with it.
void LauncherClient::Impl::lost(const std::string& why) {
  log::error("the sandbox launcher has ended", {{"cause", why}});
  watch_.reset();
  flushing_ = false;
  spawned_.socket.reset();
  const Status replaced = replace_launcher();
  if (replaced.ok()) {
    ++generation_;
    log::info("another sandbox launcher has been started", {});
    watch();
  } else {
    log::error("no other sandbox launcher could be started",
               {{"cause", replaced.error().message()}});
  }
  if (!replaced.ok()) pending_.clear();
  flush();
  fail_begun_runs("the sandbox launcher ended while the program ran: " + why);
  if (!replaced.ok() && on_gone_) std::exchange(on_gone_, nullptr)(replaced.error().message());
}

LauncherClient::LauncherClient(net::Reactor& reactor, Spawned spawned, SpawnOptions options,
                               KeptOutputs* kept)
    : impl_(std::make_shared<Impl>(reactor, std::move(spawned), std::move(options), kept)) {
  ::signal(SIGPIPE, SIG_IGN);
  impl_->watch();
}

LauncherClient::~LauncherClient() {
  impl_->shut_down();
}

Result<std::shared_ptr<RunHandle>> LauncherClient::start(RunRequest request, RunEvents events) {
  return impl_->start(std::move(request), std::move(events));
}
const LauncherFacts& LauncherClient::facts() const {
  return impl_->facts();
}
std::size_t LauncherClient::active_runs() const {
  return impl_->active();
}
bool LauncherClient::available() const {
  return impl_->available();
}
unsigned LauncherClient::generation() const {
  return impl_->generation();
}
void LauncherClient::on_gone(std::function<void(const std::string&)> handler) {
  impl_->on_gone(std::move(handler));
}
void LauncherClient::observe_times(TimesObserver observer) {
  impl_->observe(std::move(observer));
}

}  // namespace cmcp::sandbox
