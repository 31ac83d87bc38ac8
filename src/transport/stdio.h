// The stdio transport: newline-delimited JSON-RPC on a pair of descriptors, both eras on one
// connection.
//
//   CMCP_TRY(transport::StdioChannel channel, transport::take_standard_streams());  // before
//   anything can print transport::Stdio stdio(reactor, engine, principal, std::move(channel),
//   options, [&] { reactor.stop(); }); stdio.start(); reactor.run();
//
// The era is chosen for each message by its envelope: server/discover does not pin one, and
// initialize is accepted at any time, because a client is known that probes with discover and then
// goes on with initialize.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "auth/principal.h"
#include "base/fd.h"
#include "base/result.h"
#include "mcp/engine.h"
#include "net/reactor.h"

namespace cmcp::transport {

struct StdioChannel {
  Fd in;
  Fd out;
};

// Moves the protocol stream away from descriptors 0 and 1: 0 becomes /dev/null and 1 the same as 2,
// so that nothing else in the process, and no child, can read or write it. kIo when 0 or 1 is
// closed.
Result<StdioChannel> take_standard_streams();

struct StdioOptions {
  std::size_t max_message_bytes = 64U << 20U;
  std::size_t max_queued_bytes = 64U << 20U;  // output that a client does not read
  // After the end of input: how long calls that are in progress may still finish before they are
  // cancelled, and how long the output may still be written. Together well below the second in
  // which a client expects the process to be gone.
  std::chrono::milliseconds grace{300};
  std::chrono::milliseconds flush{400};
};

// One connection. Reactor thread only; the engine must live longer.
class Stdio {
 public:
  // `finished` is called once, through the reactor: the input has ended and all is written, or the
  // client is gone, or stop() is done. Nothing of this connection is in flight then.
  Stdio(net::Reactor& reactor, mcp::Engine& engine, const auth::Principal& principal,
        StdioChannel channel, const StdioOptions& options, std::function<void()> finished);
  ~Stdio();
  Stdio(const Stdio&) = delete;
  Stdio& operator=(const Stdio&) = delete;

  void start();
  // Reads no more, cancels what is in progress, writes what is queued (at most options.flush), then
  // finishes.
  void stop();

 private:
  struct Connection;
  std::shared_ptr<Connection> connection_;
};

}  // namespace cmcp::transport
