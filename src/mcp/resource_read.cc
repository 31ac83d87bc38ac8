#include "mcp/resource_read.h"

#include <utility>

#include "base/base64.h"
#include "base/log.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "mcp/jsonrpc.h"

namespace cmcp::mcp {
namespace {

class ResourceRead : public InFlight, public std::enable_shared_from_this<ResourceRead> {
 public:
  explicit ResourceRead(ReadEnd end) : end_(std::move(end)) {}

  void answer(Result<ResourceContent> content) {
    if (std::exchange(settled_, true)) return;
    const ReadEnd end = std::exchange(end_, {});
    end.answered(std::move(content));
  }
  void cancel_by_client() override {
    if (std::exchange(settled_, true)) return;
    const ReadEnd end = std::exchange(end_, {});
    end.cancelled();
  }
  bool settled() const override { return settled_; }

 private:
  ReadEnd end_;
  bool settled_ = false;
};

}  // namespace

std::shared_ptr<InFlight> start_read(ResourceReader& reader, const auth::Principal& principal,
                                     const std::string& uri, ReadEnd end) {
  const auto read = std::make_shared<ResourceRead>(std::move(end));
  reader.read(principal, uri,
              [read](Result<ResourceContent> content) { read->answer(std::move(content)); });
  return read->settled() ? nullptr : read;
}

json::Object resource_wire(const ResourceContent& content) {
  json::Object entry;
  entry["uri"] = content.uri;
  if (!content.mime_type.empty()) entry["mimeType"] = content.mime_type;
  if (content.text && utf8::is_valid(content.bytes)) {
    entry["text"] = content.bytes;
  } else {
    entry["blob"] = base64::encode(content.bytes);
  }
  json::Object result;
  result["contents"] = json::Array{std::move(entry)};
  return result;
}

json::Value resource_error(const json::Value& id, const std::string& uri, const Error& error,
                           const Features& features) {
  const json::Object data{{"uri", uri}};
  switch (error.code()) {
    case ErrorCode::kNotFound:
      return Engine::error_response(id,
                                    features.modern ? rpc::kInvalidParams : rpc::kResourceNotFound,
                                    "Resource not found: " + printable(uri), data);
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kLimitExceeded:
    case ErrorCode::kPermissionDenied:
    case ErrorCode::kUnsupported:
      return Engine::error_response(id, rpc::kInvalidParams, error.message(), data);
    case ErrorCode::kBusy:
    case ErrorCode::kCancelled:
    case ErrorCode::kTimeout:
      return Engine::error_response(id, rpc::kInternalError, error.message(), data);
    default:
      // The message may name what only the operator should see.
      log::error("a resource could not be read",
                 {{"uri", printable(uri)}, {"cause", error.message()}});
      return Engine::error_response(id, rpc::kInternalError, "The resource could not be read.",
                                    data);
  }
}

}  // namespace cmcp::mcp
