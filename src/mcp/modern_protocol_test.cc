#include <gmock/gmock.h>

#include "mcp/engine_fixture.h"
#include "mcp/modern_envelope.h"

namespace cmcp::mcp {
namespace {

using test::EngineTest;
using ::testing::HasSubstr;

class ModernProtocol : public EngineTest {};

constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";

std::string with_meta(const std::string& method, const std::string& meta,
                      const std::string& params = "") {
  return R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params +
         (params.empty() ? "" : ",") + R"("_meta":)" + meta + "}}";
}

std::string version_meta(const std::string& version) {
  return std::string("{\"") + kVersionKey + R"(":)" + version +
         R"(,"io.modelcontextprotocol/clientCapabilities":{}})";
}

ModernHeaders headers(std::optional<std::string> version, std::optional<std::string> method,
                      std::optional<std::string> name = std::nullopt, bool duplicated = false) {
  return {std::move(version), std::move(method), std::move(name), duplicated};
}

// One row for each row of the status table that does not belong to a transport.
TEST_F(ModernProtocol, StatusTable) {
  const std::string v = "2026-07-28";
  struct Row {
    const char* what;
    std::string message;
    std::optional<ModernHeaders> headers;
    int status;
    int code;
  };
  const std::string echo = R"("name":"echo_text","arguments":{"text":"x"})";
  const Row rows[] = {
      {"ok", modern("1", "server/discover"), headers(v, "server/discover"), 200, 0},
      {"ok, stdio", modern("1", "tools/list"), std::nullopt, 200, 0},
      {"ok, white space around a header", modern("1", "tools/list"),
       headers(" 2026-07-28 ", "tools/list\t"), 200, 0},
      {"ok, call", modern("1", "tools/call", echo), headers(v, "tools/call", "echo_text"), 200, 0},
      {"ok, base64 name", modern("1", "tools/call", echo),
       headers(v, "tools/call", "=?base64?ZWNob190ZXh0?="), 200, 0},
      {"unknown tool", modern("1", "tools/call", R"("name":"nope")"),
       headers(v, "tools/call", "nope"), 200, -32602},
      {"bad params", modern("1", "tools/call", R"("name":5)"), headers(v, "tools/call", "x"), 200,
       -32602},
      {"bad cursor", modern("1", "tools/list", R"("cursor":"x")"), headers(v, "tools/list"), 200,
       -32602},
      {"tool defect", modern("1", "tools/call", R"("name":"fails","arguments":{"how":"throw"})"),
       headers(v, "tools/call", "fails"), 200, -32603},
      {"resource absent", modern("1", "resources/read", R"("uri":"file:///none")"),
       headers(v, "resources/read", "file:///none"), 200, -32602},
      {"no _meta", R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}})",
       headers(v, "tools/list"), 400, -32602},
      {"no params", R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", headers(v, "tools/list"),
       400, -32602},
      {"_meta is text", with_meta("tools/list", "\"x\""), headers(v, "tools/list"), 400, -32602},
      {"no capabilities",
       with_meta("tools/list", R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"})"),
       headers(v, "tools/list"), 400, -32602},
      {"no version",
       with_meta("tools/list", R"({"io.modelcontextprotocol/clientCapabilities":{}})"),
       headers(v, "tools/list"), 400, -32602},
      {"version is a number", with_meta("tools/list", version_meta("5")),
       headers("5", "tools/list"), 400, -32602},
      {"no version header", modern("1", "tools/list"), headers(std::nullopt, "tools/list"), 400,
       -32020},
      {"other version header", modern("1", "tools/list"), headers("2025-11-25", "tools/list"), 400,
       -32020},
      {"body v999, header 2026", with_meta("tools/list", version_meta("\"v999\"")),
       headers(v, "tools/list"), 400, -32020},
      {"body v999, header v999", with_meta("tools/list", version_meta("\"v999\"")),
       headers("v999", "tools/list"), 400, -32022},
      {"legacy version in the envelope", with_meta("tools/list", version_meta("\"2025-11-25\"")),
       std::nullopt, 400, -32022},
      {"no method header", modern("1", "tools/list"), headers(v, std::nullopt), 400, -32020},
      {"other method header", modern("1", "tools/list"), headers(v, "tools/call"), 400, -32020},
      {"method header in other case", modern("1", "tools/list"), headers(v, "Tools/List"), 400,
       -32020},
      {"no name header", modern("1", "tools/call", echo), headers(v, "tools/call"), 400, -32020},
      {"other name header", modern("1", "tools/call", echo), headers(v, "tools/call", "hold"), 400,
       -32020},
      {"bad base64 name", modern("1", "tools/call", echo),
       headers(v, "tools/call", "=?base64?ZWNob190ZXh0=?="), 400, -32020},
      {"no name header for a resource", modern("1", "resources/read", R"("uri":"file:///a.txt")"),
       headers(v, "resources/read"), 400, -32020},
      {"duplicated header", modern("1", "tools/list"), headers(v, "tools/list", std::nullopt, true),
       400, -32020},
      {"unknown method", modern("1", "no/such"), headers(v, "no/such"), 404, -32601},
      {"prompts are not offered", modern("1", "prompts/list"), headers(v, "prompts/list"), 404,
       -32601},
      {"removed: initialize", modern("1", "initialize"), headers(v, "initialize"), 404, -32601},
      {"removed: ping", modern("1", "ping"), headers(v, "ping"), 404, -32601},
      {"removed: logging/setLevel", modern("1", "logging/setLevel", R"("level":"info")"),
       headers(v, "logging/setLevel"), 404, -32601},
      {"removed: resources/subscribe", modern("1", "resources/subscribe", R"("uri":"x")"),
       headers(v, "resources/subscribe"), 404, -32601},
      {"not an object", "[1]", headers(v, "x"), 400, -32600},
      {"bad id", modern("null", "tools/list"), headers(v, "tools/list"), 400, -32600},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    const auto exchange = send_modern(row.message, row.headers ? &*row.headers : nullptr);
    EXPECT_EQ(exchange->status, row.status);
    EXPECT_EQ(exchange->error_code(), row.code) << json::write(exchange->responses.at(0));
    EXPECT_EQ(exchange->id(), row.code == -32600 ? "null" : "1");
    EXPECT_EQ(token, nullptr);
  }
}

