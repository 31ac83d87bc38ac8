#include <gmock/gmock.h>

#include "mcp/engine_fixture.h"

namespace cmcp::mcp {
namespace {

using test::EngineTest;
using ::testing::HasSubstr;

class LegacyProtocol : public EngineTest {};

std::string call(const std::string& id, const std::string& tool,
                 const std::string& arguments = "{}", const std::string& meta = "") {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call","params":{"name":")" + tool +
         R"(","arguments":)" + arguments + (meta.empty() ? "" : R"(,"_meta":)" + meta) + "}}";
}

std::string text_of(const json::Value& result) {
  return json::find_string(result.at("content").at(0), "text").value_or("");
}

TEST_F(LegacyProtocol, NegotiatesTheRevision) {
  struct Row {
    const char* version;   // JSON, or nullptr: missing
    const char* answered;  // nullptr: -32602
  };
  const Row rows[] = {
      {R"("2024-11-05")", "2024-11-05"},
      {R"("2025-03-26")", "2025-03-26"},
      {R"("2025-06-18")", "2025-06-18"},
      {R"("2025-11-25")", "2025-11-25"},
      {R"("1999-01-01")", "2025-11-25"},
      {R"("")", "2025-11-25"},
      {R"("2026-07-28")", "2025-11-25"},
      {R"("9")", "2025-11-25"},
      {"5", nullptr},
      {"null", nullptr},
      {R"(["2025-06-18"])", nullptr},
      {nullptr, nullptr},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.version == nullptr ? "missing" : row.version);
    make({});
    const std::string version =
        row.version == nullptr ? "" : std::string(R"("protocolVersion":)") + row.version + ",";
    const auto exchange = send(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{)" +
                               version + R"("capabilities":{}}})");
    if (row.answered == nullptr) {
      EXPECT_EQ(exchange->error_code(), -32602);
      EXPECT_EQ(session->revision, "");
      continue;
    }
    EXPECT_EQ(json::find_string(exchange->result(), "protocolVersion"), row.answered);
    EXPECT_EQ(session->revision, row.answered);
  }
  EXPECT_EQ(send(R"({"jsonrpc":"2.0","id":1,"method":"initialize"})")->error_code(), -32602);
}

TEST_F(LegacyProtocol, InitializeDeclaresWhatIsBuilt) {
  const auto exchange = initialize("2025-06-18");
  EXPECT_EQ(json::write(exchange->result().at("capabilities")),
            R"({"tools":{},"logging":{},"resources":{}})");
  EXPECT_EQ(json::write(exchange->result().at("serverInfo")),
            R"({"name":"container-mcp","title":"Container-MCP","version":"1.2.3"})");
  EXPECT_EQ(json::find_string(exchange->result(), "instructions"), "Use the tools.");
  EXPECT_EQ(session->client_name, "test");
  EXPECT_FALSE(session->initialized);
  EXPECT_TRUE(send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})")->silent());
  EXPECT_TRUE(session->initialized);
  EXPECT_EQ(json::write(initialize("2024-11-05")->result().at("serverInfo")),
            R"({"name":"container-mcp","version":"1.2.3"})");
}

TEST_F(LegacyProtocol, WhatARevisionHas) {
  struct Row {
    const char* revision;
    bool title, annotations, output_schema, structured;
  };
  const Row rows[] = {{"2024-11-05", false, false, false, false},
                      {"2025-03-26", false, true, false, false},
                      {"2025-06-18", true, true, true, true},
                      {"2025-11-25", true, true, true, true}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.revision);
    initialize(row.revision);
    const auto list = send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
    const json::Value& echo = list->result().at("tools").at(0);
    EXPECT_EQ(json::find(echo, "title") != nullptr, row.title);
    EXPECT_EQ(json::find(echo, "annotations") != nullptr, row.annotations);
    EXPECT_EQ(json::find(echo, "outputSchema") != nullptr, row.output_schema);
    const auto answer = send(call("2", "echo_text", R"({"text":"x"})"));
    EXPECT_EQ(json::find(answer->result(), "structuredContent") != nullptr, row.structured);
    EXPECT_EQ(text_of(answer->result()), R"({"text":"x","success":true})");
    if (row.structured) {
      EXPECT_EQ(json::write(answer->result().at("structuredContent")), text_of(answer->result()));
    }
    EXPECT_EQ(json::find(answer->result(), "resultType"), nullptr);
  }
}

