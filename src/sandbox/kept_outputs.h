// KeptOutputs: the exact bytes of outputs that were too long to show, in files below STATE_DIR, for
// one hour at most. Reactor thread only.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"
#include "base/types.h"

namespace cmcp::sandbox {

class KeptOutputs {
 public:
  using Clock = std::chrono::system_clock;
  static constexpr std::chrono::seconds kMaxAge{3600};
  static constexpr std::uint64_t kCallsPerPrincipal =
      16;  // a principal may hold this many times `keep_per_call`

  // Opens `directory` (made with mode 0700 if absent) and removes files in it that are older than
  // kMaxAge: those of a server that is gone. Younger ones may belong to another server on the same
  // directory and stay. kIo with the cause. `now` is replaceable for tests.
  static Result<KeptOutputs> open(const HostPath& directory, Bytes keep_per_call,
                                  std::function<Clock::time_point()> now = Clock::now);

  // A new call of `principal`: its id, 128 random bits in base64url. Nothing is written yet.
  Result<std::string> begin_call(const std::string& principal);
  // Appends the next bytes of one stream ("stdout"), from its beginning; the first write makes the
  // file. Returns how many were kept: fewer when the call's or the principal's space is used up
  // (older calls of the principal go first), 0 for an unknown call. kIo when the disk refuses: what
  // is kept so far remains.
  Result<std::uint64_t> append(const std::string& call_id, const std::string& stream,
                               std::string_view bytes);
  // Forgets one stream: nothing of it was left out after all.
  void discard(const std::string& call_id, const std::string& stream);
  // The call is over: from now on it may be dropped to make room. A call that kept nothing is
  // forgotten.
  void end_call(const std::string& call_id);

  // The kept bytes of a stream. kNotFound when there is none, it is too old, or it belongs to
  // another principal.
  Result<std::string> read(const std::string& principal, const std::string& call_id,
                           const std::string& stream);
  // "output:///ID/STREAM".
  static std::string uri(const std::string& call_id, const std::string& stream);
  // Drops what is older than kMaxAge. Called by begin_call and read; a timer may call it too.
  void sweep();

 private:
  struct Stream {
    Fd file;  // open while the call runs
    std::uint64_t bytes = 0;
  };
  struct Call {
    std::string principal;
    Clock::time_point begun;
    bool running = true;
    std::uint64_t bytes = 0;
    std::map<std::string, Stream> streams;
  };
  using Calls = std::map<std::string, Call>;

  KeptOutputs(Fd directory, Bytes keep_per_call, std::function<Clock::time_point()> now);
  void remove_leftovers();
  void drop(Calls::iterator call);
  std::uint64_t make_room(const Call& call, std::uint64_t wanted);

  Fd directory_;
  std::uint64_t keep_per_call_;
  std::function<Clock::time_point()> now_;
  Calls calls_;
};

}  // namespace cmcp::sandbox
