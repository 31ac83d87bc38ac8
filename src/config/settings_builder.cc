#include "config/settings_builder.h"

#include <cstdlib>
#include <optional>

#include "base/strings.h"
#include "config/describe.h"

namespace cmcp::config {
namespace {

std::optional<bool> parse_flag(std::string_view text) {
  for (const char* yes : {"true", "1", "yes", "on"}) {
    if (equals_ignore_case(text, yes)) return true;
  }
  for (const char* no : {"false", "0", "no", "off"}) {
    if (equals_ignore_case(text, no)) return false;
  }
  return std::nullopt;
}

// The word of `choices` that `text` is, in the table's spelling.
std::optional<std::string> choose(std::string_view choices, std::string_view text) {
  for (const std::string& choice : split_list(choices)) {
    if (equals_ignore_case(choice, text)) return choice;
  }
  return std::nullopt;
}

bool has_control_characters(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return true;
  }
  return false;
}

bool is_token(std::string_view text) {
  for (const char c : text) {
    if (c <= 0x20 || c >= 0x7F) return false;
  }
  return true;
}

Error bad_value(const Setting& row, std::string_view text, std::string_view where,
                std::string_view reason = {}) {
  std::string message = std::string(row.name) + (row.secret ? "" : "=" + printable(text)) + ": ";
  if (!reason.empty()) message += std::string(reason) + "; ";
  message += "allowed is " + allowed(row) + ". It was set by: " + std::string(where) + ".";
  return {ErrorCode::kInvalidArgument, message};
}

Error not_built(std::string_view name, std::string_view detail, std::string_view where) {
  return {ErrorCode::kUnsupported, "not built yet: " + std::string(name) + std::string(detail) +
                                       ". Remove it; it was set by: " + std::string(where) + "."};
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? "" : path.substr(0, slash);
}

std::string default_sandbox_root(const HostFacts& host, const Environment& environment,
                                 bool container) {
  if (container) return "/app/sandbox";
  if (host.service) return "/var/lib/container-mcp/sandbox";
  std::string data_home = environment.get("XDG_DATA_HOME");
  // The XDG specification: a relative path is to be ignored.
  if (data_home.empty() || data_home.front() != '/') {
    if (host.home.empty() || host.home.front() != '/') return "/var/lib/container-mcp/sandbox";
    data_home = (host.home == "/" ? "" : host.home) + "/.local/share";
  }
  return data_home + "/container-mcp/sandbox";
}

}  // namespace

SettingsBuilder::SettingsBuilder() {
  for (const Setting& row : table()) {
    settings_.values_[std::string(row.name)] = {};
    if (row.default_value.empty()) continue;
    // A default that its own row refuses is a defect of the table.
    if (!set(row.name, row.default_value, "default").ok()) std::abort();
  }
}

Status SettingsBuilder::set(std::string_view name, std::string_view text, std::string_view origin,
                            std::string_view where) {
  if (where.empty()) where = origin;
  const Setting* row = find(name);
  if (row == nullptr) {
    return Error(ErrorCode::kInvalidArgument, "There is no setting " + printable(name) +
                                                  ". It was set by: " + std::string(where) + ".");
  }
  Settings::Value value;
  value.origin = std::string(origin);
  const std::string_view stripped = strip(text);
  switch (row->type) {
    case Type::kText:
    case Type::kPath: {
      value.text = std::string(stripped);
      if (has_control_characters(value.text))
        return bad_value(*row, text, where, "it has control characters");
      if (row->secret && !is_token(value.text))
        return bad_value(*row, text, where, "it has other characters");
      if (row->type == Type::kPath && !value.text.empty() && value.text.front() != '/') {
        return bad_value(*row, text, where, "the path is not absolute");
      }
      if (!row->choices.empty()) {
        const std::optional<std::string> choice = choose(row->choices, value.text);
        if (!choice) return bad_value(*row, text, where);
        if (choose(row->unbuilt_choices, *choice)) return not_built(name, "=" + *choice, where);
        value.text = *choice;
      }
      break;
    }
    case Type::kInteger: {
      const std::optional<std::int64_t> number = parse_int(stripped);
      if (!number || *number < row->minimum || *number > row->maximum)
        return bad_value(*row, text, where);
      value.integer = *number;
      break;
    }
    case Type::kFlag: {
      const std::optional<bool> yes = parse_flag(stripped);
      if (!yes) return bad_value(*row, text, where);
      value.flag = *yes;
      break;
    }
    case Type::kList: {
      if (has_control_characters(stripped))
        return bad_value(*row, text, where, "it has control characters");
      value.list = split_list(stripped);
      break;
    }
  }
  Settings::Value& current = settings_.values_.find(name)->second;
  if (!row->built && origin != "default") {
    const bool same = value.text == current.text && value.integer == current.integer &&
                      value.flag == current.flag && value.list == current.list;
    if (!same) return not_built(name, "", where);
  }
  current = std::move(value);
  return {};
}

SettingsBuilder& SettingsBuilder::with(std::string_view name, std::string_view text) {
  if (!set(name, text, "test").ok()) std::abort();
  return *this;
}

Settings SettingsBuilder::build(const HostFacts& host, const Environment& environment) const {
  Settings settings = settings_;
  const auto unset = [&settings](std::string_view name) -> Settings::Value* {
    Settings::Value& value = settings.values_.find(name)->second;
    return value.origin == "default" || (value.text.empty() && find(name)->type == Type::kPath)
               ? &value
               : nullptr;
  };
  if (Settings::Value* value = unset("CONTAINER")) value->flag = host.container;
  if (Settings::Value* value = unset("SANDBOX_ROOT")) {
    value->text = default_sandbox_root(host, environment, settings.flag("CONTAINER"));
  }
  const std::string beside = parent_of(settings.text("SANDBOX_ROOT"));
  if (Settings::Value* value = unset("DATA_DIR")) value->text = beside + "/data";
  if (Settings::Value* value = unset("STATE_DIR")) value->text = beside + "/state";
  if (Settings::Value* value = unset("TEMP_DIR")) value->text = beside + "/temp";
  if (Settings::Value* value = unset("MCP_SESSION_KEY_FILE"))
    value->text = settings.text("STATE_DIR") + "/session.key";
  if (Settings::Value* value = unset("MCP_MAX_BODY_MB"))
    value->integer = 2 * settings.integer("FILE_MAX_SIZE_MB") + 1;
  if (Settings::Value* value = unset("SANDBOX_MAX_RUNS"))
    value->integer = 4 * static_cast<std::int64_t>(host.cores);
  return settings;
}

Status check_together(const Settings& settings) {
  for (const std::string prefix : {"BASH", "PYTHON"}) {
    const std::string name = prefix + "_TIMEOUT_DEFAULT";
    const std::int64_t usual = settings.integer(name);
    const std::int64_t most = settings.integer(prefix + "_TIMEOUT_MAX");
    if (usual > most) {
      return Error(ErrorCode::kInvalidArgument,
                   name + "=" + std::to_string(usual) + " is above " + prefix + "_TIMEOUT_MAX=" +
                       std::to_string(most) + ": lower the one or raise the other.");
    }
  }
  return {};
}

}  // namespace cmcp::config
