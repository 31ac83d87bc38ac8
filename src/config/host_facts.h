// HostFacts: what the configuration needs to know about the machine and the starting user. A plain
// value, so that tests can say what the machine is like.
#pragma once

#include <string>

#include "base/types.h"
#include "config/env.h"

namespace cmcp::config {

struct HostFacts {
  Uid uid;                 // effective user of the start
  std::string user_name;   // "" when the user has no name here
  std::string home;        // $HOME, else the user's home directory; "" when there is none
  unsigned cores = 1;      // that this process may use
  bool container = false;  // /.dockerenv, /run/.containerenv or $container
  bool service = false;  // started by systemd with a state directory, or as the user container-mcp
  std::string working_directory;  // for `--workspace .`; never searched for configuration
  std::string machine_directory = "/etc/container-mcp";
};

HostFacts host_facts(const Environment& environment);

}  // namespace cmcp::config
