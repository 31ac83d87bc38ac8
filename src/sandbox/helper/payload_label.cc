#include "sandbox/helper/payload_label.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "os/apparmor.h"
#include "os/error.h"
#include "os/file.h"
#include "sandbox/helper/init_abi.h"

namespace cmcp::sandbox {
namespace {

using os::AppArmorAttribute;
using os::AttributeUse;

// In the child: takes the label at once and sends what it reads back, or the number of the error.
[[noreturn]] void try_label(int proc, const std::string& order, int answer) {
  const auto attempt = [&]() -> Result<os::AppArmorLabel> {
    // Opened before: the new label may not allow it.
    CMCP_TRY(const Fd current,
             os::open_apparmor_attribute(proc, AppArmorAttribute::kCurrent, AttributeUse::kRead));
    CMCP_TRY(const Fd change,
             os::open_apparmor_attribute(proc, AppArmorAttribute::kCurrent, AttributeUse::kWrite));
    CMCP_CHECK_OK(os::order_apparmor_label(change.get(), order));
    return os::read_apparmor_label(current.get());
  };
  const auto label = attempt();
  const std::string text = label.ok() ? "=" + label->label + " (" + label->mode + ")"
                                      : "!" + std::to_string(label.error().os_errno());
  (void)os::write_all(answer, text);
  ::_exit(0);
}

struct Tried {
  os::AppArmorLabel label;
  int error = 0;
};

Result<Tried> try_in_child(int proc, const std::string& order) {
  CMCP_TRY(os::Pipe pipe, os::make_pipe());
  const pid_t child = ::fork();
  if (child < 0) return os::last_error("fork");
  if (child == 0) try_label(proc, order, pipe.write_end.get());
  pipe.write_end.reset();
  auto answer = os::read_all(pipe.read_end.get(), 4096);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (!answer.ok()) return answer.take_error();
  Tried tried;
  if (answer->starts_with("=")) {
    tried.label = os::parse_apparmor_label(std::string_view(*answer).substr(1));
  } else {
    tried.error = answer->size() > 1 ? std::atoi(answer->c_str() + 1) : EPROTO;
  }
  return tried;
}

LabelChoice none(const std::string& reason) {
  return {std::nullopt, reason};
}

Error not_taken(const std::string& profile, const os::AppArmorLabel& own, int error) {
  return Error(ErrorCode::kUnavailable,
               "the AppArmor profile " + profile + " is loaded, but the launcher, whose label is " +
                   own.label + ", cannot give it to sandboxes: let that profile have " +
                   "\"change_profile -> &" + profile + ",\" (deploy/apparmor), or unload " +
                   "container-mcp's profiles",
               error);
}

}  // namespace

std::string apparmor_profile_of(const std::string& profile) {
  return profile == "python" || profile.ends_with(".python") ? "container-mcp//python"
                                                             : "container-mcp//bash";
}

Result<LabelChoice> choose_label(int proc, const std::string& apparmor_profile) {
  const auto current =
      os::open_apparmor_attribute(proc, AppArmorAttribute::kCurrent, AttributeUse::kRead);
  if (!current.ok()) return none("this kernel has no AppArmor");
  const auto own = os::read_apparmor_label(current->get());
  if (!own.ok() || own->label.empty()) return none("AppArmor is not enabled in this kernel");
  const bool stack = own->confined();
  CMCP_TRY(const Tried tried,
           try_in_child(proc, (stack ? "stack " : "changeprofile ") + apparmor_profile));
  if (tried.error == ENOENT)
    return none("AppArmor is enabled, but the profile " + apparmor_profile +
                " is not loaded (bin/apparmor-profile)");
  if (tried.error != 0 || !tried.label.includes(apparmor_profile))
    return not_taken(apparmor_profile, *own, tried.error);
  if (tried.label.label.size() >= kMaxLabel)
    return none("the label " + tried.label.label + " is too long");
  return LabelChoice{PayloadLabel{(stack ? "stack " : "exec ") + apparmor_profile,
                                  tried.label.label, tried.label.mode},
                     ""};
}

Result<LabelOfNextExec> LabelOfNextExec::open(int proc) {
  LabelOfNextExec next;
  CMCP_TRY(next.exec_,
           os::open_apparmor_attribute(proc, AppArmorAttribute::kExec, AttributeUse::kWrite));
  CMCP_TRY(next.current_,
           os::open_apparmor_attribute(proc, AppArmorAttribute::kCurrent, AttributeUse::kRead));
  return next;
}

Status LabelOfNextExec::set(const PayloadLabel& label) const {
  return os::order_apparmor_label(exec_.get(), label.order);
}

}  // namespace cmcp::sandbox
