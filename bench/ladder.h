// The ladder of ways to run one small program: bare, in our sandbox, in the sandboxes that others
// use. One interleaved run, so that every figure has the same noise.
#pragma once

#include <string>

#include "base/result.h"
#include "base/types.h"
#include "json/json.h"

namespace cmcp::bench {

struct LadderOptions {
  HostPath helpers;  // cmcp-launcher and cmcp-init
  std::string
      other_helpers;      // "" or a second build's, measured beside the first: did a change help?
  HostPath nothing;       // cmcp-bench-nothing
  std::string directory;  // an empty one of the caller's, readable by all
  Uid server_uid{0};      // whom files belong to after a root start
  bool peers = true;
  int rounds = 100;
};

// {rows, verdicts, absent: {name: reason}, stages_us_p50: {row: {stage: µs}}}
Result<json::Object> measure_ladder(const LadderOptions& options);

}  // namespace cmcp::bench
