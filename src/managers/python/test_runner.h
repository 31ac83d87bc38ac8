// For tests of this room: a Runner without a sandbox. It really runs the program, in a process
// group of its own, with the descriptors, the output capture and the timeout of the contract;
// start() returns when the run is over.
#pragma once

#include <memory>
#include <string>

#include "sandbox/runner.h"

namespace cmcp::managers {

class TestRunner : public sandbox::Runner {
 public:
  explicit TestRunner(std::string workspace) : workspace_(std::move(workspace)) {}
  Result<std::shared_ptr<sandbox::RunHandle>> start(sandbox::RunRequest request,
                                                    sandbox::RunEvents events) override;

  int starts = 0;
  sandbox::RunRequest last;      // the latest request
  Bytes data_limit;              // RLIMIT_DATA when not 0
  std::optional<Error> refusal;  // what start() answers instead

 private:
  std::string workspace_;
};

}  // namespace cmcp::managers
