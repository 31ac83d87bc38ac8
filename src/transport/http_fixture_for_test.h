// What the tests of the HTTP transports share: the whole stack (server, engine, sessions) on a
// reactor thread, with the tools `echo` (answers at once) and `hold` (answers when the test says
// so). Not used outside tests.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "http/raw_client_for_test.h"
#include "http/server.h"
#include "mcp/engine.h"
#include "transport/health.h"
#include "transport/http_errors.h"
#include "transport/legacy_sse.h"
#include "transport/session_table.h"
#include "transport/streamable_http.h"

namespace cmcp::transport {

using http::RawClient;
using http::RawResponse;

struct NoAudit : obs::AuditSink {
  void record(const obs::AuditRecord&) override {}
};

// One thing that the reactor thread tells the test, once.
class Signal {
 public:
  void set() { promise_.set_value(); }
  bool wait() { return future_.wait_for(std::chrono::seconds(10)) == std::future_status::ready; }

 private:
  std::promise<void> promise_;
  std::future<void> future_ = promise_.get_future();
};

// A call of `hold`, as the test sees it.
struct HeldCall {
  std::shared_ptr<mcp::CallContext> context;
  mcp::ToolDone done;
};

class HttpFixture : public ::testing::Test {
 protected:
  struct Setup {
    http::ServerOptions server;
    SessionTableOptions sessions;
    StreamableHttpOptions streamable;
    mcp::EngineOptions engine;
    std::size_t streams = 100;
  };

  HttpFixture() {
    char name[] = "/tmp/cmcp_http_XXXXXX";
    directory_ = ::mkdtemp(name);
  }
  ~HttpFixture() override {
    stop();
    std::filesystem::remove_all(directory_);
  }

  void start() { start(Setup()); }
  void start(Setup setup) {
    setup.server.error_response = refusal;
    if (setup.sessions.key.empty()) {
      setup.sessions.key = *load_or_create_session_key({directory_ + "/session.key"});
    }
    setup.sessions.ended_file = {directory_ + "/sessions.ended"};
    setup.sessions.clock = [this] {
      return std::chrono::system_clock::now() + std::chrono::seconds(later_);
    };
    setup.engine.progress_gap = std::chrono::milliseconds(1);
    const Authentication authentication =
        setup.server.tokens.empty() ? Authentication::kOff : Authentication::kOn;
    reactor_.emplace();
    engine_.emplace(*reactor_, setup.engine, tools(), nullptr, audit_);
    sessions_.emplace(*reactor_, setup.sessions);
    streams_.emplace(setup.streams);
    streamable_.emplace(*reactor_, *engine_, *sessions_, *streams_, setup.streamable);
    sse_.emplace(*engine_, *streams_, setup.streamable.json);
    http::Router router;
    streamable_->add_routes(router);
    sse_->add_routes(router);
    add_health_route(router, authentication, [] { return json::Object{{"level", "L3"}}; });
    server_.emplace(*reactor_, std::move(setup.server), std::move(router));
    ASSERT_TRUE(server_->listen("127.0.0.1", 0).ok());
    port_ = server_->endpoints().front().port;
    thread_ = std::thread([this] { reactor_->run(); });
  }
  void stop() {
    if (!thread_.joinable()) return;
    on_reactor([this] {
      held_.clear();
      server_.reset();
      sse_.reset();
      streamable_.reset();
      sessions_.reset();
      engine_.reset();
    });
    reactor_->stop();
    thread_.join();
    reactor_.reset();
  }

  template <typename Task>
  void on_reactor(Task task) {
    std::promise<void> ran;
    reactor_->post([&] {
      task();
      ran.set_value();
    });
    ran.get_future().wait();
  }

