// file_list: what a directory of the workspace holds.
#pragma once

#include "managers/file/file_manager.h"
#include "mcp/tool.h"

namespace cmcp::tools {

// `files` must outlive the tool.
mcp::Tool file_list(file::FileManager& files);

}  // namespace cmcp::tools
