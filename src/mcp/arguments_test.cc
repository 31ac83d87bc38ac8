#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/tool.h"

namespace cmcp::mcp {
namespace {

using ::testing::HasSubstr;

Tool sample() {
  Tool tool;
  tool.name = "sample";
  tool.params = {
      {"command", ParamType::kString, "what to run", true},
      {"timeout", ParamType::kNumber, "", false, json::Value(30), 0.1, 600},
      {"count", ParamType::kInteger, "", false, {}, 0, {}},
      {"recursive", ParamType::kBoolean, "", false, json::Value(false)},
      {"mode", ParamType::kString, "", false, {}, {}, {}, {"read", "write"}},
      {"env", ParamType::kStringMap, ""},
      {"tags", ParamType::kStringList, ""},
  };
  return tool;
}

TEST(Arguments, Accepted) {
  struct Row {
    const char* given;
    const char* decoded;
  };
  const Row rows[] = {
      {R"({"command":"x"})", R"({"command":"x","timeout":30.0,"recursive":false})"},
      {R"({"command":"","timeout":null,"count":null})",
       R"({"command":"","timeout":30.0,"recursive":false})"},
      {R"({"command":"x","timeout":600,"count":5.0,"recursive":true})",
       R"({"command":"x","timeout":600.0,"count":5,"recursive":true})"},
      {R"({"command":"x","timeout":0.1,"count":9223372036854775807})",
       R"({"command":"x","timeout":1E-1,"count":9223372036854775807,"recursive":false})"},
      {R"({"command":"x","mode":"read","env":{"A":"1","B":""},"tags":["a"]})",
       R"({"command":"x","timeout":30.0,"recursive":false,"mode":"read","env":{"A":"1","B":""},"tags":["a"]})"},
      {R"({"command":"a","command":"b"})", R"({"command":"b","timeout":30.0,"recursive":false})"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.given);
    const Result<json::Object> decoded = decode_arguments(sample(), *json::parse(row.given));
    ASSERT_TRUE(decoded.ok()) << decoded.error().message();
    EXPECT_EQ(json::Value(decoded.value()), *json::parse(row.decoded));
  }
}

TEST(Arguments, Refused) {
  struct Row {
    const char* given;
    std::vector<const char*> says;
  };
  const Row rows[] = {
      {"{}", {"argument 'command' is missing", "a string is required"}},
      {"[]", {"arguments", "an array was given", "an object is allowed"}},
      {"null", {"null was given"}},
      {R"({"command":null})", {"'command'", "null was given", "a string is allowed"}},
      {R"({"command":5})", {"'command'", "5 was given"}},
      {R"({"command":["ls"]})", {"'command'", "an array was given"}},
      {R"({"command":"x","timeout":601})",
       {"'timeout'", "601 was given", "a number from 0.1 to 600 is allowed"}},
      {R"({"command":"x","timeout":0})", {"'timeout'", "0 was given"}},
      {R"({"command":"x","timeout":1e308})", {"'timeout'", "1e+308 was given"}},
      {R"({"command":"x","timeout":"30"})", {"'timeout'", "the string \"30\" was given"}},
      {R"({"command":"x","timeout":true})", {"'timeout'", "true was given"}},
      {R"({"command":"x","count":-1})",
       {"'count'", "-1 was given", "an integer of at least 0 is allowed"}},
      {R"({"command":"x","count":1.5})", {"'count'", "1.5 was given"}},
      {R"({"command":"x","count":18446744073709551615})",
       {"'count'", "18446744073709551615 was given"}},
      {R"({"command":"x","count":1e30})", {"'count'", "1e+30 was given"}},
      {R"({"command":"x","count":9223372036854775808.0})", {"'count'"}},
      {R"({"command":"x","recursive":"true"})", {"'recursive'", "true or false is allowed"}},
      {R"({"command":"x","recursive":1})", {"'recursive'", "1 was given"}},
      {R"({"command":"x","mode":"Read"})", {"'mode'", R"(one of "read", "write" is allowed)"}},
      {R"({"command":"x","env":{"A":5}})",
       {"'env'", "5 for \"A\" was given", "values are strings"}},
      {R"({"command":"x","env":[]})", {"'env'", "an array was given"}},
      {R"({"command":"x","tags":["a",null]})", {"'tags'", "null as item 1"}},
      {R"({"command":"x","tags":"a"})", {"'tags'", "an array of strings is allowed"}},
      {R"({"comand":"x"})",
       {"no argument 'comand'", "did you mean 'command'?", "'command' is missing"}},
      {R"({"command":"x","zzzzzzzz":1})", {"no argument 'zzzzzzzz'", "takes command, timeout"}},
      {R"({"command":"x","timeout":0,"count":-1})", {"'timeout'", "'count'"}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.given);
    const Result<json::Object> decoded = decode_arguments(sample(), *json::parse(row.given));
    ASSERT_FALSE(decoded.ok());
    EXPECT_EQ(decoded.error().code(), ErrorCode::kInvalidArgument);
    for (const char* text : row.says) EXPECT_THAT(decoded.error().message(), HasSubstr(text));
  }
}

TEST(Arguments, AMessageStaysShort) {
  json::Object many;
  for (int i = 0; i < 1000; ++i) many["zzzzzzzz" + std::to_string(i)] = std::string(100'000, 'x');
  const Result<json::Object> decoded = decode_arguments(sample(), many);
  ASSERT_FALSE(decoded.ok());
  EXPECT_LT(decoded.error().message().size(), 2000U);
  const Result<json::Object> name =
      decode_arguments(sample(), json::Object{{std::string(100'000, 'n'), 1}});
  EXPECT_LT(name.error().message().size(), 1000U);
}

TEST(ToolSchema, InputSchema) {
  EXPECT_EQ(
      json::Value(input_schema(sample())),
      *json::parse(
          R"({"type":"object","properties":{"command":{"type":"string","description":"what to run"},
              "timeout":{"type":"number","minimum":0.1,"maximum":600,"default":30},
              "count":{"type":"integer","minimum":0},"recursive":{"type":"boolean","default":false},
              "mode":{"type":"string","enum":["read","write"]},
              "env":{"type":"object","additionalProperties":{"type":"string"}},
              "tags":{"type":"array","items":{"type":"string"}}},
              "required":["command"],"additionalProperties":false})"));
  EXPECT_EQ(json::write(input_schema(Tool())),
            R"({"type":"object","properties":{},"additionalProperties":false})");
}

TEST(ToolSchema, ListEntry) {
  Tool tool;
  tool.name = "t";
  tool.title = "T";
  tool.description = "d";
  tool.output_schema = {{"type", "object"}};
  tool.annotations = {true, true, false, true};
  const json::Object old = list_entry(tool, "2024-11-05");
  EXPECT_EQ(old.size(), 3U);
  EXPECT_EQ(json::find_string(list_entry(tool, "2025-03-26").at("annotations"), "title"), "T");
  EXPECT_EQ(
      json::write(list_entry(tool, "2026-07-28").at("annotations")),
      R"({"readOnlyHint":true,"destructiveHint":false,"idempotentHint":false,"openWorldHint":true})");
  tool.output_schema = {};
  EXPECT_EQ(json::find(list_entry(tool, "2026-07-28"), "outputSchema"), nullptr);
}

}  // namespace
}  // namespace cmcp::mcp
