// Listener: a listening TCP socket on the reactor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "net/reactor.h"

namespace cmcp::net {

// The other end of an accepted connection.
struct Peer {
  std::string address;  // numeric, without port
  bool loopback = false;
};

class Listener {
 public:
  // The socket is non-blocking, close-on-exec, with TCP_NODELAY.
  using AcceptHandler = std::function<void(Fd, Peer)>;

  // Listens on `host` (a numeric address or a name; IPv6 takes no IPv4 connections) and `port` (0:
  // any free one). kInvalidArgument when the host does not resolve, kUnavailable when this machine
  // has no such address, kBusy when the port is taken, kPermissionDenied, kIo; the message names
  // host and port.
  static Result<std::unique_ptr<Listener>> open(Reactor& reactor, const std::string& host,
                                                std::uint16_t port, AcceptHandler on_accept);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // The bound numeric address, without brackets.
  const std::string& address() const { return address_; }
  std::uint16_t port() const { return port_; }

 private:
  Listener(Reactor& reactor, Fd socket, AcceptHandler on_accept);
  void arm();
  void accept_some();

  Fd socket_;
  std::string address_;
  std::uint16_t port_ = 0;
  AcceptHandler on_accept_;
  Timer retry_;
  FdWatch watch_;
};

// True for a numeric address of 127.0.0.0/8, ::1, or IPv4-mapped loopback.
bool is_loopback_address(const std::string& address);

}  // namespace cmcp::net