  std::vector<mcp::Tool> tools() {
    mcp::Tool echo;
    echo.name = "echo";
    echo.description = "Returns the text.";
    echo.params = {{"text", mcp::ParamType::kString, "the text", true}};
    echo.binding = [](const std::shared_ptr<mcp::CallContext>&, json::Object arguments,
                      const mcp::ToolDone& done) {
      mcp::ToolResult result;
      result.object = {{"success", true}, {"text", arguments["text"]}};
      done(std::move(result));
    };
    mcp::Tool hold;
    hold.name = "hold";
    hold.description = "Waits.";
    hold.binding = [this](std::shared_ptr<mcp::CallContext> context, const json::Object&,
                          mcp::ToolDone done) {
      context->on_cancel([this, done] {
        done({});
        cancelled_->set();
      });
      held_.push_back({std::move(context), std::move(done)});
      holding_->set();
    };
    return {echo, hold};
  }
  // The next call of `hold` has begun.
  bool wait_for_call() {
    const bool began = holding_->wait();
    holding_.emplace();
    return began;
  }
  bool wait_for_cancel() { return cancelled_->wait(); }
  void finish_call() {
    on_reactor([this] {
      mcp::ToolResult result;
      result.object = {{"success", true}, {"text", "held"}};
      const HeldCall call = std::exchange(held_.back(), {});
      held_.pop_back();
      call.done(std::move(result));
    });
  }

  static std::string post_bytes(const std::string& path, const std::string& body,
                                const std::string& headers = "") {
    return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
           headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  RawResponse post(const std::string& body, const std::string& headers = "",
                   const std::string& path = "/mcp") {
    RawClient client(port_);
    client.send(post_bytes(path, body, headers));
    return client.read_response();
  }
  RawResponse request(const std::string& method, const std::string& path,
                      const std::string& headers = "") {
    RawClient client(port_);
    client.send(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
    return client.read_response(method == "HEAD");
  }
  static std::string session_header(const std::string& id) {
    return "Mcp-Session-Id: " + id + "\r\n";
  }
  static std::string both_forms() { return "Accept: application/json, text/event-stream\r\n"; }

  static std::string initialize_body(const std::string& revision) {
    return R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" +
           revision + R"(","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})";
  }
  // A new session's id.
  std::string open_session(const std::string& revision = "2025-11-25",
                           const std::string& headers = "") {
    const RawResponse response = post(initialize_body(revision), headers);
    EXPECT_EQ(response.status, 200) << response.body;
    return response.header("Mcp-Session-Id").value_or("");
  }
  bool ping_works(const std::string& session, const std::string& headers = "") {
    const RawResponse response =
        post(R"({"jsonrpc":"2.0","id":"p","method":"ping"})", session_header(session) + headers);
    return response.status == 200 && response.body.find(R"("result":{})") != std::string::npos;
  }
  static std::string call_body(const std::string& id, const std::string& tool,
                               const std::string& more = "") {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call","params":{"name":")" +
           tool + R"(","arguments":{)" + (tool == "echo" ? R"("text":"hello")" : "") + "}" + more +
           "}}";
  }
  static std::string modern_body(const std::string& id, const std::string& method,
                                 const std::string& params = "") {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":{)" +
           params + (params.empty() ? "" : ",") +
           R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
           R"("io.modelcontextprotocol/clientCapabilities":{}}}})";
  }
  static std::string modern_headers(const std::string& method, const std::string& name = "") {
    return both_forms() + "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " + method + "\r\n" +
           (name.empty() ? "" : "Mcp-Name: " + name + "\r\n");
  }
  static int error_code(const RawResponse& response) {
    const auto parsed = json::parse(response.body);
    if (!parsed.ok()) return 0;
    const json::Value* error = json::find(*parsed, "error");
    const json::Value* code = error == nullptr ? nullptr : json::find(*error, "code");
    return code == nullptr ? 0 : static_cast<int>(code->as_int64());
  }

  std::string directory_;
  std::atomic<std::int64_t> later_ = 0;  // seconds that the sessions' clock is ahead
  NoAudit audit_;
  std::optional<net::Reactor> reactor_;
  std::optional<mcp::Engine> engine_;
  std::optional<SessionTable> sessions_;
  std::optional<StreamBudget> streams_;
  std::optional<StreamableHttp> streamable_;
  std::optional<LegacySse> sse_;
  std::optional<http::Server> server_;
  std::uint16_t port_ = 0;
  std::thread thread_;
  std::vector<HeldCall> held_;
  std::optional<Signal> holding_{std::in_place};
  std::optional<Signal> cancelled_{std::in_place};
};

}  // namespace cmcp::transport