TEST_F(ModernProtocol, RefusalsSayWhatIsMissingOrSupported) {
  const auto missing =
      send_modern(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{}}})");
  EXPECT_THAT(missing->error_message(), HasSubstr(kVersionKey));
  EXPECT_THAT(missing->error_message(), HasSubstr("io.modelcontextprotocol/clientCapabilities"));
  const auto version = send_modern(with_meta("tools/list", version_meta("\"2027-01-01\"")));
  EXPECT_EQ(json::write(version->responses.at(0).at("error").at("data")),
            R"({"supported":["2026-07-28"],"requested":"2027-01-01"})");
}

TEST_F(ModernProtocol, Results) {
  const std::string info =
      R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"container-mcp","title":"Container-MCP","version":"1.2.3"}}})";
  EXPECT_EQ(
      json::write(send_modern(modern("1", "server/discover"))->result()),
      R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"resources":{}},"instructions":"Use the tools.",)"
      R"("ttlMs":60000,"cacheScope":"private","resultType":"complete",)" +
          info);
  const auto list = send_modern(modern("\"a\"", "tools/list"));
  EXPECT_EQ(list->id(), "\"a\"");
  EXPECT_EQ(list->result().at("ttlMs").as_int64(), 60000);
  EXPECT_EQ(json::find_string(list->result(), "cacheScope"), "private");
  EXPECT_EQ(list->result().at("tools").as_array().size(), 4U);
  EXPECT_EQ(json::write(send_modern(modern("1", "resources/list"))->result()),
            R"({"resources":[],"ttlMs":0,"cacheScope":"private","resultType":"complete",)" + info);
  const auto read = send_modern(modern("1", "resources/read", R"("uri":"file:///a.txt")"));
  EXPECT_EQ(
      json::write(read->result()),
      R"({"contents":[{"uri":"file:///a.txt","mimeType":"text/plain","text":"hello"}],"ttlMs":0,)"
      R"("cacheScope":"private","resultType":"complete",)" +
          info);
  const auto picture = send_modern(modern("1", "tools/call", R"("name":"picture")"));
  EXPECT_EQ(json::find_string(picture->result(), "resultType"), "complete");
  EXPECT_EQ(json::find_string(picture->result().at("_meta"), "level"), "L3");
  EXPECT_NE(json::find(picture->result().at("_meta"), "io.modelcontextprotocol/serverInfo"),
            nullptr);
  const auto refused = send_modern(modern("1", "tools/call", R"("name":"echo_text")"));
  EXPECT_TRUE(refused->result().at("isError").as_bool());
  EXPECT_EQ(json::find_string(refused->result(), "resultType"), "complete");
  const auto absent = send_modern(modern("1", "resources/read", R"("uri":"file:///none")"));
  EXPECT_EQ(json::find_string(absent->responses.at(0).at("error").at("data"), "uri"),
            "file:///none");
}

TEST_F(ModernProtocol, NotificationsAreNotAnswered) {
  EXPECT_TRUE(
      send_modern(
          R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})")
          ->silent());
  EXPECT_TRUE(
      send_modern(R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"hold"}})")->silent());
  EXPECT_TRUE(held.empty());
}

TEST_F(ModernProtocol, ClosingTheStreamCancels) {
  const auto running = send_modern(modern("1", "tools/call", R"("name":"hold")"));
  ASSERT_NE(token, nullptr);
  engine->cancel(token);
  EXPECT_TRUE(held[0].cancel_seen);
  EXPECT_TRUE(running->abandoned);
  engine->cancel(token);
  engine->cancel(nullptr);
  held[0].done({});
  engine->cancel(token);
  EXPECT_EQ(engine->calls_in_flight(), 0U);
}

TEST_F(ModernProtocol, ProgressAndLogLevel) {
  EngineOptions options;
  options.progress_interval = std::chrono::milliseconds(1);
  make(options);
  const auto quiet = send_modern(modern("1", "tools/call", R"("name":"hold")"));
  const auto running =
      send_modern(modern("2", "tools/call", R"("name":"hold")",
                         R"(,"progressToken":"p","io.modelcontextprotocol/logLevel":"debug")"));
  running->on_notify = [&] { reactor.stop(); };
  reactor.run();
  EXPECT_EQ(running->notifications.at(0).at("params").at("progressToken"), json::Value("p"));
  EXPECT_TRUE(quiet->silent());
}

TEST_F(ModernProtocol, TheLimitIsPerPrincipal) {
  EngineOptions options;
  options.max_calls_per_session = 1;
  make(options);
  send_modern(modern("1", "tools/call", R"("name":"hold")"));
  const auto busy = send_modern(modern("2", "tools/call", R"("name":"hold")"));
  EXPECT_TRUE(busy->result().at("isError").as_bool());
  const auto other = std::make_shared<test::FakeExchange>();
  engine->receive_modern({"other"}, "http", parse(modern("1", "tools/call", R"("name":"hold")")),
                         nullptr, other);
  EXPECT_EQ(held.size(), 2U);
}

TEST(ModernEnvelope, HeaderValues) {
  EXPECT_EQ(decode_header_value("plain"), "plain");
  EXPECT_EQ(decode_header_value("=?base64?w6k=?="), "\xC3\xA9");
  EXPECT_EQ(decode_header_value("=?base64?"
                                "?="),
            "");
  EXPECT_EQ(decode_header_value("=?base64?w6k?="), std::nullopt);
  EXPECT_EQ(decode_header_value("=?base64?/w==?="), std::nullopt);  // not UTF-8
  EXPECT_EQ(decode_header_value("=?BASE64?w6k=?="), "=?BASE64?w6k=?=");
}

TEST(ModernEnvelope, Claim) {
  const auto claims = [](const char* text) { return Engine::has_modern_claim(*json::parse(text)); };
  EXPECT_TRUE(claims(R"({"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":5}}})"));
  EXPECT_FALSE(claims(R"({"params":{"_meta":{"progressToken":5}}})"));
  EXPECT_FALSE(claims(R"({"params":{"_meta":5}})"));
  EXPECT_FALSE(claims(R"({"params":[]})"));
  EXPECT_FALSE(claims("[]"));
}

}  // namespace
}  // namespace cmcp::mcp
