#include "net/listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/log.h"

namespace cmcp::net {

namespace {

constexpr int kBacklog = 512;
constexpr int kAcceptsAtOnce = 64;
constexpr std::chrono::milliseconds kRetryAfter{100};

std::string numeric_address(const sockaddr* address, socklen_t length) {
  std::array<char, NI_MAXHOST> text{};
  if (::getnameinfo(address, length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) {
    return {};
  }
  return text.data();
}

Error listen_error(const std::string& host, std::uint16_t port, int code) {
  const std::string where = "cannot listen on " + host + " port " + std::to_string(port) + ": ";
  switch (code) {
    case EADDRINUSE:
      return {
          ErrorCode::kBusy,
          where +
              "the port is taken; stop the other program or choose another with --port or MCP_PORT",
          code};
    case EADDRNOTAVAIL:
    case EAFNOSUPPORT:
      return {ErrorCode::kUnavailable,
              where + "this machine has no such address; set MCP_HOST to one it has", code};
    case EACCES:
      return {ErrorCode::kPermissionDenied,
              where + "not permitted; choose a port above 1023 with --port or MCP_PORT", code};
    default:
      return {ErrorCode::kIo, where + std::strerror(code), code};
  }
}

struct AddressListDeleter {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};

Result<Fd> bind_and_listen(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (failed != 0) {
    return Error(ErrorCode::kInvalidArgument,
                 "MCP_HOST " + host + " is no address of this machine: " + ::gai_strerror(failed));
  }
  const std::unique_ptr<addrinfo, AddressListDeleter> list(found);
  Fd socket(::socket(list->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return listen_error(host, port, errno);
  const int on = 1;
  // Restarting must not wait for old connections in TIME_WAIT.
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (list->ai_family == AF_INET6) {
    ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  }
  if (::bind(socket.get(), list->ai_addr, list->ai_addrlen) != 0 ||
      ::listen(socket.get(), kBacklog) != 0) {
    return listen_error(host, port, errno);
  }
  return socket;
}

}  // namespace

bool is_loopback_address(const std::string& address) {
  return address == "::1" || address.starts_with("127.") || address.starts_with("::ffff:127.");
}

Result<std::unique_ptr<Listener>> Listener::open(Reactor& reactor, const std::string& host,
                                                 std::uint16_t port, AcceptHandler on_accept) {
  CMCP_TRY(Fd socket, bind_and_listen(host, port));
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&bound), &length) != 0) {
    return listen_error(host, port, errno);
  }
  auto listener =
      std::unique_ptr<Listener>(new Listener(reactor, std::move(socket), std::move(on_accept)));
  listener->address_ = numeric_address(reinterpret_cast<sockaddr*>(&bound), length);
  listener->port_ = bound.ss_family == AF_INET6
                        ? ntohs(reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port)
                        : ntohs(reinterpret_cast<sockaddr_in*>(&bound)->sin_port);
  listener->arm();
  return listener;
}

Listener::Listener(Reactor& reactor, Fd socket, AcceptHandler on_accept)
    : socket_(std::move(socket)),
      on_accept_(std::move(on_accept)),
      retry_(reactor),
      watch_(reactor, socket_.get()) {}

Listener::~Listener() = default;

void Listener::arm() {
  watch_.on_readable([this] { accept_some(); });
}

void Listener::accept_some() {
  for (int i = 0; i < kAcceptsAtOnce; ++i) {
    sockaddr_storage from{};
    socklen_t length = sizeof from;
    Fd accepted(::accept4(socket_.get(), reinterpret_cast<sockaddr*>(&from), &length,
                          SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!accepted) {
      if (errno == EAGAIN) return arm();
      if (errno == EINTR || errno == ECONNABORTED) continue;
      // Out of descriptors or memory: the connection stays in the backlog and is tried again.
      log::warning("cannot accept a connection",
                   {{"address", address_}, {"reason", std::strerror(errno)}});
      return retry_.start(kRetryAfter, [this] { arm(); });
    }
    const int on = 1;
    ::setsockopt(accepted.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    Peer peer{numeric_address(reinterpret_cast<sockaddr*>(&from), length), false};
    peer.loopback = is_loopback_address(peer.address);
    on_accept_(std::move(accepted), std::move(peer));
  }
  arm();
}

}  // namespace cmcp::net
