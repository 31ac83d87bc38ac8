// Memory files that nobody can change any more.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace cmcp::os {

enum class MemfdUse { kData, kProgram };

// A memory file with `content`, sealed against writing, growing, shrinking and further seals; its
// position is 0. kProgram: may be executed (asked for explicitly where the kernel knows MFD_EXEC).
Result<Fd> sealed_memfd(const std::string& name, std::string_view content,
                        MemfdUse use = MemfdUse::kData);

}  // namespace cmcp::os
