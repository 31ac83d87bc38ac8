#include "transport/streamable_http.h"

#include "transport/http_fixture_for_test.h"

namespace cmcp::transport {
namespace {

class StreamableHttpTest : public HttpFixture {};

const std::string kForged =
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

TEST_F(StreamableHttpTest, ALegacySessionFromBeginningToEnd) {
  start();
  for (const std::string revision : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    for (const std::string path : {"/mcp", "/mcp/"}) {
      const RawResponse opened = post(initialize_body(revision), both_forms(), path);
      ASSERT_EQ(opened.status, 200);
      EXPECT_EQ(opened.header("Content-Type"), "application/json");
      EXPECT_NE(opened.body.find(R"("protocolVersion":")" + revision), std::string::npos);
      const std::string session = session_header(opened.header("Mcp-Session-Id").value_or("")) +
                                  "MCP-Protocol-Version: " + revision + "\r\n" + both_forms();
      const RawResponse initialized =
          post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", session, path);
      EXPECT_EQ(initialized.status, 202);
      EXPECT_EQ(initialized.body, "");
      EXPECT_EQ(post(R"({"jsonrpc":"2.0","id":9,"result":{}})", session, path).status, 202);
      const RawResponse called = post(call_body("7", "echo"), session, path);
      EXPECT_EQ(called.status, 200);
      EXPECT_NE(called.body.find(R"("id":7)"), std::string::npos);
      EXPECT_NE(called.body.find("hello"), std::string::npos);
      EXPECT_EQ(request("DELETE", path, session).status, 204);
      EXPECT_EQ(post(call_body("8", "echo"), session, path).status, 404);
    }
  }
}

// PROTO-07: what is refused, in which way, on each method.
TEST_F(StreamableHttpTest, UnknownSessionsAre404BeforeAnyStream) {
  Setup setup;
  setup.sessions.idle = std::chrono::hours(1);
  start(setup);
  const std::string idle = open_session();
  later_ = 3700;
  const std::string ended = open_session();
  EXPECT_EQ(request("DELETE", "/mcp", session_header(ended)).status, 204);
  const std::string living = open_session("2025-06-18");
  const auto refused_everywhere = [&](const std::string& id) {
    const std::string headers = session_header(id) + both_forms();
    for (const RawResponse& response :
         {post(call_body("1", "echo"), headers), request("GET", "/mcp", headers),
          request("DELETE", "/mcp", headers)}) {
      EXPECT_EQ(response.status, 404) << id;
      EXPECT_EQ(error_code(response), -32001);
      EXPECT_EQ(response.header("Content-Type"), "application/json");
    }
  };
  for (const std::string& id : {kForged, std::string("nonsense"), idle, ended})
    refused_everywhere(id);
  EXPECT_TRUE(ping_works(living));

  stop();
  start(setup);
  for (const std::string& id : {kForged, idle, ended}) refused_everywhere(id);
  EXPECT_TRUE(ping_works(living));
  EXPECT_TRUE(ping_works(living, "MCP-Protocol-Version: 2025-06-18\r\n"));

  const RawResponse without = post(call_body("1", "echo"));
  EXPECT_EQ(without.status, 400);
  EXPECT_EQ(error_code(without), -32000);
  EXPECT_NE(without.body.find(R"("id":1)"), std::string::npos);
  EXPECT_EQ(post(call_body("1", "echo"), session_header(living) + session_header(living)).status,
            400);
  EXPECT_EQ(request("DELETE", "/mcp").status, 400);
  const RawResponse get = request("GET", "/mcp", "Accept: text/event-stream\r\n");
  EXPECT_EQ(get.status, 405);
  EXPECT_NE(get.header("Allow")->find("POST"), std::string::npos);
}

TEST_F(StreamableHttpTest, ASessionOfAnotherPrincipalIsNone) {
  Setup setup;
  setup.server.tokens.add("a-token", {"alice"});
  setup.server.tokens.add("b-token", {"bob"});
  start(std::move(setup));
  const std::string alice = "Authorization: Bearer a-token\r\n";
  const std::string id = open_session("2025-11-25", alice);
  EXPECT_TRUE(ping_works(id, alice));
  EXPECT_EQ(
      post(call_body("1", "echo"), session_header(id) + "Authorization: Bearer b-token\r\n").status,
      404);
}

TEST_F(StreamableHttpTest, AStaleSessionIdDoesNotHinderInitialize) {
  start();
  const RawResponse response = post(initialize_body("2025-06-18"), session_header(kForged));
  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(ping_works(response.header("Mcp-Session-Id").value_or("")));
  const RawResponse failed = post(R"({"jsonrpc":"2.0","id":1,"method":"initialize"})");
  EXPECT_EQ(error_code(failed), -32602);
  EXPECT_FALSE(failed.header("Mcp-Session-Id"));
}

TEST_F(StreamableHttpTest, AcceptDecidesTheFormLeniently) {
  start();
  const std::string session = session_header(open_session());
  for (const std::string accept :
       {"", "Accept: */*\r\n", "Accept: application/json\r\n", "Accept: text/html\r\n",
        "Accept: text/event-stream;q=0, application/json\r\n"}) {
    EXPECT_EQ(post(call_body("1", "echo"), session + accept).header("Content-Type"),
              "application/json")
        << accept;
  }
  RawClient client(port_);
  client.send(
      post_bytes("/mcp", call_body("1", "echo"), session + "Accept: text/event-stream\r\n"));
  EXPECT_EQ(client.read_response().header("Content-Type"), "text/event-stream");
  EXPECT_NE(client.read_until("0\r\n\r\n").find("event: message\ndata: {"), std::string::npos);
}

TEST_F(StreamableHttpTest, ProgressMakesAStreamThatEndsWithTheResponse) {
  start();
  const std::string session = session_header(open_session()) + both_forms();
  RawClient client(port_);
  client.send(
      post_bytes("/mcp", call_body("5", "hold", R"(,"_meta":{"progressToken":"t"})"), session));
  ASSERT_TRUE(wait_for_call());
  on_reactor([&] { held_.back().context->progress("line\n"); });
  EXPECT_EQ(client.read_response().header("Content-Type"), "text/event-stream");
  EXPECT_NE(client.read_until("\n\n").find("notifications/progress"), std::string::npos);
  finish_call();
  const std::string rest = client.read_until("0\r\n\r\n");
  EXPECT_NE(rest.find(R"("id":5)"), std::string::npos);
  EXPECT_NE(rest.find("held"), std::string::npos);
  // The connection goes on.
  client.send(post_bytes("/mcp", call_body("6", "echo"), session));
  EXPECT_NE(client.read_response().body.find(R"("id":6)"), std::string::npos);
}

TEST_F(StreamableHttpTest, ALongCallBecomesAStreamOnlyForThoseWhoTakeOne) {
  Setup setup;
  setup.streamable.stream_after = std::chrono::milliseconds(10);
  setup.server.timeouts.keep_alive_comment = std::chrono::milliseconds(10);
  start(std::move(setup));
  const std::string session = session_header(open_session());
  RawClient streaming(port_);
  streaming.send(post_bytes("/mcp", call_body("1", "hold"), session + both_forms()));
  ASSERT_TRUE(wait_for_call());
  EXPECT_EQ(streaming.read_response().header("Content-Type"), "text/event-stream");
  EXPECT_NE(streaming.read_until(": keep-alive\n\n"), "");
  finish_call();
  EXPECT_NE(streaming.read_until("0\r\n\r\n").find("held"), std::string::npos);
  RawClient plain(port_);
  plain.send(post_bytes("/mcp", call_body("2", "hold"), session + "Accept: application/json\r\n"));
  ASSERT_TRUE(wait_for_call());
  finish_call();
  EXPECT_EQ(plain.read_response().header("Content-Type"), "application/json");
}

// PROTO-09.
TEST_F(StreamableHttpTest, OneSlowCallDelaysNoOther) {
  start();
  const std::string id = open_session();
  RawClient slow(port_);
  slow.send(post_bytes("/mcp", call_body("1", "hold"), session_header(id)));
  ASSERT_TRUE(wait_for_call());
  EXPECT_TRUE(ping_works(id));
  EXPECT_NE(post(call_body("2", "echo"), session_header(id)).body.find("hello"), std::string::npos);
  finish_call();
  EXPECT_NE(slow.read_response().body.find("held"), std::string::npos);
}

TEST_F(StreamableHttpTest, InTheLegacyEraALostConnectionCancelsNothing) {
  Setup setup;
  setup.streamable.stream_after = std::chrono::milliseconds(1);
  start(std::move(setup));
  const std::string id = open_session();
  RawClient client(port_);
  client.send(post_bytes("/mcp", call_body("1", "hold"), session_header(id) + both_forms()));
  ASSERT_TRUE(wait_for_call());
  EXPECT_EQ(client.read_response().status, 200);
  client.close();
  // The server has noticed when its connection is gone.
  std::size_t open = 1;
  while (open > 0) on_reactor([&] { open = server_->connections(); });
  on_reactor([&] { EXPECT_FALSE(held_.back().context->cancelled()); });
  finish_call();
  EXPECT_TRUE(ping_works(id));
}

TEST_F(StreamableHttpTest, InTheModernEraItCancels) {
  Setup setup;
  setup.streamable.stream_after = std::chrono::milliseconds(1);
  start(std::move(setup));
  RawClient client(port_);
  client.send(post_bytes("/mcp", modern_body("1", "tools/call", R"("name":"hold")"),
                         modern_headers("tools/call", "hold")));
  ASSERT_TRUE(wait_for_call());
  EXPECT_EQ(client.read_response().header("Content-Type"), "text/event-stream");
  client.close();
  EXPECT_TRUE(wait_for_cancel());
}

TEST_F(StreamableHttpTest, InTheModernEraItCancelsBeforeTheStreamHasBegunToo) {
  Setup setup;
  setup.streamable.stream_after = std::chrono::hours(1);
  start(std::move(setup));
  RawClient client(port_);
  client.send(post_bytes("/mcp", modern_body("1", "tools/call", R"("name":"hold")"),
                         modern_headers("tools/call", "hold")));
  ASSERT_TRUE(wait_for_call());
  client.close();
  EXPECT_TRUE(wait_for_cancel());
}

TEST_F(StreamableHttpTest, ACancelledCallGetsNoAnswerAndItsStreamIsClosed) {
  start();
  const std::string session = session_header(open_session());
  const std::string cancel =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})";
  RawClient streaming(port_);
  streaming.send(post_bytes("/mcp", call_body("5", "hold"), session + both_forms()));
  ASSERT_TRUE(wait_for_call());
  EXPECT_EQ(post(cancel, session).status, 202);
  EXPECT_EQ(streaming.read_response().header("Content-Type"), "text/event-stream");
  EXPECT_EQ(streaming.read_until("0\r\n\r\n").find("data:"), std::string::npos);
  EXPECT_TRUE(wait_for_cancel());
  cancelled_.emplace();
  RawClient plain(port_);
  plain.send(post_bytes("/mcp", call_body("5", "hold"), session));
  ASSERT_TRUE(wait_for_call());
  EXPECT_EQ(post(cancel, session).status, 202);
  EXPECT_EQ(plain.read_response().status, 204);
  EXPECT_EQ(post(cancel, session).status, 202);
}

TEST_F(StreamableHttpTest, TheGetStreamIsReplacedByASecondAndEndedByDelete) {
  start();
  const std::string id = open_session("2025-11-25");
  const std::string get =
      "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" + session_header(id);
  RawClient first(port_);
  first.send(get + "\r\n");
  EXPECT_EQ(first.read_response().status, 200);
  EXPECT_NE(first.read_until("retry: 3000\n\n").find(": stream open\n\n"), std::string::npos);
  RawClient second(port_);
  second.send(get + "\r\n");
  EXPECT_EQ(second.read_response().status, 200);
  EXPECT_NE(first.read_until("0\r\n\r\n"), "");
  EXPECT_NE(second.read_until("retry: 3000\n\n"), "");
  RawClient caller(port_);
  caller.send(post_bytes("/mcp", call_body("1", "hold"), session_header(id) + both_forms()));
  ASSERT_TRUE(wait_for_call());
  EXPECT_EQ(request("DELETE", "/mcp", session_header(id)).status, 204);
  EXPECT_NE(second.read_until("0\r\n\r\n"), "");
  EXPECT_TRUE(wait_for_cancel());
  EXPECT_NE(caller.read_until("0\r\n\r\n"), "");
  const std::string old = open_session("2025-06-18");
  RawClient older(port_);
  older.send("GET /mcp HTTP/1.0\r\n" + session_header(old) + "\r\n");
  EXPECT_NE(older.read_until(": stream open\n\n"), "");
  EXPECT_EQ(request("DELETE", "/mcp", session_header(old)).status, 204);
  EXPECT_EQ(older.read_to_end(), "");
  EXPECT_EQ(request("GET", "/mcp", session_header(open_session()) + "Accept: application/json\r\n")
                .status,
            406);
}

TEST_F(StreamableHttpTest, BatchesAreForTheOneRevisionThatHasThem) {
  start();
  const std::string batch = "[" + call_body("1", "echo") +
                            R"(,{"jsonrpc":"2.0","method":"notifications/x"},5,)" +
                            R"({"jsonrpc":"2.0","id":3,"method":"initialize"},)" +
                            R"({"jsonrpc":"2.0","id":"p","method":"ping"}])";
  const std::string session = session_header(open_session("2025-03-26"));
  const RawResponse answer = post(batch, session);
  EXPECT_EQ(answer.status, 200);
  const auto parsed = json::parse(answer.body);
  ASSERT_TRUE(parsed.ok() && parsed->is_array());
  EXPECT_EQ(parsed->get_array().size(), 4U);
  EXPECT_EQ(post(R"([{"jsonrpc":"2.0","method":"notifications/x"}])", session).status, 202);
  EXPECT_EQ(error_code(post("[]", session)), -32600);
  EXPECT_EQ(error_code(post("[" + modern_body("1", "tools/list") + "]", session)), -32600);
  std::string many = "[5";
  for (int i = 0; i < 100; ++i) many += ",5";
  EXPECT_EQ(post(many + "]", session).status, 400);
  const RawResponse newer = post(batch, session_header(open_session("2025-06-18")));
  EXPECT_EQ(newer.status, 400);
  EXPECT_EQ(error_code(newer), -32600);
  RawClient streaming(port_);
  streaming.send(post_bytes("/mcp",
                            "[" + call_body("1", "hold") + "," + call_body("2", "echo") + "]",
                            session + "Accept: text/event-stream\r\n"));
  ASSERT_TRUE(wait_for_call());
  finish_call();
  const std::string events = streaming.read_until("0\r\n\r\n");
  EXPECT_NE(events.find(R"("id":1)"), std::string::npos);
  EXPECT_NE(events.find(R"("id":2)"), std::string::npos);
}

TEST_F(StreamableHttpTest, TheErasAreKeptApart) {
  start();
  const std::string session = session_header(open_session());
  const std::string modern_version = "MCP-Protocol-Version: 2026-07-28\r\n";
  const std::string ping = R"({"jsonrpc":"2.0","id":"p","method":"ping"})";
  struct Row {
    std::string body;
    std::string headers;
    int status;
    int code;
  };
  const std::vector<Row> table = {
      {modern_body("1", "server/discover"), modern_headers("server/discover"), 200, 0},
      {modern_body("1", "tools/call", R"("name":"echo","arguments":{"text":"x"})"),
       modern_headers("tools/call", "echo"), 200, 0},
      {modern_body("1", "tools/list"), modern_headers("tools/call"), 400, -32020},
      {modern_body("1", "tools/list"), "", 400, -32020},
      {modern_body("1", "tools/list"), modern_headers("tools/list") + "mcp-method: tools/list\r\n",
       400, -32020},
      {modern_body("1", "ping"), modern_headers("ping"), 404, -32601},
      {modern_body("1", "initialize"), modern_headers("initialize"), 404, -32601},
      {R"({"jsonrpc":"2.0","id":1,"method":"server/discover"})", "", 400, -32602},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", modern_version, 400, -32602},
      {R"({"jsonrpc":"2.0","method":"notifications/cancelled"})", modern_version, 202, 0},
      {initialize_body("2025-11-25"), modern_version, 400, -32020},
      {initialize_body("2026-07-28"), "", 200, 0},
      {"[" + modern_body("1", "tools/list") + "]", "", 400, -32600},
      {ping, session + "MCP-Protocol-Version: 1999-01-01\r\n", 400, -32000},
      {ping, session + "MCP-Protocol-Version: 2025-03-26\r\n", 200, 0},
      {ping, session, 200, 0},
  };
  for (const Row& row : table) {
    const RawResponse response = post(row.body, row.headers);
    EXPECT_EQ(response.status, row.status) << row.body << row.headers << response.body;
    EXPECT_EQ(error_code(response), row.code) << row.body << row.headers << response.body;
    if (row.status == 202) {
      EXPECT_EQ(response.body, "");
    }
  }
}

TEST_F(StreamableHttpTest, BadInputGetsAClearErrorAndThePingAfterItWorks) {
  Setup setup;
  setup.server.limits.body_bytes = 100'000;
  setup.streamable.json.max_bytes = 100'000;
  start(std::move(setup));
  const std::string id = open_session();
  struct Row {
    std::string body;
    int status;
    int code;
  };
  const std::string deep = std::string(500, '[') + std::string(500, ']');
  const std::vector<Row> table = {
      {"", 400, -32700},
      {"NOT JSON", 400, -32700},
      {R"({"jsonrpc":"2.0","id":7,)", 400, -32700},
      {R"({"jsonrpc":"2.0","id":7,"method":"ping"} x)", 400, -32700},
      {"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\xFF\xFE\"}", 400, -32700},
      {R"({"jsonrpc":"2.0","id":7,"method":"\ud800"})", 400, -32700},
      {R"({"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":1e400}})", 400, -32700},
      {R"({"jsonrpc":"2.0","id":7,"method":"ping","params":)" + deep + "}", 400, -32700},
      {deep, 400, -32700},
      {"5", 400, -32600},
      {"\"x\"", 400, -32600},
      {"null", 400, -32600},
      {"{}", 400, -32600},
      {R"({"jsonrpc":"2.0","id":7})", 400, -32600},
      {R"({"jsonrpc":"1.0","id":7,"method":"ping"})", 400, -32600},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", 400, -32600},
      {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", 400, -32600},
      {R"({"jsonrpc":"2.0","id":true,"method":"ping"})", 400, -32600},
      {R"({"jsonrpc":"2.0","id":7,"method":5})", 400, -32600},
      {R"({"jsonrpc":"2.0","method":5})", 400, -32600},
      {R"({"jsonrpc":"2.0","id":7,"method":"no/such"})", 200, -32601},
      {R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]})", 200, -32602},
      {R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"nope"}})", 200, -32602},
      {std::string(100'001, ' '), 413, -32000},
  };
  for (const Row& row : table) {
    const RawResponse response = post(row.body, session_header(id));
    const std::string shown = row.body.substr(0, 100) + " -> " + response.body;
    EXPECT_EQ(response.status, row.status) << shown;
    EXPECT_EQ(error_code(response), row.code) << shown;
    EXPECT_TRUE(ping_works(id)) << shown;
  }
  for (const std::string type :
       {"", "Content-Type: text/plain\r\n", "Content-Type: application/jsonx\r\n"}) {
    RawClient client(port_);
    client.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\n" + type + session_header(id) +
                "Content-Length: 2\r\n\r\n{}");
    EXPECT_EQ(client.read_response().status, 415) << type;
  }
  RawClient client(port_);
  client.send(
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: Application/JSON; charset=utf-8\r\n" +
      session_header(id) + "Transfer-Encoding: chunked\r\n\r\n");
  for (const char c : std::string(R"({"jsonrpc":"2.0","id":1,"method":"ping"})")) {
    client.send("1\r\n" + std::string(1, c) + "\r\n");
  }
  client.send("0\r\n\r\n");
  client.half_close();
  EXPECT_EQ(client.read_response().status, 200);
}

