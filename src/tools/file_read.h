// file_read: the text (or raw bytes) of a file of the workspace, in pages of whole lines.
#pragma once

#include "managers/file/file_manager.h"
#include "mcp/tool.h"

namespace cmcp::tools {

// `files` must outlive the tool.
mcp::Tool file_read(file::FileManager& files);

}  // namespace cmcp::tools
