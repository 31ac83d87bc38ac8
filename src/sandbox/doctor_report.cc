#include "sandbox/doctor_report.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "base/utf8.h"

namespace cmcp::sandbox {
namespace {

Level level_in(const DoctorFacts& facts) {
  return facts.failure ? Level::kL0 : level_of(facts.layers);
}

// Every layer has its line even when nothing could be probed.
LayerReports layers_of(const DoctorFacts& facts) {
  LayerReports reports;
  for (const Layer layer : kLayers) {
    LayerReport report{layer, false, "not probed: no sandbox could be started"};
    for (const auto& known : facts.layers) {
      if (known.layer == layer && !facts.failure) report = known;
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

std::string fix_of(const LayerReport& report, const DoctorFacts& facts) {
  if (report.active || facts.failure) return "";
  return diagnose_layer(report, facts.host).fix;
}

// Paths and error texts come from the host and may hold any bytes; JSON may not.
std::string as_text(const std::string& bytes) {
  return utf8::is_valid(bytes) ? bytes : printable(bytes, 4096);
}

json::Array to_array(const std::vector<std::string>& texts) {
  json::Array array;
  for (const auto& text : texts) array.emplace_back(as_text(text));
  return array;
}

}  // namespace

bool doctor_ok(const DoctorFacts& facts) {
  return level_in(facts) >= facts.required;
}

json::Object doctor_json(const DoctorFacts& facts) {
  json::Object object;
  object["level"] = name_of(level_in(facts));
  object["required"] = name_of(facts.required);
  object["ok"] = doctor_ok(facts);
  object["cause"] = nullptr;
  object["fix"] = nullptr;
  if (facts.failure) {
    const Diagnosis diagnosis = diagnose_failure(*facts.failure, facts.host);
    object["cause"] = as_text(diagnosis.cause);
    object["fix"] = as_text(diagnosis.fix);
  }
  object["backend"] = name_of(facts.backend.backend);
  object["backend_version"] = as_text(facts.backend.version);
  object["backend_effects"] = to_array(facts.backend.effects);
  json::Array layers;
  for (const auto& report : layers_of(facts)) {
    json::Object layer;
    layer["name"] = name_of(report.layer);
    layer["active"] = report.active;
    layer["detail"] = as_text(report.detail);
    layer["fix"] = fix_of(report, facts);
    layers.emplace_back(std::move(layer));
  }
  object["layers"] = std::move(layers);
  object["identity"] = facts.identity_mode;
  object["limiter"] = facts.limiter;
  object["limits"] = limits_json(facts.limits);
  json::Object apparmor;
  apparmor["active"] = !facts.apparmor.empty();
  apparmor["label"] = as_text(facts.apparmor);
  apparmor["reason"] = as_text(facts.apparmor_reason);
  object["apparmor"] = std::move(apparmor);
  object["root"] = facts.root_path;
  object["kernel"] = as_text(facts.host.kernel);
  object["landlock_abi"] = facts.host.landlock_abi;
  object["python"] = as_text(facts.python);
  object["missing_commands"] = to_array(facts.missing_commands);
  object["notes"] = to_array(facts.backend.notes);
  object["warnings"] = to_array(facts.warnings);
  return object;
}

std::string doctor_text(const DoctorFacts& facts) {
  std::string text = fmt::format(
      "Sandbox level {} (required: {}): {}\n", name_of(level_in(facts)), name_of(facts.required),
      doctor_ok(facts) ? "commands and code run" : "commands and code are refused");
  if (facts.failure) {
    const Diagnosis diagnosis = diagnose_failure(*facts.failure, facts.host);
    text += fmt::format("  cause: {}\n  fix:   {}\n", diagnosis.cause, diagnosis.fix);
  }
  text += "Layers, each tried in a sandbox just now:\n";
  for (const auto& report : layers_of(facts)) {
    text += fmt::format("  {:<3} {:<18} {}\n", report.active ? "ok" : "NO", name_of(report.layer),
                        report.detail);
    if (const std::string fix = fix_of(report, facts); !fix.empty())
      text += fmt::format("      fix: {}\n", fix);
  }
  const auto line = [&text](std::string_view name, std::string_view value) {
    if (!value.empty()) text += fmt::format("{:<9} {}\n", name, value);
  };
  if (facts.backend.backend != Backend::kNative)
    line("backend", std::string(name_of(facts.backend.backend)) +
                        (facts.backend.version.empty() ? "" : " " + facts.backend.version));
  for (const auto& effect : facts.backend.effects) line("", effect);
  line("identity", facts.identity_mode);
  line("limits", facts.limiter);
  text += limits_text(facts.limits);
  line("apparmor", facts.apparmor.empty() ? "no label: " + facts.apparmor_reason : facts.apparmor);
  line("root", facts.root_path);
  line("kernel", fmt::format("{}, Landlock ABI {}", facts.host.kernel, facts.host.landlock_abi));
  line("python", facts.python.empty() ? "none found: system_run_python is refused" : facts.python);
  if (!facts.missing_commands.empty())
    line("missing", join(facts.missing_commands, ", ") + " (listed, but not installed)");
  for (const auto& note : facts.backend.notes) line("note", note);
  for (const auto& warning : facts.warnings) line("warning", warning);
  return text;
}

}  // namespace cmcp::sandbox
