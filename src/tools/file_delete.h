// file_delete: deletes a file, a link, or a directory with all it holds.
#pragma once

#include "managers/file/file_manager.h"
#include "mcp/tool.h"

namespace cmcp::tools {

// `files` must outlive the tool.
mcp::Tool file_delete(file::FileManager& files);

}  // namespace cmcp::tools