TEST_F(StreamableHttpTest, IdsAreEchoedExactly) {
  start();
  const std::string session = session_header(open_session());
  for (const std::string id : {"0", "-1", "\"abc\"", "\"\"", "1152921504606846976", "1.5"}) {
    const RawResponse response =
        post(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"no/such"})", session);
    EXPECT_NE(response.body.find(R"("id":)" + (id == "1.5" ? std::string("1.5") : id)),
              std::string::npos)
        << response.body;
  }
}

TEST_F(StreamableHttpTest, LimitsAreAnsweredClearly) {
  Setup setup;
  setup.sessions.max_sessions = 2;
  setup.streams = 1;
  start(std::move(setup));
  const std::string first = open_session();
  const std::string second = open_session();
  // The table is full of sessions that nobody uses: they make room, and their ids still work.
  const std::string third = open_session();
  for (const std::string& id : {first, second, third}) EXPECT_TRUE(ping_works(id));
  RawClient one(port_);
  one.send(post_bytes("/mcp", call_body("1", "hold"), session_header(second)));
  ASSERT_TRUE(wait_for_call());
  RawClient two(port_);
  two.send(post_bytes("/mcp", call_body("1", "hold"), session_header(third)));
  ASSERT_TRUE(wait_for_call());
  const RawResponse full = post(initialize_body("2025-11-25"));
  EXPECT_EQ(full.status, 503);
  EXPECT_TRUE(full.header("Retry-After"));
  EXPECT_TRUE(ping_works(second));
  finish_call();
  EXPECT_EQ(two.read_response().status, 200);
  finish_call();
  EXPECT_EQ(one.read_response().status, 200);
  RawClient stream(port_);
  stream.send("GET /mcp HTTP/1.1\r\nHost: localhost\r\n" + session_header(second) + "\r\n");
  EXPECT_EQ(stream.read_response().status, 200);
  EXPECT_EQ(request("GET", "/mcp", session_header(third)).status, 503);
  EXPECT_EQ(request("GET", "/sse").status, 503);
  stream.close();
  RawResponse again;
  while (again.status != 200) {
    RawClient retry(port_);
    retry.send("GET /mcp HTTP/1.1\r\nHost: localhost\r\n" + session_header(third) + "\r\n");
    again = retry.read_response();
    ASSERT_NE(again.status, 0);
  }
}

