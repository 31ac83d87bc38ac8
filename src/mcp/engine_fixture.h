// What the tests of this room share: a reactor on the test's thread, an engine with a handful of
// tools, and exchanges that remember.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mcp/engine.h"

namespace cmcp::mcp::test {

struct FakeExchange : Exchange {
  void notify(const json::Value& message) override {
    EXPECT_TRUE(responses.empty()) << "a notification after the response";
    notifications.push_back(message);
    if (on_notify) on_notify();
  }
  void respond(json::Value response, int http_status) override {
    EXPECT_TRUE(responses.empty()) << "two responses";
    EXPECT_FALSE(abandoned) << "a response after abandon";
    responses.push_back(std::move(response));
    status = http_status;
    if (on_respond) on_respond();
  }
  void abandon() override {
    EXPECT_TRUE(responses.empty());
    abandoned = true;
  }
  bool silent() const { return responses.empty() && notifications.empty() && !abandoned; }
  // The code of the error answered with, 0 for a result.
  int error_code() const {
    if (responses.empty()) return 1;
    const json::Value* error = json::find(responses.front(), "error");
    return error == nullptr ? 0 : static_cast<int>(json::find(*error, "code")->as_int64());
  }
  std::string error_message() const {
    const json::Value* error = json::find(responses.at(0), "error");
    return error == nullptr ? "" : json::find_string(*error, "message").value_or("");
  }
  const json::Value& result() const {
    static const json::Value none;
    const json::Value* result =
        responses.empty() ? nullptr : json::find(responses.front(), "result");
    EXPECT_NE(result, nullptr) << (responses.empty() ? "no response"
                                                     : json::write(responses.front()));
    return result == nullptr ? none : *result;
  }
  std::string id() const { return json::write(*json::find(responses.at(0), "id")); }

  std::vector<json::Value> notifications;
  std::vector<json::Value> responses;
  int status = 0;
  bool abandoned = false;
  std::function<void()> on_notify;
  std::function<void()> on_respond;
};

struct FakeAudit : obs::AuditSink {
  void record(const obs::AuditRecord& record) override { records.push_back(record); }
  std::vector<obs::AuditRecord> records;
};

struct FakeResources : ResourceReader {
  void read(const auth::Principal&, const std::string& uri,
            std::function<void(Result<ResourceContent>)> done) override {
    if (uri == "file:///a.txt") return done(ResourceContent{uri, "text/plain", "hello", true});
    if (uri == "file:///b.bin")
      return done(ResourceContent{uri, "application/octet-stream", "\xFF\x01", false});
    if (uri == "file:///slow") return held.push_back(std::move(done));
    if (uri == "file:///io") return done(Error(ErrorCode::kIo, "read /host/secret failed"));
    if (uri.rfind("file://", 0) != 0)
      return done(Error(ErrorCode::kInvalidArgument, "only file:// and output:// can be read"));
    done(Error(ErrorCode::kNotFound, "no such file"));
  }
  std::vector<std::function<void(Result<ResourceContent>)>> held;
};

// A call that the tool `hold` keeps open until the test ends it.
struct Held {
  std::shared_ptr<CallContext> context;
  json::Object arguments;
  ToolDone done;
  bool cancel_seen = false;
};

class EngineTest : public ::testing::Test {
 protected:
  void SetUp() override { make({}); }
  void TearDown() override { held.clear(); }

  void make(EngineOptions options) {
    options.server_version = "1.2.3";
    options.instructions = "Use the tools.";
    engine = std::make_unique<Engine>(reactor, options, tools(), &resources, audit);
    session = std::make_shared<Session>();
    session->transport = "http";
  }

  static ToolResult object_result(json::Object object) {
    ToolResult result;
    result.object = std::move(object);
    return result;
  }

