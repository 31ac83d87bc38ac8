// Resources: resources/read of workspace files (file:///PATH and the original's file://PATH) and of
// kept outputs (output:///ID/STREAM), each as the principal that asks may see them.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "managers/file/file_manager.h"
#include "mcp/engine.h"

namespace cmcp::tools {

class Resources : public mcp::ResourceReader {
 public:
  // `files` must outlive this and its reads in progress.
  explicit Resources(file::FileManager& files) : files_(files) {}

  // Text that is UTF-8 comes as text, else as a blob. kNotFound, kInvalidArgument (not one of the
  // three forms, bad percent encoding), kLimitExceeded (FILE_MAX_SIZE_MB); the path and extension
  // rules are those of file_read.
  void read(const auth::Principal& principal, const std::string& uri,
            std::function<void(Result<mcp::ResourceContent>)> done) override;

  // The workspace path of a file URI, percent-decoded. kInvalidArgument.
  static Result<std::string> file_path(std::string_view uri);

 private:
  file::FileManager& files_;
};

}  // namespace cmcp::tools