TEST_F(LegacyProtocol, IdsAreEchoedExactlyOrRefused) {
  for (const char* id : {"0", "-1", "1.5", "1152921504606846976", "9223372036854775807",
                         "18446744073709551615", "\"abc\"", "\"\"", "\"1\"", "\"\xC3\xA9\\n\""}) {
    SCOPED_TRACE(id);
    const auto exchange = send(std::string(R"({"jsonrpc":"2.0","method":"ping","id":)") + id + "}");
    EXPECT_EQ(exchange->error_code(), 0);
    EXPECT_EQ(json::write(exchange->responses.at(0).at("id")), id);
  }
  for (const char* id : {"null", "{}", "[]", "true", "100000000000000000000000000000", "1e300"}) {
    SCOPED_TRACE(id);
    const auto exchange = send(std::string(R"({"jsonrpc":"2.0","method":"ping","id":)") + id + "}");
    EXPECT_EQ(exchange->error_code(), -32600);
    EXPECT_EQ(exchange->status, 400);
    EXPECT_EQ(exchange->id(), "null");
  }
}

TEST_F(LegacyProtocol, MalformedMessages) {
  struct Row {
    const char* message;
    int code;
    const char* id;
  };
  const Row rows[] = {
      {"5", -32600, "null"},
      {"\"ping\"", -32600, "null"},
      {"null", -32600, "null"},
      {"[]", -32600, "null"},
      {R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", -32600, "null"},
      {"{}", -32600, "null"},
      {R"({"id":3,"method":"ping"})", -32600, "3"},
      {R"({"jsonrpc":"1.0","id":3,"method":"ping"})", -32600, "3"},
      {R"({"jsonrpc":2.0,"id":"x","method":"ping"})", -32600, "\"x\""},
      {R"({"jsonrpc":"2.0","id":3})", -32600, "3"},
      {R"({"jsonrpc":"2.0","id":3,"method":7})", -32600, "3"},
      {R"({"jsonrpc":"2.0","id":3,"method":"ping","params":[1]})", -32602, "3"},
      {R"({"jsonrpc":"2.0","id":3,"method":"ping","params":"x"})", -32602, "3"},
      {R"({"jsonrpc":"2.0","id":3,"method":"no/such"})", -32601, "3"},
      {R"({"jsonrpc":"2.0","id":3,"method":""})", -32601, "3"},
      {R"({"jsonrpc":"2.0","id":3,"method":"prompts/list"})", -32601, "3"},
      {R"({"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"x"}})", -32601,
       "3"},
      {R"({"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"next"}})", -32602, "3"},
      {R"({"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":7}})", -32602, "3"},
      {R"({"jsonrpc":"2.0","id":3,"method":"tools/call"})", -32602, "3"},
      {R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":5}})", -32602, "3"},
      {R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo_text","arguments":[]}})",
       -32602, "3"},
      {R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo_text","_meta":4}})",
       -32602, "3"},
      {R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"hold","_meta":{"progressToken":1.5}}})",
       -32602, "3"},
      {R"({"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"loud"}})", -32602,
       "3"},
      {R"({"jsonrpc":"2.0","id":3,"method":"logging/setLevel"})", -32602, "3"},
      {R"({"jsonrpc":"2.0","id":3,"method":"resources/read"})", -32602, "3"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.message);
    const auto exchange = send(row.message);
    EXPECT_EQ(exchange->error_code(), row.code);
    EXPECT_EQ(exchange->id(), row.id);
    EXPECT_FALSE(exchange->error_message().empty());
    EXPECT_EQ(send(R"({"jsonrpc":"2.0","id":3,"method":"ping"})")->error_code(), 0);
  }
  EXPECT_TRUE(held.empty());
}

