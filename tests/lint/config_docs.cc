// Prints what is generated from the settings table: config_docs FILE, where FILE is the name of the
// generated file.
#include <cstdio>
#include <string>

#include "config/describe.h"
#include "config/settings.h"

namespace {

// The settings and words whose work is not built yet. The list is golden: it only becomes shorter.
std::string not_built() {
  std::string out;
  for (const cmcp::config::Setting& row : cmcp::config::table()) {
    if (!row.built) out += std::string(row.name) + "\n";
    if (!row.unbuilt_choices.empty()) {
      out += std::string(row.name) + "=" + std::string(row.unbuilt_choices) + "\n";
    }
  }
  return out;
}

// Names and defaults: a new or changed setting is a reviewed difference.
std::string settings() {
  std::string out;
  for (const cmcp::config::Setting& row : cmcp::config::table()) {
    out += std::string(row.name) + "=" + std::string(row.default_value) +
           (row.secret ? "  secret" : "") + "\n";
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc == 2 ? argv[1] : "";
  std::string text;
  if (what == "configuration.md") {
    text = cmcp::config::markdown();
  } else if (what == "default.env") {
    text = cmcp::config::default_env();
  } else if (what == "not_built_settings.txt") {
    text = not_built();
  } else if (what == "settings.txt") {
    text = settings();
  } else {
    std::fputs(
        "usage: config_docs configuration.md|default.env|not_built_settings.txt|settings.txt\n",
        stderr);
    return 2;
  }
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}
