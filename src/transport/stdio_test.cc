#include "transport/stdio.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <deque>

#include "transport/line_splitter.h"

namespace cmcp::transport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct NoAudit : obs::AuditSink {
  void record(const obs::AuditRecord&) override {}
};

struct Held {
  std::shared_ptr<mcp::CallContext> context;
  mcp::ToolDone done;
};

// A server on the test's reactor and its client on the other ends of two pipes (or one socket).
class StdioTest : public ::testing::Test {
 protected:
  void SetUp() override {
    engine = std::make_unique<mcp::Engine>(reactor, mcp::EngineOptions(), tools(), nullptr, audit);
    options.grace = std::chrono::milliseconds(10);
    options.flush = std::chrono::milliseconds(50);
  }

  std::vector<mcp::Tool> tools() {
    mcp::Tool hold;
    hold.name = "hold";
    hold.binding = [this](std::shared_ptr<mcp::CallContext> context, const json::Object&,
                          mcp::ToolDone done) {
      held.push_back({context, std::move(done)});
      context->on_cancel([this] { ++cancels; });
    };
    mcp::Tool large;
    large.name = "large";
    large.binding = [](const std::shared_ptr<mcp::CallContext>&, const json::Object&,
                       const mcp::ToolDone& done) {
      mcp::ToolResult result;
      result.object["text"] = std::string(3'000'000, 'x');
      done(std::move(result));
    };
    return {hold, large};
  }

  void start_on_pipes() {
    int to_server[2];
    int to_client[2];
    ASSERT_EQ(::pipe2(to_server, O_CLOEXEC), 0);
    ASSERT_EQ(::pipe2(to_client, O_CLOEXEC), 0);
    client_out.reset(to_server[1]);
    client_in.reset(to_client[0]);
    start(Fd(to_server[0]), Fd(to_client[1]));
    listen();
  }
  void start_on_socket() {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    client_out.reset(ends[0]);
    client_in.reset(::fcntl(ends[0], F_DUPFD_CLOEXEC, 3));
    Fd out(::fcntl(ends[1], F_DUPFD_CLOEXEC, 3));
    start(Fd(ends[1]), std::move(out));
    listen();
  }
  void start(Fd in, Fd out) {
    server = std::make_unique<Stdio>(reactor, *engine, auth::Principal{},
                                     StdioChannel{std::move(in), std::move(out)}, options, [this] {
                                       finished = true;
                                       reactor.stop();
                                     });
    server->start();
  }
  // Collects what the server sends; lines become JSON values.
  void listen() {
    client_watch = std::make_unique<net::FdWatch>(reactor, client_in.get());
    client_watch->on_readable([this] { client_read(); });
  }
  void client_read() {
    std::array<char, 65536> buffer;
    const ssize_t count = ::read(client_in.get(), buffer.data(), buffer.size());
    if (count == 0) return;
    if (count > 0) {
      splitter.feed({buffer.data(), static_cast<std::size_t>(count)});
    }
    client_watch->on_readable([this] { client_read(); });
  }
  void got_line(std::string_view line) {
    Result<json::Value> value = json::parse(line);
    ASSERT_TRUE(value.ok()) << line;
    received.push_back(std::move(value).value());
    if (received.size() == wanted) reactor.stop();
  }

