// The AppArmor label of payloads: container-mcp//bash or container-mcp//python, where the kernel
// has AppArmor and those profiles are loaded (deploy/apparmor). An unconfined launcher's children
// change into it; a confined launcher's can only stack it on their own, which is all that
// no_new_privs permits.
#pragma once

#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace cmcp::sandbox {

// "container-mcp//python" for "python" and "probe.python"; "container-mcp//bash" for all else.
std::string apparmor_profile_of(const std::string& profile);

struct PayloadLabel {
  std::string order;     // what is written before init is executed: "exec container-mcp//bash"
  std::string expected;  // what init must then read back, without the mode
  std::string mode;      // "enforce", "complain", "mixed"
};

// The outcome for one profile: a label, or why there is none (which is no error).
struct LabelChoice {
  std::optional<PayloadLabel> label;
  std::string reason;  // "" with a label
};

// Finds out by doing it in a short-lived child: takes the label and reads it back. `proc` is the
// launcher's procfs. No AppArmor, or profiles that are not loaded: no label and the reason. An
// error where the profile is loaded and cannot be taken: then nothing may run.
Result<LabelChoice> choose_label(int proc, const std::string& apparmor_profile);

// For the sandbox's child. Opened while procfs is the launcher's; used after the last step that
// needs rights.
class LabelOfNextExec {
 public:
  static Result<LabelOfNextExec> open(int proc);
  // The label of the next program that this process executes.
  Status set(const PayloadLabel& label) const;
  // Reads the label of this process, now and after exec: init's descriptor kLabelFd.
  int current() const { return current_.get(); }

 private:
  Fd exec_;
  Fd current_;
};

}  // namespace cmcp::sandbox
