// ScopeGuard: runs a function when the scope ends, unless dismissed.
#pragma once

#include <utility>

namespace cmcp {

template <typename F>
class [[nodiscard]] ScopeGuard {
 public:
  explicit ScopeGuard(F action) : action_(std::move(action)) {}
  ScopeGuard(const ScopeGuard&) = delete;
  ScopeGuard& operator=(const ScopeGuard&) = delete;
  ~ScopeGuard() {
    if (armed_) action_();
  }
  void dismiss() { armed_ = false; }

 private:
  F action_;
  bool armed_ = true;
};

}  // namespace cmcp
