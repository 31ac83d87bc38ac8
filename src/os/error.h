// How a failed system call becomes an Error.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace cmcp::os {

// "CALL(SUBJECT): strerror" with the code that fits `error_number`. Say what was acted on in
// `subject`.
Error error_of(int error_number, std::string_view call, std::string_view subject);
// The same for the current errno.
Error last_error(std::string_view call, std::string_view subject = "");

}  // namespace cmcp::os
