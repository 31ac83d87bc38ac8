#include "managers/file/file_manager.h"

#include <optional>
#include <utility>

namespace cmcp::file {
namespace {

constexpr std::string_view kKeptPrefix = "output:///";

bool is_plain(std::string_view text) {
  return !text.empty() && text.size() <= 128 &&
         text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
             std::string_view::npos;
}

}  // namespace

WorkspaceFor shared_workspace(Workspace workspace) {
  auto shared = std::make_shared<const Workspace>(std::move(workspace));
  return [shared](const auth::Principal&) -> Result<std::shared_ptr<const Workspace>> {
    return shared;
  };
}

bool is_kept_output(std::string_view path) {
  return path.starts_with("output:");
}

Result<KeptName> parse_kept_output(std::string_view path) {
  if (path.starts_with(kKeptPrefix)) {
    const std::string_view rest = path.substr(kKeptPrefix.size());
    const std::size_t slash = rest.find('/');
    const std::string_view id = rest.substr(0, slash);
    const std::string_view stream = slash == std::string_view::npos ? "" : rest.substr(slash + 1);
    if (is_plain(id) && is_plain(stream)) return KeptName{std::string(id), std::string(stream)};
  }
  return Error(ErrorCode::kInvalidArgument,
               "Malformed kept output: " + shown(path) +
                   " (it is output:///ID/STREAM, as `kept` of a result names it)");
}

FileOptions options_from(const config::Settings& settings) {
  FileOptions options;
  options.max_size = Bytes::mebi(static_cast<std::uint64_t>(settings.integer("FILE_MAX_SIZE_MB")));
  options.allowed_extensions = settings.list("FILE_ALLOWED_EXTENSIONS");
  options.read_extensions = settings.list("FILE_READ_EXTENSIONS");
  options.output_max_chars = static_cast<std::size_t>(settings.integer("OUTPUT_MAX_CHARS"));
  options.state_dir = HostPath{settings.text("STATE_DIR")};
  return options;
}

Result<std::unique_ptr<FileManager>> FileManager::create(const FileOptions& options,
                                                         WorkspaceFor workspace_for,
                                                         net::WorkerPool& pool, KeptReader kept) {
  CMCP_TRY(FileCore core, FileCore::create(options));
  return std::make_unique<FileManager>(std::move(core), std::move(workspace_for), pool,
                                       std::move(kept));
}

Result<std::unique_ptr<FileManager>> FileManager::from_config(const config::Settings& settings,
                                                              WorkspaceFor workspace_for,
                                                              net::WorkerPool& pool,
                                                              KeptReader kept) {
  return create(options_from(settings), std::move(workspace_for), pool, std::move(kept));
}

template <typename T, typename Operation>
Call FileManager::submit(const auth::Principal& principal, Operation operation, Done<T> done) {
  auto call = std::make_shared<CancelFlag>();
  // Shared by the work on the pool and its end on the reactor, which never run at once.
  struct State {
    std::optional<Result<T>> result;
    Done<T> done;
  };
  auto state = std::make_shared<State>();
  state->done = std::move(done);
  Result<std::shared_ptr<const Workspace>> workspace = workspace_for_(principal);
  if (!workspace.ok()) {
    state->done(workspace.take_error());
    return call;
  }
  const Status queued = pool_.submit(
      [state, call, files = *workspace, operation = std::move(operation)] {
        if (call->is_set()) {
          state->result.emplace(Error(ErrorCode::kCancelled, "Cancelled"));
        } else {
          state->result.emplace(operation(*files, *call));
        }
      },
      [state] { state->done(std::move(*state->result)); });
  if (!queued.ok())
    state->done(
        Error(ErrorCode::kUnavailable, "Too many file operations wait already; try again later"));
  return call;
}

Call FileManager::read(const auth::Principal& principal, ReadRequest request,
                       Done<ReadResult> done) {
  if (!is_kept_output(request.path)) {
    return submit<ReadResult>(
        principal,
        [this, request = std::move(request)](const Workspace& files, const CancelFlag& cancel) {
          return core_.read(files, request, cancel);
        },
        std::move(done));
  }
  Result<std::string> bytes = read_kept(principal, request.path);
  if (!bytes.ok()) {
    done(bytes.take_error());
    return std::make_shared<CancelFlag>();
  }
  return submit<ReadResult>(
      principal,
      [this, request = std::move(request), bytes = std::move(*bytes)](
          const Workspace&, const CancelFlag&) { return core_.present(bytes, "output", request); },
      std::move(done));
}

Call FileManager::read_raw(const auth::Principal& principal, std::string path,
                           Done<FileCore::RawFile> done) {
  return submit<FileCore::RawFile>(
      principal,
      [this, path = std::move(path)](const Workspace& files, const CancelFlag& cancel) {
        return core_.read_raw(files, path, cancel);
      },
      std::move(done));
}

Call FileManager::write(const auth::Principal& principal, WriteRequest request,
                        Done<WriteResult> done) {
  return submit<WriteResult>(
      principal,
      [this, request = std::move(request)](const Workspace& files, const CancelFlag& cancel) {
        return core_.write(files, request, cancel);
      },
      std::move(done));
}

Call FileManager::list(const auth::Principal& principal, ListRequest request,
                       Done<ListResult> done) {
  return submit<ListResult>(
      principal,
      [this, request = std::move(request)](const Workspace& files, const CancelFlag& cancel) {
        return core_.list(files, request, cancel);
      },
      std::move(done));
}

Call FileManager::remove(const auth::Principal& principal, DeleteRequest request, Done<void> done) {
  return submit<void>(
      principal,
      [this, request = std::move(request)](const Workspace& files, const CancelFlag& cancel) {
        return core_.remove(files, request, cancel);
      },
      std::move(done));
}

Call FileManager::move(const auth::Principal& principal, MoveRequest request, Done<void> done) {
  return submit<void>(
      principal,
      [this, request = std::move(request)](const Workspace& files, const CancelFlag& cancel) {
        return core_.move(files, request, cancel);
      },
      std::move(done));
}

Result<std::string> FileManager::read_kept(const auth::Principal& principal,
                                           std::string_view uri) const {
  CMCP_TRY(const KeptName name, parse_kept_output(uri));
  if (kept_) {
    Result<std::string> bytes = kept_(principal.id, name.id, name.stream);
    if (bytes.ok() || bytes.error().code() != ErrorCode::kNotFound) return bytes;
  }
  return Error(ErrorCode::kNotFound,
               "Kept output not found: " + shown(uri) + " (outputs are kept for one hour at most)");
}

Result<std::string> FileManager::check_directory(const auth::Principal& principal,
                                                 std::string_view working_dir) const {
  CMCP_TRY(const std::shared_ptr<const Workspace> workspace, workspace_for_(principal));
  return workspace->check_directory(working_dir);
}

}  // namespace cmcp::file
