#include "os/seccomp.h"

#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/error.h"

namespace cmcp::os {

Status load_seccomp(const std::vector<sock_filter>& program) {
  if (program.empty() || program.size() > BPF_MAXINSNS) {
    return Error(ErrorCode::kInvalidArgument, "seccomp: a filter has 1 to 4096 steps, this one " +
                                                  std::to_string(program.size()));
  }
  sock_fprog filter{static_cast<unsigned short>(program.size()),
                    const_cast<sock_filter*>(program.data())};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0)
    return last_error("seccomp");
  return {};
}

}  // namespace cmcp::os
