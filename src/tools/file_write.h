// file_write: makes, replaces or appends to a file of the workspace, atomically.
#pragma once

#include "managers/file/file_manager.h"
#include "mcp/tool.h"

namespace cmcp::tools {

// `files` must outlive the tool.
mcp::Tool file_write(file::FileManager& files);

}  // namespace cmcp::tools
