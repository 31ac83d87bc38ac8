#include "tools/refusal.h"

namespace cmcp::tools {
namespace {

mcp::RefusalCode code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return mcp::RefusalCode::kInvalidArgument;
    case ErrorCode::kPermissionDenied:
      return mcp::RefusalCode::kUnauthorized;
    case ErrorCode::kBusy:
    case ErrorCode::kLimitExceeded:
      return mcp::RefusalCode::kBusy;
    case ErrorCode::kCancelled:
      return mcp::RefusalCode::kCancelled;
    default:
      return mcp::RefusalCode::kSandboxUnavailable;
  }
}

}  // namespace

mcp::ToolResult refused(const Error& error) {
  return mcp::ToolResult::refused(code_of(error.code()), error.message());
}

}  // namespace cmcp::tools
