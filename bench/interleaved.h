// The interleaved runner: every row once a round, in an order that changes, so that noise falls on
// all rows alike. What counts are ratios of medians within one run; absolute figures are this
// machine's.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/json.h"

namespace cmcp::bench {

struct Row {
  std::string name;
  std::string baseline;          // name of another row; "" for a baseline itself
  double goal = 0;               // largest ratio to the baseline that meets the goal; 0 = none
  std::function<Status()> once;  // one measured execution
};

struct Measured {
  std::string name;
  std::vector<double> microseconds;  // sorted
  double percentile(double fraction) const;
};

// Runs `rounds` rounds after `warm_up` unmeasured ones. The first failure ends the run and names
// its row.
Result<std::vector<Measured>> run_interleaved(std::vector<Row>& rows, int warm_up, int rounds);

// {name, p10_us, p50_us, p99_us, n, baseline, ratio_p50, goal, verdict} for each row.
json::Array report(const std::vector<Row>& rows, const std::vector<Measured>& measured);

}  // namespace cmcp::bench