  void write(std::string_view text) {
    ASSERT_EQ(::write(client_out.get(), text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }
  // Runs until `count` messages have come in all.
  void wait_for(std::size_t count) {
    wanted = count;
    if (received.size() < count) reactor.run();
    wanted = SIZE_MAX;
    ASSERT_GE(received.size(), count);
  }
  void run_to_end() {
    if (!finished) reactor.run();
    ASSERT_TRUE(finished);
  }
  // Id and error code (0: a result) of each received message.
  std::vector<std::string> summary() const {
    std::vector<std::string> lines;
    for (const json::Value& message : received) {
      const json::Value* id = json::find(message, "id");
      const json::Value* error = json::find(message, "error");
      lines.push_back((id == nullptr ? "-" : json::write(*id)) + " " +
                      (error == nullptr ? "0" : json::write(error->at("code"))));
    }
    return lines;
  }
  static std::string ping(const std::string& id) {
    return R"({"jsonrpc":"2.0","method":"ping","id":)" + id + "}\n";
  }
  static std::string hold(const std::string& id) {
    return R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"hold"},"id":)" + id + "}\n";
  }
  static std::string modern(const std::string& id, const std::string& method,
                            const std::string& params = "") {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":{)" +
           params +
           R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})"
           "\n";
  }
  static std::string initialize(const std::string& revision) {
    return R"({"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":")" +
           revision + "\"}}\n";
  }

  net::Reactor reactor;
  NoAudit audit;
  std::deque<Held> held;
  int cancels = 0;
  std::unique_ptr<mcp::Engine> engine;
  StdioOptions options;
  Fd client_in;
  Fd client_out;
  std::unique_ptr<net::FdWatch> client_watch;
  LineSplitter splitter{64U << 20U,
                        {[this](std::string_view line) { got_line(line); }, [] { FAIL(); }}};
  std::vector<json::Value> received;
  std::size_t wanted = SIZE_MAX;
  bool finished = false;
  std::unique_ptr<Stdio> server;
};

TEST_F(StdioTest, BadLinesAreAnsweredAndSkipped) {
  start_on_pipes();
  write(
      "NOT JSON\n{\"jsonrpc\":\"2.0\",\"id\":7,\n\xFF\xFE\n\n   \r\n[1,2\n{\"a\":\"\xC0\xAF\"}\n" +
      ping("1"));
  wait_for(6);
  EXPECT_THAT(summary(), ElementsAre("null -32700", "null -32700", "null -32700", "null -32700",
                                     "null -32700", "1 0"));
}

TEST_F(StdioTest, LinesAboveTheLimitAreSkippedToTheirNewline) {
  options.max_message_bytes = 1000;
  start_on_socket();
  write(std::string(5000, '{') + ping("2") + ping("3"));
  wait_for(2);
  EXPECT_THAT(summary(), ElementsAre("null -32600", "3 0"));
  EXPECT_THAT(json::write(received[0]), HasSubstr("MCP_MAX_BODY_MB"));
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += '[';
  write(deep + "\n" + ping("4"));
  wait_for(4);
  EXPECT_THAT(summary(), ElementsAre("null -32600", "3 0", "null -32700", "4 0"));
}

TEST_F(StdioTest, ASlowWriterAndALineInPieces) {
  start_on_pipes();
  for (const char c : ping("\"p\"")) {
    write({&c, 1});
    reactor.post([this] { reactor.stop(); });
    reactor.run();
  }
  wait_for(1);
  EXPECT_THAT(summary(), ElementsAre("\"p\" 0"));
}

TEST_F(StdioTest, EndOfInputWhenIdle) {
  start_on_pipes();
  client_out.reset();
  run_to_end();
  EXPECT_TRUE(received.empty());
}

TEST_F(StdioTest, TheLastLineNeedsNoNewline) {
  start_on_pipes();
  const std::string line = ping("5");
  write(line.substr(0, line.size() - 1));
  client_out.reset();
  run_to_end();
  client_read();
  EXPECT_THAT(summary(), ElementsAre("5 0"));
}

TEST_F(StdioTest, EndOfInputCancelsWhatRuns) {
  start_on_pipes();
  write(hold("1") + modern("2", "tools/call", R"("name":"hold",)"));
  client_out.reset();
  run_to_end();
  EXPECT_EQ(cancels, 2);
  EXPECT_EQ(received.size(), 0U);
  for (Held& call : held) call.done({});
  EXPECT_EQ(engine->calls_in_flight(), 0U);
}

TEST_F(StdioTest, ACallMayFinishWithinTheGrace) {
  options.grace =
      std::chrono::minutes(5);  // longer than the test may take: only the answer ends the wait
  start_on_pipes();
  write(hold("1"));
  client_out.reset();
  std::function<void()> answer = [&] {
    if (held.empty()) return reactor.post(answer);
    held[0].done({});
  };
  reactor.post(answer);
  run_to_end();
  client_read();
  EXPECT_EQ(cancels, 0);
  EXPECT_THAT(summary(), ElementsAre("1 0"));
}

TEST_F(StdioTest, AClientThatIsGoneEndsTheConnection) {
  start_on_pipes();
  client_watch.reset();
  client_in.reset();
  write(hold("1") + ping("2"));
  run_to_end();
  EXPECT_EQ(cancels, 1);
}