// PROTO-10 and the token, over the real route table.
TEST_F(StreamableHttpTest, GuardsAndTokenComeBeforeEveryRoute) {
  Setup setup;
  setup.server.tokens.add("secret", {"token"});
  start(std::move(setup));
  std::vector<std::string> paths = {"/", "/metrics", "/files/", "/nowhere"};
  for (const http::Route& route : server_->router().routes()) paths.push_back(route.path);
  for (const std::string& path : paths) {
    for (const std::string method : {"GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"}) {
      RawClient foreign(port_);
      foreign.send(method + " " + path +
                   " HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer secret\r\n\r\n");
      EXPECT_EQ(foreign.read_response(method == "HEAD").status, 403) << method << path;
      for (const std::string origin : {"https://evil.example", "null"}) {
        EXPECT_EQ(
            request(method, path, "Authorization: Bearer secret\r\nOrigin: " + origin + "\r\n")
                .status,
            403)
            << method << path;
      }
      for (const std::string token : {"", "Authorization: Bearer wrong\r\n"}) {
        const RawResponse response = request(method, path, token);
        if (path == "/health") {
          EXPECT_NE(response.status, 401);
          EXPECT_EQ(response.body.find("L3"), std::string::npos);
        } else {
          EXPECT_EQ(response.status, 401) << method << path;
          EXPECT_EQ(response.header("WWW-Authenticate").value_or("").substr(0, 7), "Bearer ");
        }
      }
    }
  }
  EXPECT_EQ(request("GET", "/health").body, R"({"status":"ok"})");
  EXPECT_EQ(request("GET", "/health", "Authorization: Bearer secret\r\n").body,
            R"({"status":"ok","level":"L3"})");
  EXPECT_EQ(error_code(request("GET", "/mcp")), -32000);
  EXPECT_EQ(request("GET", "/metrics", "Authorization: Bearer secret\r\n").status, 404);
  EXPECT_EQ(
      request("GET", "/mcp", "Authorization: Bearer secret\r\nOrigin: http://localhost:6274\r\n")
          .header("Access-Control-Allow-Origin"),
      "http://localhost:6274");
}

TEST_F(StreamableHttpTest, WithoutATokenLoopbackSeesTheDetails) {
  start();
  EXPECT_EQ(request("GET", "/health").body, R"({"status":"ok","level":"L3"})");
  EXPECT_EQ(request("HEAD", "/health").status, 200);
  EXPECT_EQ(request("POST", "/health").status, 405);
}

}  // namespace
}  // namespace cmcp::transport
