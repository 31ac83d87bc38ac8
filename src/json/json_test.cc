#include "json/json.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace cmcp::json
