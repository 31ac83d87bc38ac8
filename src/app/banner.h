// What `serve` prints for the person who started it: the URLs that work, the sandbox level, client
// configurations.
#pragma once

#include <string>
#include <vector>

#include "sandbox/doctor_report.h"

namespace cmcp::app {

struct BannerFacts {
  std::string version;
  std::vector<std::string> urls;  // "http://127.0.0.1:8000"
  bool authenticated = false;
  std::vector<std::string> workspaces;
  sandbox::DoctorFacts sandbox;
};

// Several lines, each ended by \n; no secret in them.
std::string banner(const BannerFacts& facts);

}  // namespace cmcp::app