TEST_F(LegacyProtocol, NotificationsAndResponsesAreNeverAnswered) {
  for (const char* message :
       {R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
        R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})",
        R"({"jsonrpc":"2.0","method":"notifications/no/such","params":7})",
        R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"hold"}})",
        R"({"jsonrpc":"2.0","method":"initialize","params":{"protocolVersion":"2024-11-05"}})",
        R"({"jsonrpc":"2.0","method":"notifications/cancelled"})",
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}})",
        R"({"jsonrpc":"2.0","id":1,"result":{}})",
        R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}})"}) {
    SCOPED_TRACE(message);
    EXPECT_TRUE(send(message)->silent());
  }
  EXPECT_TRUE(held.empty());
  EXPECT_TRUE(audit.records.empty());
  EXPECT_EQ(session->revision, "");
}

TEST_F(LegacyProtocol, DiscoverWithoutEnvelopeNamesTheMissingKeys) {
  const auto exchange = send(R"({"jsonrpc":"2.0","id":9,"method":"server/discover"})");
  EXPECT_EQ(exchange->error_code(), -32602);
  EXPECT_THAT(exchange->error_message(), HasSubstr("io.modelcontextprotocol/protocolVersion"));
  EXPECT_THAT(exchange->error_message(), HasSubstr("io.modelcontextprotocol/clientCapabilities"));
}

TEST_F(LegacyProtocol, ServesBeforeInitializeAndSetsLevels) {
  EXPECT_EQ(send(R"({"jsonrpc":"2.0","id":1,"method":"ping"})")->error_code(), 0);
  EXPECT_EQ(send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":""}})")
                ->error_code(),
            0);
  EXPECT_EQ(
      send(R"({"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"error"}})")
          ->error_code(),
      0);
  EXPECT_EQ(session->log_level, "error");
  EXPECT_EQ(
      json::write(
          send(R"({"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":null}})")
              ->result()),
      R"({"resources":[]})");
  EXPECT_EQ(json::write(
                send(R"({"jsonrpc":"2.0","id":1,"method":"resources/templates/list"})")->result()),
            R"({"resourceTemplates":[]})");
}

TEST_F(LegacyProtocol, UnknownToolNamesTheNearest) {
  const auto exchange = send(call("1", "echo_txt"));
  EXPECT_EQ(exchange->error_code(), -32602);
  EXPECT_THAT(exchange->error_message(), HasSubstr("Did you mean echo_text?"));
  EXPECT_EQ(audit.records.at(0).detail, "unknown_tool");
}

TEST_F(LegacyProtocol, ResultShapes) {
  const auto refused = send(call("1", "echo_text", R"({"txt":"x"})"));
  EXPECT_TRUE(refused->result().at("isError").as_bool());
  EXPECT_EQ(json::find(refused->result(), "structuredContent"), nullptr);
  const json::Value refusal = parse(text_of(refused->result()));
  EXPECT_EQ(json::find_string(refusal, "code"), "invalid_argument");
  EXPECT_FALSE(refusal.at("success").as_bool());
  EXPECT_THAT(*json::find_string(refusal, "error"), HasSubstr("did you mean 'text'?"));

  const auto picture = send(call("1", "picture"));
  EXPECT_EQ(
      json::write(picture->result()),
      R"({"content":[{"type":"text","text":"{\"success\":true}"},{"type":"image","data":"YWJj","mimeType":"image/png"}],)"
      R"("isError":false,"_meta":{"level":"L3"}})");

  const auto own_rule = send(call("1", "fails", R"({"how":"false"})"));
  EXPECT_FALSE(own_rule->result().at("isError").as_bool());
  EXPECT_EQ(json::write(own_rule->result().at("structuredContent")),
            R"({"success":false,"error":"no"})");

  const auto busy = send(call("1", "fails", R"({"how":"busy"})"));
  EXPECT_EQ(text_of(busy->result()),
            "{\"success\":false,\"error\":\"try \xEF\xBF\xBD later\",\"code\":\"busy\"}");

  const auto bytes = send(call("1", "fails", R"({"how":"bytes"})"));
  EXPECT_EQ(json::write(bytes->result().at("structuredContent")),
            "{\"success\":true,\"a\xEF\xBF\xBD\":[\"\xEF\xBF\xBDz\"]}");

  const auto alias = send(call("1", "old_echo", R"({"message":"hi"})"));
  EXPECT_EQ(text_of(alias->result()), R"({"text":"hi","success":true})");
  const auto alias_error = send(call("1", "old_echo", R"({"message":5})"));
  EXPECT_THAT(text_of(alias_error->result()), HasSubstr("argument 'message'"));
}

