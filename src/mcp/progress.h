// Progress notifications of one call: a sign of life at a fixed interval, and new output lines,
// never faster than a gap.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "json/json.h"
#include "mcp/engine.h"
#include "net/reactor.h"

namespace cmcp::mcp {

struct ProgressPace {
  std::chrono::milliseconds interval{10'000};  // at least one notification in this time
  std::chrono::milliseconds gap{500};          // never two within this time
};

class ProgressReporter : public std::enable_shared_from_this<ProgressReporter> {
 public:
  ProgressReporter(net::Reactor& reactor, ProgressPace pace, json::Value token, bool with_message,
                   std::shared_ptr<Exchange> exchange);

  // Starts the sign of life. Call once.
  void start();
  // New output, in pieces of any size; may end in the middle of a line or of a character.
  void output(std::string_view bytes);
  // After this nothing is sent any more.
  void stop();

 private:
  void schedule();
  void due();
  void send();
  std::string message() const;

  net::Timer timer_;
  ProgressPace pace_;
  json::Value token_;
  bool with_message_;
  std::shared_ptr<Exchange> exchange_;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point sent_;
  std::int64_t count_ = 0;
  std::string partial_;    // output after the last line end, bounded
  std::string last_line_;  // raw bytes of the last line that is not blank, bounded
  bool fresh_ = false;     // last_line_ has not been sent
  bool stopped_ = false;
};

// The first line of output as a person would read it: well-formed, without escape sequences and
// control characters, at most 200 characters.
std::string readable_line(std::string_view bytes);

}  // namespace cmcp::mcp
