#include "os/error.h"

#include <cerrno>
#include <cstring>

namespace cmcp::os {
namespace {

ErrorCode code_of(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
    case ESRCH:
      return ErrorCode::kNotFound;
    case EEXIST:
      return ErrorCode::kAlreadyExists;
    case EACCES:
    case EPERM:
    case EROFS:
    case EXDEV:
    case ELOOP:
      return ErrorCode::kPermissionDenied;
    case ENOSYS:
    case EOPNOTSUPP:
      return ErrorCode::kUnsupported;
    case EINVAL:
      return ErrorCode::kInvalidArgument;
    case EAGAIN:
    case EBUSY:
      return ErrorCode::kBusy;
    case ENOMEM:
    case EMFILE:
    case ENFILE:
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return ErrorCode::kLimitExceeded;
    case EPIPE:
    case ECONNRESET:
      return ErrorCode::kUnavailable;
    default:
      return ErrorCode::kIo;
  }
}

}  // namespace

Error error_of(int error_number, std::string_view call, std::string_view subject) {
  std::string message(call);
  message += '(';
  message += subject;
  message += "): ";
  message += std::strerror(error_number);
  return {code_of(error_number), std::move(message), error_number};
}

Error last_error(std::string_view call, std::string_view subject) {
  return error_of(errno, call, subject);
}

}  // namespace cmcp::os
