// StreamBudget: how many event streams may be open at once, over all transports of HTTP.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace cmcp::transport {

class StreamBudget {
 public:
  explicit StreamBudget(std::size_t most) : most_(most) {}
  // Holds a place until destroyed; nullptr when all are taken. Reactor thread only.
  std::shared_ptr<void> take() {
    if (*open_ >= most_) return nullptr;
    ++*open_;
    return {static_cast<void*>(open_.get()), [open = open_](void*) { --*open; }};
  }
  std::size_t open() const { return *open_; }
  std::size_t most() const { return most_; }

 private:
  std::size_t most_;
  std::shared_ptr<std::size_t> open_ = std::make_shared<std::size_t>(0);
};

}  // namespace cmcp::transport
