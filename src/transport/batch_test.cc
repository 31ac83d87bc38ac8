#include "transport/batch.h"

#include <gtest/gtest.h>

#include <vector>

namespace cmcp::transport {
namespace {

json::Array array(std::string_view text) {
  return json::parse(text)->as_array();
}

TEST(Batch, WhatMayBeSplit) {
  const char* one = R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])";
  EXPECT_TRUE(check_batch(array(one), "2025-03-26").ok());
  EXPECT_TRUE(check_batch(array("[5]"), "2025-03-26").ok());
  for (const char* revision : {"", "2024-11-05", "2025-06-18", "2025-11-25"}) {
    EXPECT_FALSE(check_batch(array(one), revision).ok()) << revision;
  }
  EXPECT_FALSE(check_batch(array("[]"), "2025-03-26").ok());
  EXPECT_FALSE(
      check_batch(
          array(
              R"([{"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}])"),
          "2025-03-26")
          .ok());
  EXPECT_FALSE(check_batch(json::Array(101), "2025-03-26").ok());
}

TEST(Batch, RepliesAreSentTogether) {
  std::vector<std::string> sent;
  const auto send = [&](std::optional<json::Value> reply) {
    sent.push_back(reply ? json::write(*reply) : "nothing");
  };
  const auto replies = std::make_shared<BatchReplies>(send);
  const ReplySink first = replies->expect();
  const ReplySink second = replies->expect();
  const ReplySink third = replies->expect();
  first(json::Value(1));
  replies->close();
  third(std::nullopt);
  EXPECT_TRUE(sent.empty());
  second(json::Value(2));
  EXPECT_EQ(sent, std::vector<std::string>{"[1,2]"});

  sent.clear();
  const auto silent = std::make_shared<BatchReplies>(send);
  silent->expect()(std::nullopt);
  silent->close();
  EXPECT_EQ(sent, std::vector<std::string>{"nothing"});
}

}  // namespace
}  // namespace cmcp::transport
