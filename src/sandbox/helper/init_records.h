// What the launcher takes from the records that its forked child and init send about a run.
#pragma once

#include <string_view>

#include "sandbox/helper/wire.h"

namespace cmcp::sandbox {

// Notes one message (an InitRecord and a text) in `ended`. `heard`: a record that says how the run
// went has come; the first failure is the true one, and nothing takes it back. Anything that is no
// record changes nothing. True when init says that every other process of the sandbox has ended.
bool take_init_record(std::string_view message, wire::Ended& ended, bool& heard);

}  // namespace cmcp::sandbox
