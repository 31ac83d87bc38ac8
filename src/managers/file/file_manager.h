// FileManager: the file operations for the composition root and the tools: asynchronous, one call
// each, run on the worker pool. Reactor thread only.
//
//   CMCP_TRY(auto files, FileManager::create(FileOptions{…},
//   shared_workspace(std::move(workspace)), pool, kept_reader)); auto call = files->read(principal,
//   {.path = "a.txt"}, [](Result<ReadResult> result) { … }); call->set();   // gives it up: done
//   comes with kCancelled, or with the result if that was faster
//
// The manager must outlive the pool's work in progress: destroy the pool first.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "auth/principal.h"
#include "base/result.h"
#include "config/settings.h"
#include "managers/file/file_core.h"
#include "net/reactor.h"

namespace cmcp::file {

// The workspace of a principal.
using WorkspaceFor =
    std::function<Result<std::shared_ptr<const Workspace>>(const auth::Principal&)>;
// One workspace for all (WORKSPACE_SCOPE=shared).
WorkspaceFor shared_workspace(Workspace workspace);

// The bytes of a kept output of `principal`; kNotFound also for another's. Called on the reactor
// thread.
using KeptReader = std::function<Result<std::string>(
    const std::string& principal, const std::string& id, const std::string& stream)>;

// The parts of "output:///ID/STREAM".
struct KeptName {
  std::string id;
  std::string stream;
};
// Whether `path` names a kept output; kInvalidArgument when it begins like one and is malformed.
bool is_kept_output(std::string_view path);
Result<KeptName> parse_kept_output(std::string_view path);

template <typename T>
using Done = std::function<void(Result<T>)>;
// Handle of a call in progress: set() cancels.
using Call = std::shared_ptr<CancelFlag>;

class FileManager {
 public:
  // create() is the usual way.
  FileManager(FileCore core, WorkspaceFor workspace_for, net::WorkerPool& pool, KeptReader kept)
      : core_(std::move(core)),
        workspace_for_(std::move(workspace_for)),
        pool_(pool),
        kept_(std::move(kept)) {}

  // `kept` may be empty: then there are no kept outputs. kIo when the lock file cannot be opened.
  static Result<std::unique_ptr<FileManager>> create(const FileOptions& options,
                                                     WorkspaceFor workspace_for,
                                                     net::WorkerPool& pool, KeptReader kept);
  // The same with the options of FILE_MAX_SIZE_MB, FILE_ALLOWED_EXTENSIONS, FILE_READ_EXTENSIONS,
  // OUTPUT_MAX_CHARS and STATE_DIR.
  static Result<std::unique_ptr<FileManager>> from_config(const config::Settings& settings,
                                                          WorkspaceFor workspace_for,
                                                          net::WorkerPool& pool, KeptReader kept);

  // Each calls `done` exactly once, later, on the reactor thread; with kUnavailable when all
  // workers and their queue are full (that one comes at once), else with the result or the errors
  // of FileCore.
  Call read(const auth::Principal& principal, ReadRequest request, Done<ReadResult> done);
  Call read_raw(const auth::Principal& principal, std::string path, Done<FileCore::RawFile> done);
  Call write(const auth::Principal& principal, WriteRequest request, Done<WriteResult> done);
  Call list(const auth::Principal& principal, ListRequest request, Done<ListResult> done);
  Call remove(const auth::Principal& principal, DeleteRequest request, Done<void> done);
  Call move(const auth::Principal& principal, MoveRequest request, Done<void> done);

  // The bytes of a kept output, as KeptReader.
  Result<std::string> read_kept(const auth::Principal& principal, std::string_view uri) const;
  // For the run managers: Workspace::check_directory of the principal's workspace. Does not block
  // for long.
  Result<std::string> check_directory(const auth::Principal& principal,
                                      std::string_view working_dir) const;

  const FileOptions& options() const { return core_.options(); }

 private:
  template <typename T, typename Operation>
  Call submit(const auth::Principal& principal, Operation operation, Done<T> done);

  FileCore core_;
  WorkspaceFor workspace_for_;
  net::WorkerPool& pool_;
  KeptReader kept_;
};

// The options that the settings name.
FileOptions options_from(const config::Settings& settings);

}  // namespace cmcp::file
