#include "app/sandbox_lost.h"

#include <sysexits.h>

#include "base/log.h"

namespace cmcp::app {

// Only root could start another launcher, and this process is root no more.
int end_without_sandbox(const std::string& cause) {
  log::error(
      "the server ends: its sandbox launcher was killed, and only a new start as root can have "
      "another one; start it again (systemd: Restart=on-failure)",
      {{"cause", cause}});
  return EX_TEMPFAIL;
}

}  // namespace cmcp::app
