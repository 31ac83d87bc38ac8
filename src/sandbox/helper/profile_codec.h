// Profiles and workspace roots as bytes. Decoding takes any bytes: it fails, it never crashes.
#pragma once

#include <string>

#include "base/result.h"
#include "sandbox/helper/bytes.h"
#include "sandbox/helper/profile.h"

namespace cmcp::sandbox {

void encode(ByteWriter& writer, const Profile& profile);
// On bad input the reader has failed and the value means nothing.
Profile decode_profile(ByteReader& reader);

void encode(ByteWriter& writer, const WorkspaceRoot& root);
WorkspaceRoot decode_workspace_root(ByteReader& reader);

}  // namespace cmcp::sandbox
