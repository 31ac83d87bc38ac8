#include "app/backend.h"

#include "sandbox/bwrap.h"

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

}  // namespace

Result<sandbox::BackendChoice> choose_backend(const config::Settings& settings,
                                              const config::WorkspaceLayout& layout,
                                              const TestSwitches&) {
  sandbox::BackendChoice choice;
  CMCP_TRY(choice.backend, sandbox::parse_backend(settings.text("SANDBOX_BACKEND")));
  CMCP_TRY(const sandbox::Level required, sandbox::parse_level(settings.text("SANDBOX_REQUIRE")));
  CMCP_CHECK_OK(sandbox::check_required(choice.backend, required));
  if (choice.backend == sandbox::Backend::kBwrap) CMCP_CHECK_OK(take_bwrap(choice, layout));
  return choice;
}

}  // namespace cmcp::app
