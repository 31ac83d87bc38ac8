// JSON-RPC batches, which exist in revision 2025-03-26 only: the rules for an inbound array, and
// the collection of the replies into one outbound array. Used by every transport.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "json/json.h"

namespace cmcp::transport {

// A reply to one request; nothing when the request was cancelled.
using ReplySink = std::function<void(std::optional<json::Value>)>;

// kInvalidArgument with a sentence for the client (it goes out as -32600, id null) unless `batch`
// may be split: the session's revision has batches, there is at least one message and not too many,
// none is of the modern era.
Status check_batch(const json::Array& batch, std::string_view revision);

// Collects the replies to one batch:
//   auto replies = std::make_shared<BatchReplies>(send);
//   for (message) handle(message, replies->expect());
//   replies->close();
// `send` gets the array when every expected reply is there, nothing at all when there is no reply
// to send.
class BatchReplies : public std::enable_shared_from_this<BatchReplies> {
 public:
  explicit BatchReplies(ReplySink send) : send_(std::move(send)) {}
  // The sink for one more reply; call it exactly once.
  ReplySink expect();
  // No more expect() follows.
  void close();

 private:
  void take(std::optional<json::Value> reply);
  void send_if_complete();

  ReplySink send_;
  json::Array replies_;
  std::size_t open_ = 0;
  bool closed_ = false;
};

}  // namespace cmcp::transport
