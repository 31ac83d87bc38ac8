#include "http/server.h"

#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <thread>

#include "http/raw_client_for_test.h"

namespace cmcp::http {
namespace {

using std::chrono::milliseconds;

// A server with a few routes on a reactor thread of its own.
class ServerTest : public ::testing::Test {
 protected:
  void start(ServerOptions options = {}) {
    Router router;
    router.add({"GET", "/health", Access::kOpen, true, [](Request request, auto responder) {
                  responder->respond(Response::text(200, request.authenticated ? "details" : "ok"));
                }});
    router.add(
        {"POST", "/echo", Access::kAuthenticated, false, [](Request request, auto responder) {
           responder->respond(Response::text(200, request.body));
         }});
    router.add({"GET", "/later", Access::kAuthenticated, false,
                [this](Request, auto responder) { hold(std::move(responder)); }});
    router.add({"GET", "/stream", Access::kAuthenticated, false, [this](Request, auto responder) {
                  responder->begin_sse({});
                  responder->send_event("first", "1");
                  hold(std::move(responder));
                }});
    router.add({"GET", "/forgets", Access::kAuthenticated, false, [](Request, auto) {}});
    server_.emplace(reactor_, std::move(options), std::move(router));
    ASSERT_TRUE(server_->listen_loopback(0).ok());
    port_ = server_->endpoints().front().port;
    thread_ = std::thread([this] { reactor_.run(); });
  }
  void TearDown() override {
    if (!thread_.joinable()) return;
    on_reactor([&] {
      held_.reset();
      server_.reset();
    });
    reactor_.stop();
    thread_.join();
  }

  void hold(std::shared_ptr<Responder> responder) {
    responder->on_disconnect([this] { gone_.set_value(); });
    held_ = std::move(responder);
    holding_.set_value();
  }
  // Runs `task` on the reactor thread and waits for it.
  template <typename Task>
  void on_reactor(Task task) {
    std::promise<void> ran;
    reactor_.post([&] {
      task();
      ran.set_value();
    });
    ran.get_future().wait();
  }
  bool wait(std::promise<void>& promise) {
    return promise.get_future().wait_for(std::chrono::seconds(10)) == std::future_status::ready;
  }
  std::string get(const std::string& path, const std::string& extra = "") {
    return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + extra + "\r\n";
  }
  std::string post(const std::string& body, const std::string& extra = "") {
    return "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n" + extra + "\r\n" + body;
  }
  void expect_alive() {
    RawClient client(port_);
    client.send(get("/health"));
    EXPECT_EQ(client.read_response().status, 200);
  }

