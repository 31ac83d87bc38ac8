// Result<T>: a value or an Error; the only way in which a function of ours reports failure.
//
//   Result<Fd> open_workspace(const HostPath& path);
//   CMCP_TRY(Fd fd, open_workspace(path));     // returns the error to the caller, else declares fd
//   CMCP_CHECK_OK(write_all(fd, data));        // the same for Status
//
// Outcomes of runs (timeout, signal, memory) are values, not errors. Errors never cross a module
// border as exceptions.
#pragma once

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace cmcp {

enum class ErrorCode {
  kInvalidArgument,
  kNotFound,
  kAlreadyExists,
  kPermissionDenied,
  kUnsupported,
  kBusy,
  kLimitExceeded,
  kTimeout,
  kCancelled,
  kUnavailable,
  kProtocol,
  kIo,
  kInternal,
};

// A failure: a code to act on, a full-sentence message, and errno where a system call failed (else
// 0).
class [[nodiscard]] Error {
 public:
  Error(ErrorCode code, std::string message, int os_errno = 0)
      : code_(code), os_errno_(os_errno), message_(std::move(message)) {}

  ErrorCode code() const { return code_; }
  int os_errno() const { return os_errno_; }
  const std::string& message() const { return message_; }
  // The same error with `what` put before its message: "what: message".
  Error with_context(const std::string& what) const {
    return {code_, what + ": " + message_, os_errno_};
  }

 private:
  ErrorCode code_;
  int os_errno_;
  std::string message_;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  // Precondition: ok(). A broken precondition aborts.
  T& value() & { return require(), std::get<0>(state_); }
  const T& value() const& { return require(), std::get<0>(state_); }
  T&& value() && { return require(), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  // Precondition: !ok().
  const Error& error() const& { return *std::get_if<1>(&state_); }
  Error take_error() { return std::move(*std::get_if<1>(&state_)); }

 private:
  void require() const {
    if (!ok()) std::abort();
  }
  std::variant<T, Error> state_;
};

// Status: success, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const& { return *error_; }
  Error take_error() { return std::move(*error_); }

 private:
  std::optional<Error> error_;
};
using Status = Result<void>;

}  // namespace cmcp

#define CMCP_CONCAT_INNER(a, b) a##b
#define CMCP_CONCAT(a, b) CMCP_CONCAT_INNER(a, b)
#define CMCP_TRY(declaration, expression) \
  CMCP_TRY_IMPL(CMCP_CONCAT(cmcp_try_, __COUNTER__), declaration, expression)
#define CMCP_TRY_IMPL(result, declaration, expression) \
  auto result = (expression);                          \
  if (!result.ok()) return result.take_error();        \
  declaration = std::move(result).value()
#define CMCP_CHECK_OK(expression)                                                            \
  do {                                                                                       \
    if (auto cmcp_status = (expression); !cmcp_status.ok()) return cmcp_status.take_error(); \
  } while (false)
