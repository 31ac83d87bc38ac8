#include "transport/legacy_sse.h"

#include "transport/http_fixture_for_test.h"

namespace cmcp::transport {
namespace {

class LegacySseTest : public HttpFixture {
 protected:
  // Opens the stream and returns the path that it names.
  std::string open(RawClient& client, const std::string& headers = "") {
    client.send("GET /sse HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n" + headers +
                "\r\n");
    EXPECT_EQ(client.read_response().header("Content-Type"), "text/event-stream");
    const std::string event = client.read_until("\n\n");
    const std::size_t data = event.find("event: endpoint\ndata: ");
    EXPECT_NE(data, std::string::npos) << event;
    const std::size_t from = data + std::string_view("event: endpoint\ndata: ").size();
    return event.substr(from, event.find('\n', from) - from);
  }
  static bool is_32_hex(const std::string& text) {
    return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  }
};

TEST_F(LegacySseTest, ARoundTripOverTheStream) {
  start();
  RawClient client(port_);
  const std::string path = open(client);
  ASSERT_EQ(path.substr(0, 23), "/messages/?session_id=" + path.substr(22, 1));
  EXPECT_TRUE(is_32_hex(path.substr(22)));
  const RawResponse accepted = post(initialize_body("2024-11-05"), "", path);
  EXPECT_EQ(accepted.status, 202);
  EXPECT_EQ(accepted.body, "Accepted");
  EXPECT_NE(client.read_until("\n\n").find(R"("protocolVersion":"2024-11-05")"), std::string::npos);
  EXPECT_EQ(post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})", "", path).status,
            202);
  EXPECT_EQ(post(call_body("4", "echo"), "mcp-protocol-version: 2025-11-25\r\n",
                 "/messages?sessionId=" + path.substr(22))
                .status,
            202);
  const std::string event = client.read_until("\n\n");
  EXPECT_NE(event.find("event: message\ndata: {"), std::string::npos);
  EXPECT_NE(event.find("hello"), std::string::npos);
}

TEST_F(LegacySseTest, BatchesAreForTheOneRevisionThatHasThem) {
  start();
  RawClient client(port_);
  const std::string path = open(client);
  const std::string batch =
      "[" + call_body("1", "echo") + R"(,{"jsonrpc":"2.0","id":2,"method":"ping"},5])";
  EXPECT_EQ(error_code(post(batch, "", path)), -32600);
  EXPECT_EQ(post(initialize_body("2025-03-26"), "", path).status, 202);
  EXPECT_NE(client.read_until("\n\n"), "");
  EXPECT_EQ(post(batch, "", path).status, 202);
  EXPECT_NE(client.read_until("\n\n").find(R"("id":1)"), std::string::npos);
  EXPECT_NE(client.read_until("\n\n").find(R"("id":2)"), std::string::npos);
  EXPECT_NE(client.read_until("\n\n").find("-32600"), std::string::npos);
}

TEST_F(LegacySseTest, OneSlowCallDelaysNoOther) {
  start();
  RawClient client(port_);
  const std::string path = open(client);
  post(call_body("1", "hold"), "", path);
  ASSERT_TRUE(wait_for_call());
  post(R"({"jsonrpc":"2.0","id":"p","method":"ping"})", "", path);
  EXPECT_NE(client.read_until("\n\n").find(R"("id":"p")"), std::string::npos);
  finish_call();
  EXPECT_NE(client.read_until("\n\n").find(R"("id":1)"), std::string::npos);
}

TEST_F(LegacySseTest, TheEndOfTheStreamEndsTheSessionAndItsCalls) {
  start();
  RawClient client(port_);
  const std::string path = open(client);
  post(call_body("1", "hold"), "", path);
  ASSERT_TRUE(wait_for_call());
  client.close();
  EXPECT_TRUE(wait_for_cancel());
  EXPECT_EQ(post(call_body("2", "echo"), "", path).status, 404);
  on_reactor([&] { EXPECT_EQ(sse_->sessions(), 0U); });
}

TEST_F(LegacySseTest, RefusalsHaveTheirStatus) {
  Setup setup;
  setup.server.tokens.add("a-token", {"alice"});
  setup.server.tokens.add("b-token", {"bob"});
  start(std::move(setup));
  const std::string alice = "Authorization: Bearer a-token\r\n";
  RawClient client(port_);
  const std::string path = open(client, alice);
  const std::string body = call_body("1", "echo");
  EXPECT_EQ(post(body, alice, "/messages/").status, 400);
  EXPECT_EQ(post(body, alice, "/messages/?session_id=xyz").status, 400);
  EXPECT_EQ(post(body, alice, "/messages/?session_id=%zz").status, 400);
  EXPECT_EQ(post(body, alice, "/messages/?session_id=" + std::string(32, '0')).status, 404);
  EXPECT_EQ(post(body, "Authorization: Bearer b-token\r\n", path).status, 404);
  EXPECT_EQ(post("nonsense", alice, path).status, 400);
  const RawResponse wrong = request("GET", path, alice);
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.header("Allow"), "POST, OPTIONS");
  EXPECT_EQ(request("POST", "/sse", alice + "Content-Length: 0\r\n").status, 405);
  EXPECT_EQ(post(body, alice, path).status, 202);
  EXPECT_NE(client.read_until("\n\n").find("hello"), std::string::npos);
}

}  // namespace
}  // namespace cmcp::transport
