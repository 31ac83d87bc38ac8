// LevelGate: lets runs through once the start-up probe has shown that the sandbox is what
// SANDBOX_REQUIRE asks for. Until the probe has ended runs wait; afterwards they start at once, or
// are all refused with its cause and fix.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "base/result.h"
#include "sandbox/runner.h"

namespace cmcp::sandbox {

class LevelGate final : public Runner {
 public:
  // `inner` outlives the gate.
  explicit LevelGate(Runner& inner) : inner_(inner) {}

  // The probe's verdict, once: success starts what waits; an error (kUnavailable, with cause and
  // fix) refuses it.
  void decide(Status verdict);
  bool decided() const { return verdict_.has_value(); }

  // As Runner::start. A run that had to wait and could not be started ends with kSandboxFailed and
  // the reason.
  Result<std::shared_ptr<RunHandle>> start(RunRequest request, RunEvents events) override;

 private:
  class Waiting;
  void start_waiting(const std::shared_ptr<Waiting>& waiting);

  Runner& inner_;
  std::optional<Status> verdict_;
  std::deque<std::shared_ptr<Waiting>> waiting_;
};

}  // namespace cmcp::sandbox
