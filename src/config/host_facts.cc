#include "config/host_facts.h"

#include <pwd.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <vector>

namespace cmcp::config {
namespace {

unsigned usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  const int count = CPU_COUNT(&set);
  return count < 1 ? 1U : static_cast<unsigned>(count);
}

bool in_container(const Environment& environment) {
  return !environment.get("container").empty() || ::access("/.dockerenv", F_OK) == 0 ||
         ::access("/run/.containerenv", F_OK) == 0;
}

}  // namespace

HostFacts host_facts(const Environment& environment) {
  HostFacts facts;
  facts.uid = Uid{::geteuid()};
  facts.home = environment.get("HOME");
  std::vector<char> buffer(16384);
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(facts.uid.value, &entry, buffer.data(), buffer.size(), &found) == 0 &&
      found != nullptr) {
    facts.user_name = found->pw_name;
    if (facts.home.empty()) facts.home = found->pw_dir;
  }
  facts.cores = usable_cores();
  facts.container = in_container(environment);
  // systemd sets STATE_DIRECTORY for a unit with StateDirectory=, as ours has.
  facts.service = environment.has("STATE_DIRECTORY") || facts.user_name == "container-mcp";
  std::error_code ignored;
  facts.working_directory = std::filesystem::current_path(ignored).string();
  return facts;
}

}  // namespace cmcp::config
