#include "os/fd_passing.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "os/error.h"

namespace cmcp::os {

Result<SocketPair> seqpacket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return last_error("socketpair");
  return SocketPair{Fd(ends[0]), Fd(ends[1])};
}

namespace {
constexpr std::size_t kControlSize = CMSG_SPACE(sizeof(int) * kMaxPassedFds);
}

Status send_message(int socket, std::string_view bytes, const std::vector<int>& fds,
                    SendMode mode) {
  if (fds.size() > kMaxPassedFds) {
    return Error(ErrorCode::kInvalidArgument,
                 "sendmsg: more than " + std::to_string(kMaxPassedFds) + " descriptors");
  }
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) std::array<char, kControlSize> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!fds.empty()) {
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
    cmsghdr* cmsg = CMSG_FIRSTHDR(&header);
    cmsg->cmsg_level = SOL_SOCKET;
    cmsg->cmsg_type = SCM_RIGHTS;
    cmsg->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
    std::memcpy(CMSG_DATA(cmsg), fds.data(), sizeof(int) * fds.size());
  }
  const int flags = MSG_NOSIGNAL | (mode == SendMode::kDontWait ? MSG_DONTWAIT : 0);
  while (::sendmsg(socket, &header, flags) < 0) {
    if (errno != EINTR) return last_error("sendmsg");
  }
  return {};
}

Result<Message> receive_message(int socket, std::size_t limit) {
  Message message;
  message.bytes.resize(limit);
  iovec part{message.bytes.data(), limit};
  alignas(cmsghdr) std::array<char, kControlSize> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t n = 0;
  while ((n = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC)) < 0) {
    if (errno != EINTR) return last_error("recvmsg");
  }
  for (cmsghdr* cmsg = CMSG_FIRSTHDR(&header); cmsg != nullptr; cmsg = CMSG_NXTHDR(&header, cmsg)) {
    if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_RIGHTS) continue;
    // The count is what cmsg_len says, not what the buffer could hold: the rest of it is not ours.
    const std::size_t count = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(int), sizeof(int));
      message.fds.emplace_back(fd);
    }
  }
  if ((header.msg_flags & (MSG_CTRUNC | MSG_TRUNC)) != 0) {
    return Error(ErrorCode::kProtocol, "recvmsg: a message was cut off (longer than " +
                                           std::to_string(limit) +
                                           " bytes, or its descriptors did not arrive)");
  }
  message.bytes.resize(static_cast<std::size_t>(n));
  return message;
}

}  // namespace cmcp::os
