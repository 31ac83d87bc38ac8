#include "client.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

namespace cmcp::bench {

const std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})";
const std::string_view kInitialized = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

std::string tool_call(std::string_view tool, std::string_view arguments_json) {
  return R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":")" + std::string(tool) +
         R"(","arguments":)" + std::string(arguments_json) + "}}";
}

namespace {

Error os_error(const std::string& what) {
  return {ErrorCode::kIo, what + ": " + std::strerror(errno), errno};
}

Status send_all(int fd, std::string_view data) {
  while (!data.empty()) {
    const ssize_t n = write(fd, data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return os_error("write");
    data.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Status read_more(int fd, std::string& buffer) {
  char chunk[65536];
  ssize_t n = -1;
  do {
    n = read(fd, chunk, sizeof chunk);
  } while (n < 0 && errno == EINTR);
  if (n < 0) return os_error("read");
  if (n == 0) return Error(ErrorCode::kIo, "the server closed the connection");
  buffer.append(chunk, static_cast<std::size_t>(n));
  return {};
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

class StdioClient : public Client {
 public:
  explicit StdioClient(Process& process) : process_(process) {}
  Result<std::string> exchange(std::string_view message) override {
    std::string line(message);
    line.push_back('\n');
    CMCP_CHECK_OK(send_all(process_.in(), line));
    if (message.find("\"id\":") == std::string_view::npos) return std::string();
    for (;;) {
      const std::size_t end = buffer_.find('\n');
      if (end == std::string::npos) {
        CMCP_CHECK_OK(read_more(process_.out(), buffer_));
        continue;
      }
      std::string answer = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      if (answer.find("\"method\":") == std::string::npos) return answer;
    }
  }

 private:
  Process& process_;
  std::string buffer_;
};

}  // namespace

Result<std::unique_ptr<Process>> Process::spawn(const std::vector<std::string>& argv,
                                                const std::vector<std::string>& environment,
                                                const std::string& log_path) {
  int in[2];
  int out[2];
  if (pipe2(in, O_CLOEXEC) != 0) return os_error("pipe2");
  std::unique_ptr<Process> process(new Process());  // NOLINT: private constructor
  process->in_ = Fd(in[1]);
  const Fd child_in(in[0]);
  if (pipe2(out, O_CLOEXEC) != 0) return os_error("pipe2");
  process->out_ = Fd(out[0]);
  const Fd child_out(out[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, child_in.get(), 0);
  posix_spawn_file_actions_adddup2(&actions, child_out.get(), 1);
  posix_spawn_file_actions_addopen(&actions, 2, log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                   0600);
  std::vector<char*> arguments = pointers(argv);
  std::vector<char*> variables = pointers(environment);
  const int failure = posix_spawn(&process->pid_, argv[0].c_str(), &actions, nullptr,
                                  arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    return Error(ErrorCode::kIo, "posix_spawn " + argv[0] + ": " + std::strerror(failure), failure);
  }
  return process;
}

Process::~Process() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

std::unique_ptr<Client> stdio_client(Process& process) {
  return std::make_unique<StdioClient>(process);
}

Result<std::unique_ptr<HttpClient>> HttpClient::connect(int port) {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return os_error("connect");
  }
  const int on = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return std::unique_ptr<HttpClient>(
      new HttpClient(std::move(socket)));  // NOLINT: private constructor
}

namespace {

// The value of a header in an HTTP head; names are compared without case.
std::optional<std::string> header(std::string_view head, std::string_view name) {
  std::string lower(head);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::size_t at = lower.find("\r\n" + std::string(name) + ":");
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = head.find_first_not_of(' ', at + name.size() + 3);
  return std::string(head.substr(begin, head.find("\r\n", begin) - begin));
}

}  // namespace

Result<std::string> HttpClient::read_answer() {
  std::size_t head_end = 0;
  while ((head_end = buffer_.find("\r\n\r\n")) == std::string::npos)
    CMCP_CHECK_OK(read_more(socket_.get(), buffer_));
  const std::string head = buffer_.substr(0, head_end + 2);
  buffer_.erase(0, head_end + 4);
  if (const auto session = header(head, "mcp-session-id")) session_ = *session;
  const auto length = header(head, "content-length");
  if (!length) return Error(ErrorCode::kProtocol, "an answer without Content-Length: " + head);
  const std::size_t size = std::stoul(*length);
  while (buffer_.size() < size) CMCP_CHECK_OK(read_more(socket_.get(), buffer_));
  std::string body = buffer_.substr(0, size);
  buffer_.erase(0, size);
  if (head.substr(9, 1) != "2") return Error(ErrorCode::kProtocol, head + body);
  return body;
}

Result<std::string> HttpClient::exchange(std::string_view message) {
  std::string request =
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: "
      "application/json\r\n";
  if (!session_.empty())
    request += "Mcp-Session-Id: " + session_ + "\r\nMCP-Protocol-Version: 2025-11-25\r\n";
  request += "Content-Length: " + std::to_string(message.size()) + "\r\n\r\n";
  request += message;
  CMCP_CHECK_OK(send_all(socket_.get(), request));
  return read_answer();
}

Status HttpClient::initialize() {
  CMCP_TRY(const std::string answer, exchange(kInitialize));
  CMCP_TRY(const std::string nothing, exchange(kInitialized));
  if (answer.find("\"result\"") == std::string::npos || !nothing.empty()) {
    return Error(ErrorCode::kProtocol, "initialize was answered with " + answer);
  }
  return {};
}

}  // namespace cmcp::bench
