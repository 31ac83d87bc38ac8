// CancelFlag: set by whoever gives up a file operation, read by long walks between two entries.
#pragma once

#include <atomic>
#include <memory>

namespace cmcp::file {

class CancelFlag {
 public:
  void set() { set_.store(true, std::memory_order_relaxed); }
  bool is_set() const { return set_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> set_{false};
};

}  // namespace cmcp::file
