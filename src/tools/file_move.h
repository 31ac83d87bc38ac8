// file_move: renames a file, a directory or a link inside the workspace.
#pragma once

#include "managers/file/file_manager.h"
#include "mcp/tool.h"

namespace cmcp::tools {

// `files` must outlive the tool.
mcp::Tool file_move(file::FileManager& files);

}  // namespace cmcp::tools