  net::Reactor reactor_;
  std::optional<Server> server_;
  std::uint16_t port_ = 0;
  std::thread thread_;
  std::shared_ptr<Responder> held_;
  std::promise<void> holding_;
  std::promise<void> gone_;
};

TEST_F(ServerTest, ListensOnBothLoopbackFamiliesOnOnePort) {
  start();
  const std::vector<Endpoint> endpoints = server_->endpoints();
  EXPECT_EQ(endpoints.front().address, "127.0.0.1");
  for (const Endpoint& endpoint : endpoints) EXPECT_EQ(endpoint.port, port_);
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
  start();
  RawClient client(port_);
  std::string all;
  for (int i = 0; i < 200; ++i) all += post("n" + std::to_string(i));
  client.send(all + get("/later") + post("after"));
  for (int i = 0; i < 200; ++i) EXPECT_EQ(client.read_response().body, "n" + std::to_string(i));
  ASSERT_TRUE(wait(holding_));
  on_reactor([&] { held_->respond(Response::text(200, "later")); });
  EXPECT_EQ(client.read_response().body, "later");
  EXPECT_EQ(client.read_response().body, "after");
}

TEST_F(ServerTest, HeadHttp10AndUnknownThings) {
  start();
  RawClient client(port_);
  client.send("HEAD /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const RawResponse head = client.read_response(true);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("Content-Length"), "2");
  client.send(get("/nowhere"));
  EXPECT_EQ(client.read_response().status, 404);
  client.send(get("/echo"));
  const RawResponse wrong = client.read_response();
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.header("Allow"), "POST, OPTIONS");
  EXPECT_NE(wrong.body.find("POST"), std::string::npos);
  client.send("OPTIONS /echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read_response().status, 204);
  client.send(get("/forgets"));
  EXPECT_EQ(client.read_response().status, 500);
  client.send("GET /health HTTP/1.0\r\n\r\n");
  const RawResponse old = client.read_response();
  EXPECT_EQ(old.body, "ok");
  EXPECT_TRUE(client.at_end());
}

TEST_F(ServerTest, BadInputGetsItsStatusAndTheServerLivesOn) {
  ServerOptions options;
  options.limits = {200, 400, 1000};
  options.timeouts.header = milliseconds(60);
  options.timeouts.body_idle = milliseconds(60);
  start(std::move(options));
  struct Row {
    std::string bytes;
    int status;
  };
  const std::string host = "Host: localhost\r\n";
  const std::vector<Row> table = {
      {"NONSENSE\r\n\r\n", 400},
      {"\x16\x03\x01", 400},
      {"GET / HTTP/1.1\r\n\r\n", 400},
      {"GET /" + std::string(300, 'x'), 414},
      {"GET / HTTP/1.1\r\n" + host + "X: " + std::string(500, 'y'), 431},
      {"POST /echo HTTP/1.1\r\n" + host + "Content-Length: 5000\r\n\r\n" + std::string(3000, 'z'),
       413},
      {"POST /echo HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n1388\r\n", 413},
      {"POST /echo HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
       400},
      {"POST /echo HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
      {"GET / HTTP/1.1\r\n" + host + "X: a\r\n b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: loc", 408},                                     // slow header
      {"POST /echo HTTP/1.1\r\n" + host + "Content-Length: 9\r\n\r\nab", 408},  // slow body
  };
  for (const Row& row : table) {
    RawClient client(port_);
    client.send(row.bytes);
    const RawResponse response = client.read_response();
    EXPECT_EQ(response.status, row.status) << row.bytes;
    EXPECT_EQ(response.header("Connection"), "close") << row.bytes;
    EXPECT_NE(response.body.find("error"), std::string::npos) << row.bytes;
    EXPECT_TRUE(client.at_end()) << row.bytes;
    expect_alive();
  }
}

TEST_F(ServerTest, HalfClosedClientsGetTheirAnswer) {
  start();
  RawClient whole(port_);
  whole.send(post("one") + post("two"));
  whole.half_close();
  EXPECT_EQ(whole.read_response().body, "one");
  EXPECT_EQ(whole.read_response().body, "two");
  EXPECT_TRUE(whole.at_end());
  RawClient part(port_);
  part.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nab");
  part.half_close();
  EXPECT_EQ(part.read_response().status, 400);
  RawClient waiting(port_);
  waiting.send(get("/later"));
  waiting.half_close();
  ASSERT_TRUE(wait(holding_));
  on_reactor([&] { held_->respond(Response::text(200, "late")); });
  EXPECT_EQ(waiting.read_response().body, "late");
  EXPECT_TRUE(waiting.at_end());
}

TEST_F(ServerTest, AClientThatLeavesWhileItsRequestRunsIsNoticed) {
  start();
  RawClient client(port_);
  client.send(get("/later"));
  ASSERT_TRUE(wait(holding_));
  client.close();
  EXPECT_TRUE(wait(gone_));
  on_reactor([&] {
    EXPECT_FALSE(held_->pending());
    held_->respond(Response::text(200, "nobody hears this"));
  });
  expect_alive();
}

TEST_F(ServerTest, AClientThatLeavesItsStreamIsNoticed) {
  start();
  RawClient client(port_);
  client.send(get("/stream"));
  ASSERT_TRUE(wait(holding_));
  client.close();
  EXPECT_TRUE(wait(gone_));
}

TEST_F(ServerTest, EventStreamsAreFramedKeptAliveAndEnded) {
  ServerOptions options;
  options.timeouts.keep_alive_comment = milliseconds(20);
  start(std::move(options));
  RawClient client(port_);
  client.send(get("/stream") + post("next"));
  const RawResponse head = client.read_response();
  EXPECT_EQ(head.header("Content-Type"), "text/event-stream");
  EXPECT_EQ(head.header("Transfer-Encoding"), "chunked");
  EXPECT_EQ(head.header("X-Accel-Buffering"), "no");
  EXPECT_EQ(client.read_until("\n\n\r\n"), "16\r\nevent: first\ndata: 1\n\n\r\n");
  EXPECT_NE(client.read_until(": keep-alive\n\n\r\n"), "");
  EXPECT_NE(client.read_until(": keep-alive\n\n\r\n"), "");
  on_reactor([&] { held_->end_sse(); });
  EXPECT_NE(client.read_until("0\r\n\r\n"), "");
  EXPECT_EQ(client.read_response().body, "next");
  RawClient old(port_);
  holding_ = {};
  old.send("GET /stream HTTP/1.0\r\n\r\n");
  ASSERT_TRUE(wait(holding_));
  on_reactor([&] { held_->end_sse(); });
  EXPECT_TRUE(old.read_to_end().find("\r\n\r\nevent: first\ndata: 1\n\n") != std::string::npos);
}

TEST_F(ServerTest, ContinueIsSentOnlyWhenTheBodyIsWanted) {
  ServerOptions options;
  options.limits.body_bytes = 10;
  start(std::move(options));
  RawClient client(port_);
  const std::string head =
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: ";
  client.send(head + "3\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  EXPECT_EQ(client.read_response().body, "abc");
  client.send(head + "11\r\n\r\n");
  EXPECT_EQ(client.read_until(" ").substr(0, 9), "HTTP/1.1 ");
  EXPECT_EQ(client.read_until(" "), "413 ");
}

TEST_F(ServerTest, IdleConnectionsAndSilentOnesAreClosed) {
  ServerOptions options;
  options.timeouts.idle = milliseconds(30);
  options.timeouts.header = milliseconds(30);
  start(std::move(options));
  RawClient silent(port_);
  EXPECT_TRUE(silent.at_end());
  RawClient client(port_);
  client.send(get("/health"));
  EXPECT_EQ(client.read_response().status, 200);
  EXPECT_TRUE(client.at_end());
}

TEST_F(ServerTest, AFullServerSaysSo) {
  ServerOptions options;
  options.max_connections = 2;
  start(std::move(options));
  RawClient first(port_);
  RawClient second(port_);
  first.send(get("/health"));
  second.send(get("/health"));
  EXPECT_EQ(first.read_response().status, 200);
  EXPECT_EQ(second.read_response().status, 200);
  RawClient third(port_);
  const RawResponse answer = third.read_response();
  EXPECT_EQ(answer.status, 503);
  EXPECT_TRUE(answer.header("Retry-After"));
}

const std::vector<std::string> kMethods = {"GET",   "POST", "PUT",     "DELETE",
                                           "PATCH", "HEAD", "OPTIONS", "TRACE"};

TEST_F(ServerTest, ForeignHostAndOriginAreRefusedOnEveryPath) {
  start();
  std::vector<std::string> paths = {"/nowhere", "/metrics", "/"};
  for (const Route& route : server_->router().routes()) paths.push_back(route.path);
  for (const std::string& path : paths) {
    for (const std::string& method : kMethods) {
      for (const std::string bad :
           {"Host: evil.example\r\n", "Host: localhost\r\nOrigin: https://evil.example\r\n",
            "Host: localhost\r\nOrigin: null\r\n",
            "Host: localhost\r\nOrigin: null\r\nAccess-Control-Request-Method: POST\r\n"}) {
        RawClient client(port_);
        client.send(method + " " + path + " HTTP/1.1\r\n" + bad + "\r\n");
        const RawResponse response = client.read_response(method == "HEAD");
        EXPECT_EQ(response.status, 403) << method << path << bad;
        EXPECT_FALSE(response.header("Access-Control-Allow-Origin"));
      }
    }
  }
  for (const std::string good :
       {"Host: localhost:1\r\n", "Host: [::1]:8000\r\n", "Host: 127.0.0.1\r\n",
        "Host: localhost\r\nOrigin: http://localhost:5173\r\n"}) {
    RawClient client(port_);
    client.send("GET /health HTTP/1.1\r\n" + good + "\r\n");
    EXPECT_EQ(client.read_response().status, 200) << good;
  }
}

TEST_F(ServerTest, WithATokenEveryPathAndMethodButHealthAsksForIt) {
  ServerOptions options;
  options.tokens.add("secret", {"token"});
  start(std::move(options));
  std::vector<std::string> paths = {"/nowhere", "/metrics", "/"};
  for (const Route& route : server_->router().routes()) paths.push_back(route.path);
  for (const std::string& path : paths) {
    for (const std::string& method : kMethods) {
      for (const std::string auth :
           {"", "Authorization: Bearer wrong\r\n", "Authorization: Basic c2VjcmV0\r\n",
            "Authorization: Bearer secret\r\nAuthorization: Bearer secret\r\n"}) {
        RawClient client(port_);
        client.send(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + auth + "\r\n");
        const RawResponse response = client.read_response(method == "HEAD");
        if (path == "/health") {
          EXPECT_NE(response.status, 401);
          EXPECT_NE(response.body, "details");
          continue;
        }
        EXPECT_EQ(response.status, 401) << method << path << auth;
        EXPECT_EQ(response.header("WWW-Authenticate").value_or("").substr(0, 7), "Bearer ");
      }
    }
  }
  RawClient client(port_);
  client.send(get("/health", "authorization: bearer secret\r\n") +
              post("x", "Authorization: Bearer secret\r\n"));
  EXPECT_EQ(client.read_response().body, "details");
  EXPECT_EQ(client.read_response().body, "x");
  // A refused body is not waited for.
  client.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n");
  EXPECT_EQ(client.read_response().status, 401);
  EXPECT_TRUE(client.at_end());
}

TEST_F(ServerTest, BrowsersOfAllowedOriginsGetCorsHeaders) {
  ServerOptions options;
  options.tokens.add("secret", {"token"});
  options.guards.origins = {"https://app.example"};
  start(std::move(options));
  RawClient client(port_);
  client.send(
      "OPTIONS /echo HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example\r\n"
      "Access-Control-Request-Method: POST\r\n"
      "Access-Control-Request-Headers: content-type, mcp-param-x, x-other, mcp-param-\x01\r\n\r\n");
  EXPECT_EQ(client.read_response().status, 400);
  RawClient browser(port_);
  browser.send(
      "OPTIONS /echo HTTP/1.1\r\nHost: localhost\r\nOrigin: https://app.example\r\n"
      "Access-Control-Request-Method: POST\r\n"
      "Access-Control-Request-Headers: content-type, mcp-param-x, x-other\r\n\r\n");
  const RawResponse preflight = browser.read_response();
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(preflight.header("Access-Control-Allow-Origin"), "https://app.example");
  EXPECT_EQ(preflight.header("Access-Control-Allow-Methods"), "POST, OPTIONS");
  EXPECT_NE(preflight.header("Access-Control-Allow-Headers")->find("mcp-param-x"),
            std::string::npos);
  EXPECT_EQ(preflight.header("Access-Control-Allow-Headers")->find("x-other"), std::string::npos);
  browser.send(get("/later", "Origin: https://app.example\r\n"));
  const RawResponse refused = browser.read_response();
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.header("Access-Control-Allow-Origin"), "https://app.example");
  EXPECT_NE(refused.header("Access-Control-Expose-Headers")->find("WWW-Authenticate"),
            std::string::npos);
}

TEST_F(ServerTest, ShutDownLetsTheRunningAnswerFinish) {
  start();
  RawClient idle(port_);
  idle.send(get("/health"));
  EXPECT_EQ(idle.read_response().status, 200);
  RawClient client(port_);
  client.send(get("/later"));
  ASSERT_TRUE(wait(holding_));
  std::promise<void> done;
  on_reactor([&] { server_->shut_down([&] { done.set_value(); }); });
  EXPECT_TRUE(idle.at_end());
  on_reactor([&] { held_->respond(Response::text(200, "last")); });
  const RawResponse last = client.read_response();
  EXPECT_EQ(last.body, "last");
  EXPECT_EQ(last.header("Connection"), "close");
  client.close();
  idle.close();
  EXPECT_TRUE(wait(done));
  EXPECT_LT(RawClient(port_).fd(), 0);
}

TEST_F(ServerTest, ShutDownEndsWhatDoesNotFinish) {
  ServerOptions options;
  options.timeouts.drain = milliseconds(30);
  start(std::move(options));
  RawClient client(port_);
  client.send(get("/later"));
  ASSERT_TRUE(wait(holding_));
  std::promise<void> done;
  on_reactor([&] { server_->shut_down([&] { done.set_value(); }); });
  EXPECT_TRUE(wait(done));
  EXPECT_TRUE(client.at_end());
}

}  // namespace
}  // namespace cmcp::http