TEST_F(StdioTest, AClientThatDoesNotReadIsDisconnected) {
  options.max_queued_bytes = 1000;
  start_on_pipes();
  client_watch.reset();
  const std::string large =
      R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"large"},"id":1})"
      "\n";
  write(large + large);
  run_to_end();
}

TEST_F(StdioTest, ALargeAnswerToASlowReader) {
  start_on_pipes();
  write(R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"large"},"id":1})"
        "\n" +
        ping("2"));
  wait_for(2);
  EXPECT_THAT(summary(), ElementsAre("1 0", "2 0"));
}

TEST_F(StdioTest, CancellationInBothEras) {
  start_on_pipes();
  write(hold("5") + modern("6", "tools/call", R"("name":"hold",)"));
  write(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}})"
        "\n");
  write(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})"
        "\n");
  write(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}})"
        "\n");
  write(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})"
        "\n" +
        ping("7"));
  wait_for(1);
  EXPECT_EQ(cancels, 2);
  EXPECT_THAT(summary(), ElementsAre("7 0"));
}

TEST_F(StdioTest, AnIdInFlightIsTakenInBothEras) {
  start_on_pipes();
  write(hold("1") + modern("1", "tools/call", R"("name":"hold",)") + hold("1.0") +
        modern("2", "tools/call", R"("name":"hold",)") + ping("2"));
  wait_for(3);
  EXPECT_THAT(summary(), ElementsAre("1 -32600", "1.0 -32600", "2 -32600"));
  EXPECT_EQ(held.size(), 2U);
}

TEST_F(StdioTest, ErasMayBeMixed) {
  start_on_pipes();
  write(modern("1", "server/discover") + initialize("2025-06-18") + modern("2", "tools/list") +
        initialize("2025-11-25") + ping("3") + modern("4", "ping") +
        R"({"jsonrpc":"2.0","id":5,"method":"server/discover"})"
        "\n");
  wait_for(7);
  EXPECT_THAT(summary(),
              ElementsAre("1 0", "\"i\" 0", "2 0", "\"i\" 0", "3 0", "4 -32601", "5 -32602"));
  EXPECT_EQ(json::find_string(received[1].at("result"), "protocolVersion"), "2025-06-18");
}

TEST_F(StdioTest, BatchesIn20250326Only) {
  start_on_pipes();
  const std::string two =
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},)"
      R"(5,{"jsonrpc":"2.0","id":2,"method":"no"}])"
      "\n";
  write(two + initialize("2025-03-26") + two +
        R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])"
        "\n[]\n" +
        ping("9"));
  wait_for(5);
  EXPECT_EQ(received[0].at("error").at("code"), json::Value(-32600));
  ASSERT_TRUE(received[2].is_array());
  EXPECT_EQ(received[2].as_array().size(), 3U);
  EXPECT_EQ(received[3].at("error").at("code"), json::Value(-32600));
  EXPECT_EQ(received[4].at("id"), json::Value(9));
}

TEST_F(StdioTest, ABatchWaitsForItsCalls) {
  start_on_pipes();
  write(initialize("2025-03-26"));
  wait_for(1);
  std::string batch = "[" + hold("1") + "," + ping("2") + "]";
  batch.erase(std::remove(batch.begin(), batch.end(), '\n'), batch.end());
  write(batch + "\n" + ping("3"));
  wait_for(2);
  EXPECT_EQ(received[1].at("id"), json::Value(3));
  held.at(0).done({});
  wait_for(3);
  EXPECT_EQ(received[2].as_array().size(), 2U);
}

TEST_F(StdioTest, NotificationsAreNeverAnswered) {
  start_on_pipes();
  write(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
        "\n"
        R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})"
        "\n"
        R"({"jsonrpc":"2.0","method":"no/such"})"
        "\n"
        R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"hold"}})"
        "\n"
        R"({"jsonrpc":"2.0","id":4,"result":{}})"
        "\n" +
        ping("0"));
  wait_for(1);
  EXPECT_THAT(summary(), ElementsAre("0 0"));
  EXPECT_TRUE(held.empty());
}

