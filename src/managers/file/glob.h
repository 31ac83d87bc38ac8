// Glob: patterns over names and paths: `*`, `?`, `[a-z]`, `[!a-z]`, and `**` for any number of
// directories.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cmcp::file {

class Glob {
 public:
  explicit Glob(std::string_view pattern);

  // A pattern without `/` is matched against the name, else against the path relative to where the
  // search began. Case counts. A `[` that is not closed stands for itself.
  bool matches(std::string_view name, std::string_view path) const;

 private:
  bool by_name_;
  std::vector<std::string> segments_;
};

}  // namespace cmcp::file
