// Blocking MCP clients of the benchmark's own: one request at a time, nothing between the clock and
// the wire.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace cmcp::bench {

// A child process that is killed and reaped when this goes away.
class Process {
 public:
  // Spawns argv with `environment` (NAME=VALUE, complete); stdin and stdout are pipes, stderr goes
  // to `log_path`.
  static Result<std::unique_ptr<Process>> spawn(const std::vector<std::string>& argv,
                                                const std::vector<std::string>& environment,
                                                const std::string& log_path);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  pid_t pid() const { return pid_; }
  int in() const { return in_.get(); }
  int out() const { return out_.get(); }

 private:
  Process() = default;
  pid_t pid_ = -1;
  Fd in_;
  Fd out_;
};

class Client {
 public:
  virtual ~Client() = default;
  // Sends one JSON-RPC message and returns the text of its answer (of the message with an id,
  // notifications passed over).
  virtual Result<std::string> exchange(std::string_view message) = 0;
};

// Newline-delimited JSON over the pipes of `process`, which must outlive the client.
std::unique_ptr<Client> stdio_client(Process& process);
// Streamable HTTP on a kept-alive connection to 127.0.0.1; `session` is sent as Mcp-Session-Id when
// not empty.
class HttpClient : public Client {
 public:
  static Result<std::unique_ptr<HttpClient>> connect(int port);
  Result<std::string> exchange(std::string_view message) override;
  // initialize and notifications/initialized: later requests carry the session.
  Status initialize();

 private:
  explicit HttpClient(Fd socket) : socket_(std::move(socket)) {}
  Result<std::string> read_answer();
  Fd socket_;
  std::string session_;
  std::string buffer_;
};

// The legacy handshake over any client: initialize, then notifications/initialized (over stdio
// only).
extern const std::string_view kInitialize;
extern const std::string_view kInitialized;
std::string tool_call(std::string_view tool, std::string_view arguments_json);

}  // namespace cmcp::bench