  std::vector<Tool> tools() {
    Tool echo;
    echo.name = "echo_text";
    echo.title = "Echo";
    echo.description = "Returns the text.";
    echo.params = {{"text", ParamType::kString, "the text", true},
                   {"times", ParamType::kInteger, "", false, json::Value(1), 1, 10}};
    echo.output_schema = {{"type", "object"}};
    echo.annotations = {true, true, true, false};
    echo.aliases = {{"old_echo", {{"message", "text"}}}};
    echo.binding = [](const std::shared_ptr<CallContext>&, json::Object arguments,
                      const ToolDone& done) {
      done(object_result({{"text", arguments["text"]}, {"success", true}}));
    };
    Tool hold;
    hold.name = "hold";
    hold.title = "Hold";
    hold.description = "Waits.";
    hold.binding = [this](std::shared_ptr<CallContext> context, json::Object arguments,
                          ToolDone done) {
      held.push_back({std::move(context), std::move(arguments), std::move(done)});
      Held& mine = held.back();
      mine.context->on_cancel([&mine] { mine.cancel_seen = true; });
    };
    Tool picture;
    picture.name = "picture";
    picture.description = "Returns an image.";
    picture.binding = [](const std::shared_ptr<CallContext>&, const json::Object&,
                         const ToolDone& done) {
      ToolResult result = object_result({{"success", true}});
      result.images.push_back({"image/png", "abc"});
      result.meta["level"] = "L3";
      done(std::move(result));
    };
    Tool fails;
    fails.name = "fails";
    fails.description = "Fails in the way that is asked for.";
    fails.params = {{"how",
                     ParamType::kString,
                     "",
                     true,
                     {},
                     {},
                     {},
                     {"throw", "forget", "twice", "busy", "false", "bytes"}}};
    fails.binding = [](const std::shared_ptr<CallContext>&, json::Object arguments,
                       const ToolDone& done) {
      const std::string how(json::view(arguments["how"].as_string()));
      if (how == "throw") arguments.at("there is no such key");
      if (how == "busy") done(ToolResult::refused(RefusalCode::kBusy, "try \xFF later"));
      if (how == "false") done(object_result({{"success", false}, {"error", "no"}}));
      if (how == "bytes") done(object_result({{"success", true}, {"a\xC0", json::Array{"\xFFz"}}}));
      if (how == "twice") {
        done(object_result({{"success", true}}));
        done(object_result({{"success", true}}));
      }
    };
    return {echo, hold, picture, fails};
  }

  static json::Value parse(std::string_view text) {
    Result<json::Value> value = json::parse(text);
    EXPECT_TRUE(value.ok()) << text;
    return value.ok() ? value.value() : json::Value();
  }

  // Sends `text` in the legacy era.
  std::shared_ptr<FakeExchange> send(std::string_view text) {
    auto exchange = std::make_shared<FakeExchange>();
    engine->receive(session, parse(text), exchange);
    return exchange;
  }
  std::shared_ptr<FakeExchange> initialize(const std::string& revision) {
    return send(
        R"({"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":")" +
        revision +
        R"(","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"},"odd":1}})");
  }
  // A modern request: `params` without braces and without _meta.
  static std::string modern(const std::string& id, const std::string& method,
                            const std::string& params = "", const std::string& more_meta = "") {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":{)" +
           params + (params.empty() ? "" : ",") +
           R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{})" +
           more_meta + "}}}";
  }
  std::shared_ptr<FakeExchange> send_modern(std::string_view text,
                                            const ModernHeaders* headers = nullptr) {
    auto exchange = std::make_shared<FakeExchange>();
    token = engine->receive_modern({}, "http", parse(text), headers, exchange);
    return exchange;
  }
  // Runs the reactor until what is posted now has run.
  void settle() {
    reactor.post([this] { reactor.stop(); });
    reactor.run();
  }

  net::Reactor reactor;
  FakeAudit audit;
  FakeResources resources;
  std::deque<Held> held;
  std::unique_ptr<Engine> engine;
  std::shared_ptr<Session> session;
  std::shared_ptr<void> token;
};

}  // namespace cmcp::mcp::test
