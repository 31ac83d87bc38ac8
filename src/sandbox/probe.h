// The start-up probe: runs cmcp-probe in a real sandbox of a profile, which tries the forbidden
// acts, and turns what it prints into one report per layer. Nothing from a sandbox is trusted:
// anything unexpected counts against the layer.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sandbox/helper/profile.h"
#include "sandbox/runner.h"

namespace cmcp::sandbox {

struct LayerReport {
  Layer layer = Layer::kUserNamespace;
  bool active = false;
  std::string detail;  // one line of printable ASCII
};

// One report per entry of kLayers, in that order.
using LayerReports = std::vector<LayerReport>;

using ProbeDone = std::function<void(Result<LayerReports>)>;

// What the sandbox must not share with this server, besides what every profile promises.
struct ProbeContext {
  // The launcher lives in a user namespace of its own (unprivileged start): the sandbox's must be
  // below that one, so its map cannot name this server's uid.
  bool nested_user_namespace = false;
};

// Starts two short runs (the layers; then the limits, with little memory) of `profile`
// ("probe.bash", "probe.python"). `done` is called once, on the reactor thread, never from inside
// this call unless starting fails at once. Error: the sandbox could not be started at all; its
// message is the launcher's, to be explained by diagnose() (level.h).
void probe_profile(Runner& runner, const Profile& profile, const ProbeContext& context,
                   ProbeDone done);

// A layer is active in the merged report when it is in both.
LayerReports merge_reports(const LayerReports& a, const LayerReports& b);

// What cmcp-probe printed -> reports for the layers of `expected`; a line that is missing, doubled,
// unknown or malformed makes its layer (or all of them) inactive, with the reason as detail.
LayerReports parse_probe_output(std::string_view text, const std::vector<Layer>& expected);

}  // namespace cmcp::sandbox
