#include "config/describe.h"

#include "base/strings.h"

namespace cmcp::config {
namespace {

std::string default_of(const Setting& row) {
  if (row.default_value.empty())
    return row.default_note.empty() ? "–" : std::string(row.default_note);
  std::string text = "`" + std::string(row.default_value) + "`";
  if (!row.default_note.empty()) text += " (" + std::string(row.default_note) + ")";
  return text;
}

std::string without_backticks(std::string text) {
  std::erase(text, '`');
  return text;
}

std::string remark(const Setting& row) {
  if (!row.built) return " Not built yet: setting it stops the start.";
  if (!row.unbuilt_choices.empty()) {
    return " Not built yet: " + join(split_list(row.unbuilt_choices), ", ") + ".";
  }
  return "";
}

}  // namespace

std::string allowed(const Setting& setting) {
  switch (setting.type) {
    case Type::kInteger:
      return "a whole number from " + std::to_string(setting.minimum) + " to " +
             std::to_string(setting.maximum);
    case Type::kFlag:
      return "true or false (also 1 or 0, yes or no, on or off)";
    case Type::kList:
      return "a list separated by commas";
    case Type::kPath:
      return "an absolute path";
    case Type::kText:
      break;
  }
  if (!setting.choices.empty()) return "one of " + join(split_list(setting.choices), ", ");
  return setting.secret ? "printable ASCII without spaces" : "text without control characters";
}

std::string describe(const Settings& settings) {
  std::string out;
  for (const Setting& row : table()) {
    std::string value = printable(settings.shown(row.name), 1000);
    if (value.empty())
      value = row.default_note.empty() ? "(empty)" : "(" + std::string(row.default_note) + ")";
    out += std::string(row.name) + " = " + value + "\n";
    out += "    from: " + settings.origin(row.name) + "\n";
    out += "    " + without_backticks(std::string(row.meaning) + remark(row)) + "\n";
    out +=
        "    allowed: " + allowed(row) + "; default: " + without_backticks(default_of(row)) + "\n";
  }
  return out;
}

std::string markdown() {
  std::string out =
      "# Configuration\n\n"
      "Generated from the settings table (`src/config/table.cc`); a test compares. `container-mcp "
      "config` prints every\n"
      "setting with the value that holds and where it came from.\n\n"
      "The command line wins over the environment, the environment over files. Files, the "
      "strongest first:\n\n"
      "1. `--config FILE` (several: the last wins),\n"
      "2. the files of `$CMCP_CONFIG`, separated by `:` (the last wins),\n"
      "3. `$XDG_CONFIG_HOME/container-mcp/*.env` (else `~/.config/container-mcp/*.env`),\n"
      "4. `/etc/container-mcp/*.env`.\n\n"
      "The current directory is never searched: an editor starts the server inside whatever "
      "repository is open. `bin/run`\n"
      "names the checkout's `config/default.env`, `config/custom.env` and "
      "`volume/config/custom.env`.\n\n"
      "A file has lines `NAME=value`; `export` before the name, quotes around the value and "
      "comments after `#` are\n"
      "understood, and nothing is expanded. A file is refused that lies below a workspace, is "
      "owned by anyone but root or\n"
      "the starting user, or is writable by others (by a group, unless it is the owner's own). An "
      "unknown name with one of\n"
      "our prefixes is a warning, with `--strict-config` an error. A bad value stops the start.\n\n"
      "| name | default | allowed | meaning |\n|---|---|---|---|\n";
  for (const Setting& row : table()) {
    out += "| `" + std::string(row.name) + "` | " + default_of(row) + " | " + allowed(row) + " | " +
           std::string(row.meaning) + (row.secret ? " Secret: never shown." : "") + remark(row) +
           " |\n";
  }
  return out;
}

std::string default_env() {
  std::string out =
      "# The settings of Container-MCP with their defaults, all commented out. Generated from the "
      "settings table; put your\n"
      "# own values into config/custom.env, which wins over this file.\n";
  for (const Setting& row : table()) {
    out += "\n# " + without_backticks(std::string(row.meaning) + remark(row)) + "\n";
    out += "# Allowed: " + allowed(row) + ".\n";
    if (!row.default_note.empty()) out += "# Default: " + without_backticks(default_of(row)) + "\n";
    out += "#" + std::string(row.name) + "=" + std::string(row.default_value) + "\n";
  }
  return out;
}

}  // namespace cmcp::config
