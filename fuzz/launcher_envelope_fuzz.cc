// One message on the socket between server and launcher, whole: its header, a body that is inside
// it or in a memory file, descriptors that are there or not.
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "os/fd_passing.h"
#include "os/memfd.h"
#include "sandbox/helper/wire.h"

namespace wire = cmcp::sandbox::wire;

// The first byte says what comes with the message: nothing, a sealed file with the rest of the
// input, or a descriptor that is no such file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > wire::kMaxInlineBody) return 0;
  auto sockets = cmcp::os::seqpacket_pair();
  if (!sockets.ok()) std::abort();
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string head = bytes.substr(0, 2);
  std::vector<int> fds;
  cmcp::Fd file;
  if (data[0] % 3 == 1) {
    auto made = cmcp::os::sealed_memfd("body", bytes.size() > 2 ? bytes.substr(2) : "");
    if (!made.ok()) std::abort();
    file = std::move(*made);
    fds.push_back(file.get());
  } else if (data[0] % 3 == 2) {
    fds.push_back(sockets->first.get());
  }
  const bool in_file = data[0] % 3 == 1;
  if (!cmcp::os::send_message(sockets->first.get(), in_file ? head : bytes, fds,
                              cmcp::os::SendMode::kWait)
           .ok())
    return 0;
  auto envelope = wire::receive(sockets->second.get());
  if (!envelope.ok() || !envelope->has_value()) return 0;
  // What was understood holds no byte that was not sent.
  if ((*envelope)->body.size() > bytes.size()) std::abort();
  switch ((*envelope)->type) {
    case wire::Type::kSetup:
      (void)wire::decode_setup((*envelope)->body);
      break;
    case wire::Type::kStart:
      (void)wire::decode_start((*envelope)->body);
      break;
    case wire::Type::kKill:
      (void)wire::decode_kill((*envelope)->body);
      break;
    case wire::Type::kEnded:
      (void)wire::decode_ended((*envelope)->body);
      break;
    case wire::Type::kReady:
      (void)wire::decode_facts((*envelope)->body);
      break;
    default:
      break;
  }
  return 0;
}
