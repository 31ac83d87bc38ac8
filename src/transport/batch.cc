#include "transport/batch.h"

#include <algorithm>
#include <string>
#include <utility>

#include "mcp/engine.h"

namespace cmcp::transport {
namespace {

constexpr std::size_t kMaxMessages = 100;

Error refused(std::string reason) {
  return {ErrorCode::kInvalidArgument, "Invalid request: " + std::move(reason)};
}

}  // namespace

Status check_batch(const json::Array& batch, std::string_view revision) {
  if (revision != "2025-03-26") {
    return refused("batches exist in revision 2025-03-26 only; send one message at a time.");
  }
  if (batch.empty()) return refused("an empty batch.");
  if (batch.size() > kMaxMessages) {
    return refused("a batch of " + std::to_string(batch.size()) + " messages; at most " +
                   std::to_string(kMaxMessages) + " are allowed.");
  }
  if (std::any_of(batch.begin(), batch.end(), mcp::Engine::has_modern_claim)) {
    return refused("a message of revision " + std::string(mcp::kModernRevision) + " in a batch.");
  }
  return {};
}

ReplySink BatchReplies::expect() {
  ++open_;
  return [self = shared_from_this()](std::optional<json::Value> reply) {
    self->take(std::move(reply));
  };
}

void BatchReplies::close() {
  closed_ = true;
  send_if_complete();
}

void BatchReplies::take(std::optional<json::Value> reply) {
  --open_;
  if (reply) replies_.push_back(std::move(*reply));
  send_if_complete();
}

void BatchReplies::send_if_complete() {
  if (!closed_ || open_ != 0) return;
  const ReplySink send = std::exchange(send_, nullptr);
  if (!send) return;
  if (replies_.empty()) return send(std::nullopt);
  send(json::Value(std::move(replies_)));
}

}  // namespace cmcp::transport
