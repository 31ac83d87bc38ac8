// EndedSessions: the sessions that were ended before their ids expire. Without it an ended id,
// being authentic, would come to life again. Kept in memory and appended to a file, so that it
// holds across a restart.
#pragma once

#include <string>
#include <unordered_map>

#include "base/fd.h"
#include "base/types.h"
#include "transport/session_ids.h"

namespace cmcp::transport {

class EndedSessions {
 public:
  // `path` empty: memory only. What cannot be read or written is logged and otherwise ignored.
  EndedSessions(HostPath path, WallTime now);

  // Remembers `nonce` until `expiry`.
  void add(const std::string& nonce, WallTime expiry);
  bool contains(const std::string& nonce) const { return ended_.contains(nonce); }
  // Forgets what has expired.
  void sweep(WallTime now);
  std::size_t size() const { return ended_.size(); }

 private:
  void load(WallTime now);
  void rewrite();
  void open_for_append();

  HostPath path_;
  Fd file_;
  std::unordered_map<std::string, WallTime> ended_;
  std::size_t lines_ = 0;
};

}  // namespace cmcp::transport
