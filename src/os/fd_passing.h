// Messages with descriptors over a SOCK_SEQPACKET socketpair: a message arrives whole or not at
// all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace cmcp::os {

struct SocketPair {
  Fd first;
  Fd second;
};
Result<SocketPair> seqpacket_pair();

inline constexpr std::size_t kMaxPassedFds = 64;

// Sends one message with at most kMaxPassedFds descriptors (they stay the caller's). Never raises
// SIGPIPE. kBusy when `dont_wait` and the socket is full.
enum class SendMode { kWait, kDontWait };
Status send_message(int socket, std::string_view bytes, const std::vector<int>& fds, SendMode mode);

struct Message {
  std::string bytes;    // empty and no descriptors: the other side has closed
  std::vector<Fd> fds;  // close-on-exec
};
// Receives one message of at most `limit` bytes. kProtocol when bytes or descriptors were cut off
// (all that arrived are closed), kBusy when there is none and the socket is non-blocking.
Result<Message> receive_message(int socket, std::size_t limit);

}  // namespace cmcp::os
