// AppArmor as the kernel shows it in procfs: the label of the calling process, and the label that
// its next exec gets. Every call goes below `proc`, a descriptor of the root of a real procfs.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace cmcp::os {

// "a//&b (enforce)": the label names one profile or a stack of them; without AppArmor's confinement
// it is "unconfined" and has no mode.
struct AppArmorLabel {
  std::string label;
  std::string mode;  // "enforce", "complain", "mixed", …; "" for "unconfined"

  bool confined() const { return mode != "" && mode != "unconfined"; }
  // Whether the profile `name` is the label or one of the stack.
  bool includes(std::string_view name) const;
};

// What the kernel prints, with or without its newline or NUL.
AppArmorLabel parse_apparmor_label(std::string_view text);

enum class AppArmorAttribute {
  kCurrent,  // read: the label; written: changes it at once
  kExec,     // written: the label of the next program
};
enum class AttributeUse { kRead, kWrite };

// The calling process's attribute. Refuses anything that is mounted over procfs, and a `proc` that
// is no procfs (kUnavailable): what is written there must reach the kernel. kNotFound where the
// kernel has no AppArmor. The descriptor reads the same process after exec too.
Result<Fd> open_apparmor_attribute(int proc, AppArmorAttribute attribute, AttributeUse use);

// The label behind a descriptor of kCurrent. An error (EINVAL) where AppArmor is built in but off.
Result<AppArmorLabel> read_apparmor_label(int attribute);

// Writes one order of the kernel's: "exec PROFILE", "stack PROFILE" or "changeprofile PROFILE".
// ENOENT: the profile is not loaded; EACCES or EPERM: the present label does not allow it.
Status order_apparmor_label(int attribute, const std::string& order);

}  // namespace cmcp::os
