// A launcher of the benchmark's own, to measure one cold sandbox without protocol and server around
// it.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "json/json.h"

namespace cmcp::bench {

class ColdSandbox {
 public:
  // `helpers` holds cmcp-launcher and cmcp-init; `directory` is made and holds the workspace. After
  // a root start the launcher maps files to `server_uid`, which is not 0 then.
  static Result<std::unique_ptr<ColdSandbox>> create(const HostPath& helpers,
                                                     const std::string& directory, Uid server_uid);
  ~ColdSandbox();
  ColdSandbox(const ColdSandbox&) = delete;
  ColdSandbox& operator=(const ColdSandbox&) = delete;

  // Builds a sandbox of the bash profile, runs /usr/bin/true in it, waits for its end.
  Status run_true();
  // The same with a program of that path in the sandbox, left out of stages().
  Status run_unobserved(const std::string& program);
  // Median time of each step in µs since the launcher received the request, over all runs so far.
  json::Object stages() const;

 private:
  ColdSandbox();
  Status run(const std::string& program);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cmcp::bench