TEST_F(LegacyProtocol, DefectsOfAToolAreInternalErrors) {
  for (const char* how : {"throw", "forget"}) {
    const auto exchange = send(call("1", "fails", std::string(R"({"how":")") + how + "\"}"));
    EXPECT_EQ(exchange->error_code(), -32603) << how;
    EXPECT_EQ(json::find(exchange->responses.at(0).at("error"), "data"), nullptr);
  }
  EXPECT_EQ(send(call("1", "fails", R"({"how":"twice"})"))->error_code(), 0);
  EngineOptions debug;
  debug.debug = true;
  make(debug);
  const auto exchange = send(call("1", "fails", R"({"how":"forget"})"));
  EXPECT_NE(json::find(exchange->responses.at(0).at("error").at("data"), "cause"), nullptr);
  EXPECT_EQ(engine->calls_in_flight(), 0U);
}

TEST_F(LegacyProtocol, ReadsResources) {
  const auto read = [&](const std::string& uri) {
    return send(R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":")" + uri +
                "\"}}");
  };
  EXPECT_EQ(json::write(read("file:///a.txt")->result()),
            R"({"contents":[{"uri":"file:///a.txt","mimeType":"text/plain","text":"hello"}]})");
  EXPECT_EQ(json::find_string(read("file:///b.bin")->result().at("contents").at(0), "blob"),
            "/wE=");
  const auto absent = read("file:///none");
  EXPECT_EQ(absent->error_code(), -32002);
  EXPECT_EQ(json::find_string(absent->responses.at(0).at("error").at("data"), "uri"),
            "file:///none");
  EXPECT_EQ(read("http://x/")->error_code(), -32602);
  const auto io = read("file:///io");
  EXPECT_EQ(io->error_code(), -32603);
  EXPECT_THAT(io->error_message(), ::testing::Not(HasSubstr("/host")));
}

TEST_F(LegacyProtocol, CancellationStopsTheCallAndFreesTheId) {
  const auto running = send(call("5", "hold"));
  ASSERT_EQ(held.size(), 1U);
  EXPECT_TRUE(
      send(
          R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5,"reason":"x"}})")
          ->silent());
  EXPECT_TRUE(held[0].cancel_seen);
  EXPECT_TRUE(held[0].context->cancelled());
  EXPECT_TRUE(running->abandoned);
  EXPECT_EQ(send(R"({"jsonrpc":"2.0","id":6,"method":"ping"})")->error_code(), 0);
  for (const char* late : {"99", "5", "\"5\""}) {
    EXPECT_TRUE(
        send(std::string(
                 R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)") +
             late + "}}")
            ->silent());
  }
  EXPECT_EQ(engine->calls_in_flight(), 1U);  // the binding has not returned yet
  held[0].done(object_result({{"success", true}}));
  EXPECT_EQ(engine->calls_in_flight(), 0U);
  EXPECT_TRUE(running->responses.empty());
  ASSERT_EQ(audit.records.size(), 1U);
  EXPECT_EQ(audit.records[0].outcome, "cancelled");

  const auto again = send(call("5", "hold"));
  held[1].done(object_result({{"success", true}}));
  EXPECT_EQ(again->error_code(), 0);
  EXPECT_FALSE(held[1].cancel_seen);
}

TEST_F(LegacyProtocol, CancelsAReading) {
  const auto reading = send(
      R"({"jsonrpc":"2.0","id":"r","method":"resources/read","params":{"uri":"file:///slow"}})");
  send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"r"}})");
  EXPECT_TRUE(reading->abandoned);
  resources.held.at(0)(ResourceContent{"file:///slow", "", "late", true});
  EXPECT_TRUE(reading->responses.empty());
}

