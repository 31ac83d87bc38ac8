#include "sandbox/level_gate.h"

#include <utility>

namespace cmcp::sandbox {
namespace {

// More than this many runs never wait for the probe: it takes milliseconds.
constexpr std::size_t kMaxWaiting = 256;

RunOutcome ended(RunOutcome::End end, std::string failure) {
  RunOutcome outcome;
  outcome.end = end;
  outcome.failure = std::move(failure);
  return outcome;
}

}  // namespace

// A run that came before the verdict: the handle that its caller holds.
class LevelGate::Waiting final : public RunHandle {
 public:
  Waiting(RunRequest request, RunEvents events)
      : request_(std::move(request)), events_(std::move(events)) {}

  void cancel() override {
    if (inner_) {
      inner_->cancel();
    } else {
      cancelled_ = true;
    }
  }

 private:
  friend class LevelGate;
  RunRequest request_;
  RunEvents events_;
  bool cancelled_ = false;
  std::shared_ptr<RunHandle> inner_;
};

Result<std::shared_ptr<RunHandle>> LevelGate::start(RunRequest request, RunEvents events) {
  if (verdict_) {
    if (!verdict_->ok()) return verdict_->error();
    return inner_.start(std::move(request), std::move(events));
  }
  if (waiting_.size() >= kMaxWaiting) {
    return Error(ErrorCode::kBusy,
                 "the server is starting and too many runs wait for it; try again in a moment");
  }
  waiting_.push_back(std::make_shared<Waiting>(std::move(request), std::move(events)));
  return std::shared_ptr<RunHandle>(waiting_.back());
}

void LevelGate::decide(Status verdict) {
  verdict_ = std::move(verdict);
  for (const std::shared_ptr<Waiting>& waiting : std::exchange(waiting_, {}))
    start_waiting(waiting);
}

void LevelGate::start_waiting(const std::shared_ptr<Waiting>& waiting) {
  const auto done = waiting->events_.done;
  if (waiting->cancelled_) {
    done(ended(RunOutcome::End::kCancelled, "the run was cancelled before it started"));
    return;
  }
  if (!verdict_->ok()) {
    done(ended(RunOutcome::End::kSandboxFailed, verdict_->error().message()));
    return;
  }
  auto started = inner_.start(std::move(waiting->request_), std::move(waiting->events_));
  if (started.ok()) {
    waiting->inner_ = std::move(started).value();
  } else {
    RunOutcome outcome = ended(RunOutcome::End::kSandboxFailed, started.error().message());
    outcome.failure_code = started.error().code();
    done(std::move(outcome));
  }
}

}  // namespace cmcp::sandbox