TEST_F(StdioTest, StopAnswersWhatIsQueuedAndFinishes) {
  start_on_pipes();
  write(hold("1") + ping("2"));
  wait_for(1);
  engine->shut_down({});
  server->stop();
  run_to_end();
  client_read();
  EXPECT_EQ(cancels, 1);
  EXPECT_THAT(summary(), ElementsAre("2 0", "1 0"));
  EXPECT_THAT(json::write(received[1]), HasSubstr("cancelled"));
}

TEST_F(StdioTest, RegularFiles) {
  char input[] = "/tmp/cmcp_stdio_XXXXXX";
  char output[] = "/tmp/cmcp_stdio_XXXXXX";
  Fd in(::mkostemp(input, O_CLOEXEC));
  Fd out(::mkostemp(output, O_CLOEXEC));
  ASSERT_TRUE(in.valid() && out.valid());
  ::unlink(input);
  ::unlink(output);
  const std::string text = ping("1") + "garbage\n" + ping("2");
  ASSERT_EQ(::pwrite(in.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  const Fd copy(::fcntl(out.get(), F_DUPFD_CLOEXEC, 3));
  start(std::move(in), std::move(out));
  run_to_end();
  std::array<char, 4096> buffer;
  const ssize_t size = ::pread(copy.get(), buffer.data(), buffer.size(), 0);
  ASSERT_GT(size, 0);
  splitter.feed({buffer.data(), static_cast<std::size_t>(size)});
  EXPECT_THAT(summary(), ElementsAre("1 0", "null -32700", "2 0"));
}

TEST_F(StdioTest, DevNull) {
  start(Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)),
        Fd(::open("/dev/null", O_WRONLY | O_CLOEXEC)));
  run_to_end();
}

TEST_F(StdioTest, TheFlagsOfSharedDescriptorsAreRestored) {
  start_on_pipes();
  const Fd in(::fcntl(client_in.get(), F_DUPFD_CLOEXEC, 3));
  write(ping("1"));
  wait_for(1);
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Fd shared_in(::fcntl(ends[0], F_DUPFD_CLOEXEC, 3));
  const Fd writer(ends[1]);
  {
    Stdio other(reactor, *engine, {},
                StdioChannel{Fd(ends[0]), Fd(::open("/dev/null", O_WRONLY | O_CLOEXEC))}, options,
                [] {});
    other.start();
  }
  // The reactor's queue may still hold the connection.
  reactor.post([this] { reactor.stop(); });
  reactor.run();
  EXPECT_EQ(::fcntl(shared_in.get(), F_GETFL) & O_NONBLOCK, 0);
}

// In a child process, because it changes the process's own standard streams.
int take_streams_in_child(int in, int out, int err) {
  ::dup2(in, 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  const Result<StdioChannel> channel = take_standard_streams();
  if (!channel.ok()) return 2;
  char byte = 0;
  if (::read(0, &byte, 1) != 0) return 3;  // /dev/null
  if (::write(1, "noise", 5) != 5) return 4;
  if (::read(channel->in.get(), &byte, 1) != 1 || byte != 'q') return 5;
  if (::write(channel->out.get(), "answer", 6) != 6) return 6;
  if ((::fcntl(channel->in.get(), F_GETFD) & FD_CLOEXEC) == 0) return 7;
  if ((::fcntl(channel->out.get(), F_GETFD) & FD_CLOEXEC) == 0) return 8;
  return 0;
}

TEST(TakeStandardStreams, NothingElseReachesTheStream) {
  int in[2];
  int out[2];
  int err[2];
  ASSERT_EQ(::pipe2(in, O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(out, O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(err, O_CLOEXEC), 0);
  ASSERT_EQ(::write(in[1], "q", 1), 1);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(take_streams_in_child(in[0], out[1], err[1]));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  std::array<char, 100> buffer;
  ASSERT_EQ(::read(out[0], buffer.data(), buffer.size()), 6);
  EXPECT_EQ(std::memcmp(buffer.data(), "answer", 6), 0);
  ASSERT_EQ(::read(err[0], buffer.data(), buffer.size()), 5);
  for (const int fd : {in[0], in[1], out[0], out[1], err[0], err[1]}) ::close(fd);
}

}  // namespace
}  // namespace cmcp::transport