TEST_F(LegacyProtocol, OneCallForAnId) {
  const auto first = send(call("1", "hold"));
  for (const char* id : {"1", "1.0"}) {
    const auto second = send(call(id, "hold"));
    EXPECT_EQ(second->error_code(), -32600);
  }
  EXPECT_EQ(held.size(), 1U);
  const auto other = send(call("\"1\"", "hold"));
  EXPECT_EQ(held.size(), 2U);
  held[0].done(object_result({{"success", true}}));
  held[1].done(object_result({{"success", true}}));
  EXPECT_EQ(first->error_code(), 0);
  EXPECT_EQ(other->error_code(), 0);
}

TEST_F(LegacyProtocol, ASlowCallDelaysNothing) {
  const auto slow = send(call("1", "hold"));
  EXPECT_EQ(send(R"({"jsonrpc":"2.0","id":2,"method":"ping"})")->error_code(), 0);
  EXPECT_EQ(send(call("3", "echo_text", R"({"text":"x"})"))->error_code(), 0);
  EXPECT_TRUE(slow->silent());
  held[0].done(object_result({{"success", true}}));
  EXPECT_EQ(slow->error_code(), 0);
}

TEST_F(LegacyProtocol, TooManyCallsAreRefusedAsBusy) {
  EngineOptions options;
  options.max_calls_per_session = 2;
  make(options);
  send(call("1", "hold"));
  send(call("2", "hold"));
  EXPECT_THAT(text_of(send(call("3", "hold"))->result()), HasSubstr(R"("code":"busy")"));
  // A cancelled call counts until its work has ended: cancelling is no way around the limit.
  send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  EXPECT_THAT(text_of(send(call("3", "hold"))->result()), HasSubstr(R"("code":"busy")"));
  held[0].done({});
  send(call("3", "hold"));
  EXPECT_EQ(held.size(), 3U);
  EXPECT_EQ(audit.records.at(0).outcome, "refused");
  EXPECT_EQ(audit.records.at(0).detail, "busy");
}

TEST_F(LegacyProtocol, ClosingASessionCancelsItsCallsOnly) {
  const auto mine = send(call("1", "hold"));
  const auto other_session = std::make_shared<Session>();
  const auto other = std::make_shared<test::FakeExchange>();
  engine->receive(other_session, parse(call("1", "hold")), other);
  engine->close(session);
  EXPECT_TRUE(held[0].cancel_seen);
  EXPECT_TRUE(mine->abandoned);
  EXPECT_FALSE(held[1].cancel_seen);
}

TEST_F(LegacyProtocol, ShutdownAnswersAndDrains) {
  const auto running = send(call("1", "hold"));
  bool drained = false;
  engine->shut_down([&] {
    drained = true;
    reactor.stop();
  });
  EXPECT_TRUE(held[0].cancel_seen);
  EXPECT_THAT(text_of(running->result()), HasSubstr(R"("code":"cancelled")"));
  EXPECT_THAT(text_of(send(call("2", "hold"))->result()), HasSubstr(R"("code":"cancelled")"));
  EXPECT_EQ(held.size(), 1U);
  held[0].done({});
  EXPECT_FALSE(drained);
  reactor.run();
  EXPECT_TRUE(drained);
}

TEST_F(LegacyProtocol, AnEngineMayGoBeforeItsCalls) {
  const auto running = send(call("1", "hold", "{}", R"({"progressToken":"t"})"));
  send(call("2", "hold"));  // whose binding never calls done
  engine.reset();
  held[0].context->progress("line\n");
  held[0].done(object_result({{"success", true}}));
  held[0].done(object_result({{"success", true}}));
  held.clear();
  EXPECT_TRUE(running->responses.empty());
}

