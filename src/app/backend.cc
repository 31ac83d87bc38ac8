#include "app/backend.h"

#include "sandbox/bwrap.h"
#include "sandbox/firejail.h"

namespace cmcp::app {
namespace {

Status take_bwrap(sandbox::BackendChoice& choice, const config::WorkspaceLayout& layout) {
  std::vector<sandbox::WorkspaceRoot> roots;
  for (const config::WorkspaceMount& mount : layout.mounts)
    roots.push_back({mount.path, mount.name, mount.read_only});
  CMCP_CHECK_OK(sandbox::check_bwrap_workspaces(roots));
  CMCP_TRY(sandbox::Bwrap bwrap, sandbox::find_bwrap());
  choice.version = sandbox::text_of(bwrap.version);
  choice.bwrap_disable_userns = bwrap.disable_userns;
  choice.notes = std::move(bwrap.notes);
  return {};
}

Status take_firejail(sandbox::BackendChoice& choice, const TestSwitches& switches) {
  sandbox::FirejailHost host = sandbox::read_firejail_host();
  if (switches.in_container) host.kernel_processes = false;
  if (!switches.no_container_check) CMCP_CHECK_OK(sandbox::judge_firejail_host(host));
  CMCP_TRY(choice.version, sandbox::find_firejail(host.root));
  choice.notes.push_back(
      "within Firejail no cgroup can be reached: memory and processes are limited by rlimits and "
      "the watchdog");
  return {};
}

}  // namespace

Result<sandbox::BackendChoice> choose_backend(const config::Settings& settings,
                                              const config::WorkspaceLayout& layout,
                                              const TestSwitches& switches) {
  sandbox::BackendChoice choice;
  CMCP_TRY(choice.backend, sandbox::parse_backend(settings.text("SANDBOX_BACKEND")));
  CMCP_TRY(const sandbox::Level required, sandbox::parse_level(settings.text("SANDBOX_REQUIRE")));
  CMCP_CHECK_OK(sandbox::check_required(choice.backend, required));
  if (choice.backend == sandbox::Backend::kBwrap) CMCP_CHECK_OK(take_bwrap(choice, layout));
  if (choice.backend == sandbox::Backend::kFirejail) CMCP_CHECK_OK(take_firejail(choice, switches));
  return choice;
}

Status verify_backend(sandbox::BackendChoice& choice, const os::Confinement& before,
                      const sandbox::LauncherFacts& launcher) {
  if (choice.backend != sandbox::Backend::kFirejail) return {};
  CMCP_TRY(choice.effects, sandbox::firejail_effects(before, launcher.before));
  return {};
}

}  // namespace cmcp::app
