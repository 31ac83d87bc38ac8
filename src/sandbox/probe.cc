#include "sandbox/probe.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/strings.h"
#include "sandbox/profiles.h"

namespace cmcp::sandbox {
namespace {

constexpr std::string_view kHeader = "cmcp-probe 1";
constexpr std::size_t kMaxDetail = 200;
constexpr std::size_t kMaxOutput = 16384;
// Enough for init and the probe itself, little enough to be touched twice over in some
// milliseconds.
constexpr Bytes kProbeMemory = Bytes::mebi(24);
// Against a probe that hangs; an emulated or busy machine takes its time.
constexpr std::chrono::seconds kProbeTimeout{60};

bool is_limit(Layer layer) {
  return layer == Layer::kMemoryLimit || layer == Layer::kProcessLimit;
}

std::vector<Layer> layers_where(bool limits) {
  std::vector<Layer> layers;
  std::copy_if(std::begin(kLayers), std::end(kLayers), std::back_inserter(layers),
               [limits](Layer layer) { return is_limit(layer) == limits; });
  return layers;
}

std::optional<Layer> layer_named(std::string_view name) {
  for (const Layer layer : kLayers) {
    if (name == name_of(layer)) return layer;
  }
  return std::nullopt;
}

LayerReports all_inactive(const std::vector<Layer>& layers, const std::string& detail) {
  LayerReports reports;
  for (const Layer layer : layers) reports.push_back({layer, false, printable(detail, kMaxDetail)});
  return reports;
}

// "NAME ok|no DETAIL" or nothing.
std::optional<LayerReport> parse_line(std::string_view line) {
  const auto first = line.find(' ');
  if (first == std::string_view::npos) return std::nullopt;
  const auto layer = layer_named(line.substr(0, first));
  const std::string_view rest = line.substr(first + 1);
  if (!layer || rest.size() < 4 || rest[2] != ' ') return std::nullopt;
  const std::string_view answer = rest.substr(0, 2);
  const std::string_view detail = rest.substr(3);
  const bool clean = std::all_of(detail.begin(), detail.end(),
                                 [](unsigned char c) { return c >= ' ' && c < 127; });
  if ((answer != "ok" && answer != "no") || !clean || detail.size() > kMaxDetail)
    return std::nullopt;
  return LayerReport{*layer, answer == "ok", std::string(detail)};
}

std::string namespace_number(const char* name) {
  struct stat info{};
  const std::string path = std::string("/proc/self/ns/") + name;
  return std::to_string(stat(path.c_str(), &info) == 0 ? info.st_ino : 0);
}

std::vector<std::string> layer_arguments(const ProbeContext& context) {
  const uid_t own = getuid();
  // An own id of 1000 cannot be told from the sandbox's by its map.
  const bool forbid = context.nested_user_namespace && own != 1000;
  std::vector<std::string> argv = {kProbeProgram, "layers", forbid ? std::to_string(own) : "-1",
                                   kProbeUnruled};
  for (const char* name : {"ipc", "uts", "net", "cgroup", "pid", "mnt", "user"})
    argv.push_back(namespace_number(name));
  return argv;
}

RunRequest probe_request(const Profile& profile, std::vector<std::string> argv) {
  RunRequest request;
  request.profile = profile.name;
  request.argv = std::move(argv);
  request.timeout = kProbeTimeout;
  request.budget.max_chars = kMaxOutput;
  request.budget.keep = {};
  return request;
}

bool is_whole(const CapturedStream& stream) {
  return !stream.truncated && stream.invalid_bytes == 0;
}

std::string describe_end(const RunOutcome& outcome) {
  switch (outcome.end) {
    case RunOutcome::End::kTimedOut:
      return "the probe did not end in time";
    case RunOutcome::End::kSignaled:
      return fmt::format("the probe was ended by signal {}", outcome.signal);
    case RunOutcome::End::kCancelled:
      return "the probe was cancelled";
    default:
      return fmt::format("the probe ended with {}", outcome.exit_code);
  }
}

Result<LayerReports> reports_of_layers(const RunOutcome& outcome) {
  const auto layers = layers_where(false);
  if (outcome.end == RunOutcome::End::kSandboxFailed)
    return Error(ErrorCode::kUnavailable, outcome.failure);
  if (outcome.end == RunOutcome::End::kNotStarted) {
    // The program is a bind of the sandbox's root: where it is not found, the root is another one.
    LayerReports reports =
        all_inactive(layers, "not probed: the probe's program could not be started");
    for (auto& report : reports) {
      if (report.layer == Layer::kMountNamespace)
        report.detail = "the root is not the sandbox's: it lacks the probe's program";
    }
    return reports;
  }
  if (!is_whole(outcome.out) || outcome.end != RunOutcome::End::kExited || outcome.exit_code != 0) {
    return all_inactive(layers, describe_end(outcome));
  }
  return parse_probe_output(outcome.out.text, layers);
}

LayerReports reports_of_limits(const RunOutcome& outcome) {
  const auto layers = layers_where(true);
  LayerReports reports = is_whole(outcome.out)
                             ? parse_probe_output(outcome.out.text, layers)
                             : all_inactive(layers, "the probe's output is damaged");
  // The kernel may end the whole run instead of the greedy process. That is a limit in force too,
  // if it is what was being tried: the processes were reported before.
  const bool processes_reported =
      std::any_of(reports.begin(), reports.end(), [](const LayerReport& report) {
        return report.layer == Layer::kProcessLimit &&
               report.detail.starts_with("missing") == false;
      });
  const bool killed =
      outcome.limit == LimitKind::kMemory &&
      (outcome.end == RunOutcome::End::kSignaled || outcome.end == RunOutcome::End::kExited);
  for (auto& report : reports) {
    if (report.layer != Layer::kMemoryLimit || report.active) continue;
    if (killed && processes_reported) {
      report = {Layer::kMemoryLimit, true, "the run was ended by its memory limit (cgroup)"};
    } else if (report.detail.starts_with("missing")) {
      report.detail = describe_end(outcome);
    }
  }
  return reports;
}

// In the order of kLayers.
LayerReports in_order(const LayerReports& reports) {
  LayerReports ordered;
  for (const Layer layer : kLayers) {
    const auto found = std::find_if(reports.begin(), reports.end(),
                                    [layer](const auto& r) { return r.layer == layer; });
    ordered.push_back(found != reports.end() ? *found : LayerReport{layer, false, "not probed"});
  }
  return ordered;
}

void start_limits_run(Runner& runner, const Profile& profile, LayerReports layers,
                      const ProbeDone& done) {
  auto request =
      probe_request(profile, {kProbeProgram, "limits", std::to_string(profile.limits.processes),
                              std::to_string(std::min(kProbeMemory, profile.limits.memory).count)});
  request.memory = std::min(kProbeMemory, profile.limits.memory);
  RunEvents events;
  events.done = [layers, done](const RunOutcome& outcome) {
    if (outcome.end == RunOutcome::End::kSandboxFailed) {
      return done(Error(ErrorCode::kUnavailable, outcome.failure));
    }
    LayerReports all = layers;
    for (auto& report : reports_of_limits(outcome)) all.push_back(std::move(report));
    done(in_order(all));
  };
  auto started = runner.start(std::move(request), std::move(events));
  if (!started.ok()) done(started.take_error());
}

}  // namespace

LayerReports parse_probe_output(std::string_view text, const std::vector<Layer>& expected) {
  if (text.size() > kMaxOutput) return all_inactive(expected, "the probe printed too much");
  auto lines = split(text, '\n');
  if (lines.empty() || lines.front() != kHeader)
    return all_inactive(expected, "missing: the probe printed no header");
  lines.erase(lines.begin());
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  std::map<Layer, LayerReport> seen;
  for (const auto& line : lines) {
    const auto report = parse_line(line);
    const bool wanted =
        report && std::find(expected.begin(), expected.end(), report->layer) != expected.end();
    if (!wanted || seen.contains(report->layer)) {
      return all_inactive(expected, "the probe printed an unexpected line: " + printable(line, 80));
    }
    seen.emplace(report->layer, *report);
  }
  LayerReports reports;
  for (const Layer layer : expected) {
    const auto found = seen.find(layer);
    reports.push_back(found != seen.end()
                          ? found->second
                          : LayerReport{layer, false, "missing in the probe's output"});
  }
  return reports;
}

LayerReports merge_reports(const LayerReports& a, const LayerReports& b) {
  LayerReports merged = in_order(a);
  const LayerReports other = in_order(b);
  for (std::size_t i = 0; i < merged.size(); ++i) {
    if (merged[i].active && !other[i].active) merged[i] = other[i];
  }
  return merged;
}

void probe_profile(Runner& runner, const Profile& profile, const ProbeContext& context,
                   ProbeDone done) {
  RunEvents events;
  // The profile is copied: the caller's list may be gone when the first run has ended.
  events.done = [&runner, profile, done](const RunOutcome& outcome) {
    auto layers = reports_of_layers(outcome);
    if (!layers.ok()) return done(layers.take_error());
    if (outcome.end == RunOutcome::End::kNotStarted) return done(in_order(*layers));
    start_limits_run(runner, profile, std::move(*layers), done);
  };
  auto started = runner.start(probe_request(profile, layer_arguments(context)), std::move(events));
  if (!started.ok()) done(started.take_error());
}

}  // namespace cmcp::sandbox
