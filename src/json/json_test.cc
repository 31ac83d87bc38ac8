#include "json/json.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace cmcp::json {
namespace {

TEST(Json, RefusesWhatOthersLetThrough) {
  for (const char* bad : {"", "{", "NOT JSON", "1e400", "[1,]", "{\"a\":1} x", "\"\\ud800\"",
                          "\"\xff\"", "nan", "01"}) {
    EXPECT_FALSE(parse(bad).ok()) << bad;
  }
}

TEST(Json, BoundsDepthAndSize) {
  EXPECT_EQ(parse(std::string(65, '[') + std::string(65, ']')).error().code(),
            ErrorCode::kLimitExceeded);
  EXPECT_TRUE(parse(std::string(60, '[') + std::string(60, ']')).ok());
  EXPECT_EQ(parse("[1,2,3]", {.max_bytes = 3}).error().code(), ErrorCode::kLimitExceeded);
}

TEST(Json, KeepsBigIntegersAndWritesCompactly) {
  const Value value = parse(R"({"id": 1152921504606846976, "s": "é\n"})").value();
  EXPECT_EQ(write(value), R"({"id":1152921504606846976,"s":"é\n"})");
  EXPECT_EQ(find_string(value, "s"), "é\n");
  EXPECT_EQ(find_string(value, "id"), std::nullopt);
}

TEST(Json, SaysWhereAndWhyItRefuses) {
  EXPECT_EQ(parse("[1e400]").error().message(),
            "not valid JSON at byte 6: a number is too large for a double");
  EXPECT_EQ(parse("{\"a\":1} x").error().message().find("not valid JSON at byte 8: "), 0U);
}

TEST(Json, WritesNumbersAsPeopleDo) {
  const std::pair<const char*, const char*> rows[] = {
      {"1.5", "1.5"},
      {"30.0", "30.0"},
      {"3e1", "30.0"},
      {"-0.0", "-0.0"},
      {"0.1", "0.1"},
      {"100000", "100000"},
      {"-7", "-7"},
      {"1e22", "1e+22"},
      {"1E-7", "1e-07"},
      {"5e-324", "5e-324"},
      {"1e-400", "0.0"},
      {"-1e-400", "-0.0"},
      {"0e99", "0.0"},
      {"1.7976931348623157e308", "1.7976931348623157e+308"},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"18446744073709551615", "18446744073709551615"},
      {"18446744073709551616", "18446744073709551616.0"}};
  for (const auto& [text, written] : rows) {
    const auto value = parse(text);
    ASSERT_TRUE(value.ok()) << text;
    EXPECT_EQ(write(*value), written) << text;
  }
  EXPECT_EQ(write(Value(std::nan(""))), "null");
  EXPECT_EQ(write(Value(-std::numeric_limits<double>::infinity())), "null");
}

TEST(Json, EveryDoubleComesBackBitByBit) {
  std::mt19937_64 random(1);  // NOLINT(cert-msc51-cpp): the same numbers in each run
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t bits = random();
    const auto number = std::bit_cast<double>(bits);
    if (!std::isfinite(number)) continue;
    const std::string text = write(Value(number));
    const auto back = parse(text);
    ASSERT_TRUE(back.ok()) << text;
    ASSERT_TRUE(back->is_double()) << text;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(back->get_double()), bits) << text;
  }
}

TEST(Json, ReadsTheNearestDoubleOfLongTexts) {
  for (const char* text : {"0.1234567890123456789012345678901234567890", "9007199254740993.0",
                           "123456789012345678901234567890", "2.2250738585072011e-308",
                           "1.00000000000000011102230246251565404236316680908203126"}) {
    EXPECT_EQ(parse(text)->to_number<double>(), std::strtod(text, nullptr)) << text;
  }
}

TEST(Json, EscapesWhatRfc8259WantsAndNothingElse) {
  const std::string plain = "a/é\u2028\u2029\x7f\U0001F600<>&'";
  EXPECT_EQ(write(Value(plain)), "\"" + plain + "\"");
  EXPECT_EQ(write(Value(std::string("\0\x01\x1f\b\f\n\r\t\"\\", 10))),
            R"("\u0000\u0001\u001f\b\f\n\r\t\"\\")");
  EXPECT_EQ(write(Object{{"a\"\n", ""}}), R"({"a\"\n":""})");
  std::string all;
  for (char c = 0; c < 0x7f; ++c) all += c;
  EXPECT_EQ(view(parse(write(Value(all)))->get_string()), all);
}

TEST(Json, WritesEmptyNestedAndDeepValues) {
  const std::string text =
      R"({"a":[],"b":{},"c":[[],{"d":[1,null,true,false,""]}],"e":{"f":{"g":-1}}})";
  EXPECT_EQ(write(parse(text).value()), text);
  Value deep = Array{};
  for (int i = 0; i < 2000; ++i) {
    Array outer;
    outer.push_back(std::move(deep));
    deep = std::move(outer);
  }
  EXPECT_EQ(write(deep), std::string(2001, '[') + std::string(2001, ']'));
}

}  // namespace
}  // namespace cmcp::json
