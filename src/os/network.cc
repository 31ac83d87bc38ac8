#include "os/network.h"

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstring>

#include "base/fd.h"
#include "os/error.h"

namespace cmcp::os {

Status enter_new_network() {
  if (::unshare(CLONE_NEWNET) != 0) return last_error("unshare", "CLONE_NEWNET");
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return last_error("socket", "AF_INET");
  ifreq request{};
  std::memcpy(request.ifr_name, "lo", 3);
  request.ifr_flags = IFF_UP;
  if (::ioctl(socket.get(), SIOCSIFFLAGS, &request) != 0)
    return last_error("ioctl", "SIOCSIFFLAGS lo");
  return {};
}

}  // namespace cmcp::os
