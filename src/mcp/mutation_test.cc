// Random messages, the same ones in every run: the engine lives on, and whoever can be answered is
// answered.
#include <random>

#include "mcp/engine_fixture.h"
#include "mcp/jsonrpc.h"

namespace cmcp::mcp {
namespace {

using test::EngineTest;
using test::FakeExchange;

class Mutation : public EngineTest {
 protected:
  std::size_t pick(std::size_t size) {
    return std::uniform_int_distribution<std::size_t>(0, size - 1)(random_);
  }

  json::Value odd_value() {
    static const std::vector<std::string> kTexts = {
        "null",
        "true",
        "0",
        "-1",
        "1.5",
        "1e300",
        "18446744073709551615",
        "\"\"",
        "\"ping\"",
        "[]",
        "{}",
        "[[{}]]",
        R"({"_meta":{}})",
        R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})",
        R"("\u0000")",
        R"({"name":"hold"})",
        R"({"name":"echo_text","arguments":{"text":"x"}})",
        R"({"uri":"file:///a.txt"})"};
    return parse(kTexts[pick(kTexts.size())]);
  }

  // Replaces, removes or adds one member somewhere in `value`.
  void mutate(json::Value& value, int depth = 0) {
    json::Object* object = value.if_object();
    if (object == nullptr || object->empty() || depth > 4) {
      value = odd_value();
      return;
    }
    auto member = object->begin() + static_cast<std::ptrdiff_t>(pick(object->size()));
    switch (pick(5)) {
      case 0:
        object->erase(member);
        break;
      case 1:
        member->value() = odd_value();
        break;
      case 2:
        (*object)["extra"] = odd_value();
        break;
      default:
        mutate(member->value(), depth + 1);
    }
  }

  std::mt19937 random_{20260728};
};

TEST_F(Mutation, EveryRequestIsAnswered) {
  const std::vector<std::string> seeds = {
      R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{}})",
      R"({"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x"}}})",
      R"({"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":""}})",
      R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo_text","arguments":{"text":"x","times":2},"_meta":{"progressToken":1}}})",
      R"({"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"fails","arguments":{"how":"throw"}}})",
      R"({"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"file:///a.txt"}})",
      R"({"jsonrpc":"2.0","id":6,"method":"logging/setLevel","params":{"level":"info"}})",
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}})",
      modern("7", "tools/call", R"("name":"echo_text","arguments":{"text":"x"})"),
      modern("8", "server/discover"),
      modern("9", "resources/read", R"("uri":"file:///a.txt")"),
  };
  std::size_t answered = 0;
  for (int round = 0; round < 6000; ++round) {
    json::Value message = parse(seeds[pick(seeds.size())]);
    const std::size_t mutations = pick(4);
    for (std::size_t i = 0; i < mutations; ++i) mutate(message);
    const std::string text = json::write(message);
    SCOPED_TRACE(text);
    const bool is_modern = Engine::has_modern_claim(message);
    const bool must_answer = classify(message).kind == MessageKind::kRequest ||
                             classify(message).kind == MessageKind::kInvalid;
    const auto exchange = std::make_shared<FakeExchange>();
    if (is_modern) {
      engine->receive_modern({}, "http", message, nullptr, exchange);
    } else {
      engine->receive(session, message, exchange);
    }
    for (auto& call : held) {
      if (call.done) std::exchange(call.done, nullptr)(object_result({{"success", true}}));
    }
    held.clear();
    ASSERT_EQ(exchange->responses.size(), must_answer ? 1U : 0U);
    if (must_answer) {
      ++answered;
      const json::Value* id = json::find(message, "id");
      if (id != nullptr && is_valid_id(*id)) {
        ASSERT_EQ(exchange->responses[0].at("id"), *id);
      }
      ASSERT_TRUE(json::parse(json::write(exchange->responses[0])).ok());
    }
  }
  EXPECT_GT(answered, 3000U);
  EXPECT_EQ(engine->calls_in_flight(), 0U);
  EXPECT_EQ(send(R"({"jsonrpc":"2.0","id":1,"method":"ping"})")->error_code(), 0);
}

}  // namespace
}  // namespace cmcp::mcp