TEST_F(LegacyProtocol, AuditRecordsEachCall) {
  send(call("1", "echo_text", R"({"text":"12345"})"));
  send(call("1", "echo_text"));
  send(call("1", "fails", R"({"how":"false"})"));
  send(call("1", "fails", R"({"how":"throw"})"));
  ASSERT_EQ(audit.records.size(), 4U);
  EXPECT_EQ(audit.records[0].outcome, "ok");
  EXPECT_EQ(audit.records[0].principal, "local");
  EXPECT_EQ(audit.records[0].transport, "http");
  EXPECT_EQ(audit.records[0].tool, "echo_text");
  EXPECT_EQ(audit.records[0].argument_bytes, 9U);
  EXPECT_EQ(audit.records[1].outcome, "refused");
  EXPECT_EQ(audit.records[1].detail, "invalid_argument");
  EXPECT_EQ(audit.records[2].outcome, "failed");
  EXPECT_EQ(audit.records[3].detail, "internal");
}

TEST_F(LegacyProtocol, CallOutsideASession) {
  std::vector<ToolResult> results;
  const ToolDone done = [&](ToolResult result) { results.push_back(std::move(result)); };
  engine->call_tool({}, "echo_text", parse(R"({"text":"x"})"), done);
  engine->call_tool({}, "echo", parse("{}"), done);
  engine->call_tool({}, "fails", parse(R"({"how":"forget"})"), done);
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(json::write(results[0].object), R"({"text":"x","success":true})");
  EXPECT_EQ(results[1].refusal->code, RefusalCode::kInvalidArgument);
  EXPECT_FALSE(results[2].object["success"].as_bool());
  EXPECT_EQ(audit.records.at(0).transport, "cli");
}

TEST_F(LegacyProtocol, ProgressOfARunningCall) {
  EngineOptions options;
  options.progress_interval = std::chrono::milliseconds(20);
  options.progress_gap = std::chrono::milliseconds(2);
  make(options);
  initialize("2025-11-25");
  const auto running = send(call("1", "hold", "{}", R"({"progressToken":7})"));
  held[0].context->progress("first li");
  held[0].context->progress("ne\nhalf");
  running->on_notify = [&] {
    if (running->notifications.size() == 1) held[0].context->progress(" \xC3\xA9\x1b[31m!\r\n");
    if (running->notifications.size() == 4) held[0].done({});
  };
  running->on_respond = [&] { reactor.stop(); };
  reactor.run();
  ASSERT_EQ(running->notifications.size(), 4U);
  std::int64_t last = 0;
  for (const json::Value& sent : running->notifications) {
    EXPECT_EQ(json::find_string(sent, "method"), "notifications/progress");
    const json::Value& params = sent.at("params");
    EXPECT_EQ(params.at("progressToken"), json::Value(7));
    EXPECT_GT(params.at("progress").as_int64(), last);
    last = params.at("progress").as_int64();
  }
  EXPECT_EQ(json::find_string(running->notifications[0].at("params"), "message"), "first line");
  EXPECT_EQ(json::find_string(running->notifications[1].at("params"), "message"), "half \xC3\xA9!");
  EXPECT_THAT(*json::find_string(running->notifications[2].at("params"), "message"),
              HasSubstr("running for"));
}

TEST_F(LegacyProtocol, ProgressHasNoMessageBefore20250326AndNoneWithoutToken) {
  EngineOptions options;
  options.progress_interval = std::chrono::milliseconds(1);
  options.progress_gap = std::chrono::milliseconds(1);
  make(options);
  initialize("2024-11-05");
  const auto without = send(call("1", "hold"));
  const auto with = send(call("2", "hold", "{}", R"({"progressToken":"t"})"));
  with->on_notify = [&] {
    if (with->notifications.size() == 3) reactor.stop();
  };
  reactor.run();
  EXPECT_TRUE(without->silent());
  EXPECT_EQ(json::find(with->notifications.at(0).at("params"), "message"), nullptr);
}

TEST_F(LegacyProtocol, AClientThatGoesAwayInsideANotificationIsNoProblem) {
  EngineOptions options;
  options.progress_interval = std::chrono::milliseconds(1);
  make(options);
  const auto running = send(call("1", "hold", "{}", R"({"progressToken":"t"})"));
  running->on_notify = [&] {
    engine->close(session);
    reactor.stop();
  };
  reactor.run();
  EXPECT_TRUE(running->abandoned);
  held[0].done({});
  settle();
  EXPECT_EQ(running->notifications.size(), 1U);
}

}  // namespace
}  // namespace cmcp::mcp
