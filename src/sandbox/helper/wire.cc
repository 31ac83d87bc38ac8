#include "sandbox/helper/wire.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "os/error.h"
#include "os/file.h"
#include "os/memfd.h"
#include "sandbox/helper/bytes.h"
#include "sandbox/helper/profile_codec.h"

namespace cmcp::sandbox::wire {
namespace {

constexpr std::uint8_t kInline = 0;
constexpr std::uint8_t kInFile = 1;
constexpr std::size_t kHeaderSize = 2;

Error malformed(const char* what) {
  return {ErrorCode::kProtocol, std::string("launcher protocol: malformed ") + what + " message"};
}

// The body of a message that came as a file. Only a sealed one is read: it cannot change or shrink
// meanwhile.
Result<std::string> read_body(int file) {
  const int seals = ::fcntl(file, F_GET_SEALS);
  if (seals < 0 || (seals & (F_SEAL_WRITE | F_SEAL_SHRINK)) != (F_SEAL_WRITE | F_SEAL_SHRINK))
    return malformed("unsealed");
  return os::read_all(file, kMaxBody);
}

template <typename T>
Result<T> finish(const ByteReader& reader, T value, const char* what) {
  if (!reader.complete()) return malformed(what);
  return value;
}

}  // namespace

Status send(int socket, Type type, std::string body, const std::vector<int>& fds,
            os::SendMode mode) {
  if (body.size() > kMaxBody) {
    return Error(ErrorCode::kLimitExceeded,
                 "launcher protocol: a message of " + std::to_string(body.size()) +
                     " bytes is over the limit of " + std::to_string(kMaxBody));
  }
  std::string message(kHeaderSize, '\0');
  message[0] = static_cast<char>(type);
  if (body.size() <= kMaxInlineBody) {
    message[1] = static_cast<char>(kInline);
    message += body;
    return os::send_message(socket, message, fds, mode);
  }
  message[1] = static_cast<char>(kInFile);
  CMCP_TRY(const Fd file, os::sealed_memfd("cmcp-message", body));
  std::vector<int> all{file.get()};
  all.insert(all.end(), fds.begin(), fds.end());
  return os::send_message(socket, message, all, mode);
}

Result<std::optional<Envelope>> receive(int socket) {
  CMCP_TRY(os::Message message, os::receive_message(socket, kMaxInlineBody + kHeaderSize));
  if (message.bytes.empty() && message.fds.empty()) return std::optional<Envelope>();
  if (message.bytes.size() < kHeaderSize) return malformed("short");
  const auto type = static_cast<std::uint8_t>(message.bytes[0]);
  if (type < static_cast<std::uint8_t>(Type::kSetup) ||
      type > static_cast<std::uint8_t>(Type::kLauncher)) {
    return malformed("unknown");
  }
  Envelope envelope;
  envelope.type = static_cast<Type>(type);
  const auto location = static_cast<std::uint8_t>(message.bytes[1]);
  if (location == kInline) {
    envelope.body = message.bytes.substr(kHeaderSize);
  } else {
    if (location != kInFile || message.fds.empty()) return malformed("body-less");
    CMCP_TRY(envelope.body, read_body(message.fds.front().get()));
    message.fds.erase(message.fds.begin());
  }
  envelope.fds = std::move(message.fds);
  return std::optional<Envelope>(std::move(envelope));
}

std::string encode(const Setup& setup) {
  ByteWriter writer;
  writer.number(setup.max_runs);
  writer.number(setup.server_uid);
  writer.number(setup.server_gid);
  writer.number(setup.disabled_layers);
  writer.flag(setup.without_cgroup);
  writer.flag(setup.without_idmap);
  writer.flag(setup.deny_user_namespaces);
  writer.number(static_cast<std::uint8_t>(setup.backend));
  writer.flag(setup.bwrap_disable_userns);
  writer.number(setup.quota_bytes);
  writer.number(static_cast<std::uint32_t>(setup.roots.size()));
  for (const auto& root : setup.roots) sandbox::encode(writer, root);
  writer.number(static_cast<std::uint32_t>(setup.profiles.size()));
  for (const auto& profile : setup.profiles) sandbox::encode(writer, profile);
  return writer.take();
}

Result<Setup> decode_setup(std::string_view bytes) {
  ByteReader reader(bytes);
  Setup setup;
  setup.max_runs = reader.number<std::uint32_t>();
  setup.server_uid = reader.number<std::uint32_t>();
  setup.server_gid = reader.number<std::uint32_t>();
  setup.disabled_layers = reader.number<std::uint32_t>();
  setup.without_cgroup = reader.flag();
  setup.without_idmap = reader.flag();
  setup.deny_user_namespaces = reader.flag();
  const auto backend = reader.number<std::uint8_t>();
  if (backend > static_cast<std::uint8_t>(Backend::kNone)) reader.fail();
  setup.backend = static_cast<Backend>(backend);
  setup.bwrap_disable_userns = reader.flag();
  setup.quota_bytes = reader.number<std::uint64_t>();
  setup.roots.resize(reader.count(9));
  for (auto& root : setup.roots) root = decode_workspace_root(reader);
  setup.profiles.resize(reader.count(64));
  for (auto& profile : setup.profiles) profile = decode_profile(reader);
  return finish(reader, std::move(setup), "setup");
}

std::string encode(const LauncherFacts& facts) {
  ByteWriter writer;
  writer.number(static_cast<std::uint8_t>(facts.identity));
  writer.text(facts.identity_reason);
  writer.number(facts.server_uid);
  writer.number(facts.server_gid);
  writer.number(static_cast<std::uint8_t>(facts.limiter));
  writer.text(facts.limiter_reason);
  writer.number(static_cast<std::uint8_t>(facts.cpu_share));
  writer.flag(facts.proc);
  writer.text(facts.proc_reason);
  writer.number(facts.landlock_abi);
  writer.number(facts.disabled_layers);
  writer.number(facts.max_runs);
  writer.text(facts.apparmor);
  writer.text(facts.apparmor_reason);
  for (const auto number : {facts.before.mount, facts.before.pid, facts.before.network,
                            facts.before.ipc, facts.before.uts, facts.before.bounding_set})
    writer.number(number);
  writer.flag(facts.before.no_new_privs);
  writer.number(facts.before.seccomp_filters);
  writer.texts(facts.notes);
  return writer.take();
}

Result<LauncherFacts> decode_facts(std::string_view bytes) {
  ByteReader reader(bytes);
  LauncherFacts facts;
  const auto identity = reader.number<std::uint8_t>();
  if (identity > static_cast<std::uint8_t>(IdentityMode::kRootShared)) reader.fail();
  facts.identity = static_cast<IdentityMode>(identity);
  facts.identity_reason = reader.text();
  facts.server_uid = reader.number<std::uint32_t>();
  facts.server_gid = reader.number<std::uint32_t>();
  const auto limiter = reader.number<std::uint8_t>();
  if (limiter > static_cast<std::uint8_t>(Limiter::kRlimit)) reader.fail();
  facts.limiter = static_cast<Limiter>(limiter);
  facts.limiter_reason = reader.text();
  const auto share = reader.number<std::uint8_t>();
  if (share > static_cast<std::uint8_t>(CpuShare::kPriority)) reader.fail();
  facts.cpu_share = static_cast<CpuShare>(share);
  facts.proc = reader.flag();
  facts.proc_reason = reader.text();
  facts.landlock_abi = reader.number<std::uint32_t>();
  facts.disabled_layers = reader.number<std::uint32_t>();
  facts.max_runs = reader.number<std::uint32_t>();
  facts.apparmor = reader.text();
  facts.apparmor_reason = reader.text();
  for (auto* number : {&facts.before.mount, &facts.before.pid, &facts.before.network,
                       &facts.before.ipc, &facts.before.uts, &facts.before.bounding_set})
    *number = reader.number<std::uint64_t>();
  facts.before.no_new_privs = reader.flag();
  facts.before.seccomp_filters = reader.number<std::uint32_t>();
  facts.notes = reader.texts();
  return finish(reader, std::move(facts), "ready");
}

std::string encode(const Start& start) {
  ByteWriter writer;
  writer.number(start.run);
  writer.number(start.profile);
  writer.texts(start.argv);
  writer.texts(start.environment);
  writer.text(start.working_dir);
  writer.number(start.timeout_ms);
  writer.number(start.memory);
  return writer.take();
}

Result<Start> decode_start(std::string_view bytes) {
  ByteReader reader(bytes);
  Start start;
  start.run = reader.number<std::uint64_t>();
  start.profile = reader.number<std::uint32_t>();
  start.argv = reader.texts();
  start.environment = reader.texts();
  start.working_dir = reader.text();
  start.timeout_ms = reader.number<std::uint64_t>();
  start.memory = reader.number<std::uint64_t>();
  return finish(reader, std::move(start), "start");
}

std::string encode(const Kill& kill) {
  ByteWriter writer;
  writer.number(kill.run);
  return writer.take();
}

Result<Kill> decode_kill(std::string_view bytes) {
  ByteReader reader(bytes);
  Kill kill;
  kill.run = reader.number<std::uint64_t>();
  return finish(reader, kill, "kill");
}

std::string encode(const Ended& ended) {
  ByteWriter writer;
  writer.number(ended.run);
  writer.number(static_cast<std::uint8_t>(ended.kind));
  writer.number(static_cast<std::uint8_t>(ended.reason));
  writer.number(static_cast<std::uint32_t>(ended.wait_status));
  writer.number(static_cast<std::uint32_t>(ended.error));
  writer.number(ended.killed_processes);
  writer.number(ended.oom_kills);
  writer.number(ended.refused_forks);
  writer.flag(ended.tmp_full);
  writer.flag(ended.quota_caps_files);
  writer.number(ended.cpu_us);
  writer.number(ended.peak_memory);
  writer.text(ended.failure);
  for (const auto time : ended.times) writer.number(time);
  return writer.take();
}

Result<Ended> decode_ended(std::string_view bytes) {
  ByteReader reader(bytes);
  Ended ended;
  ended.run = reader.number<std::uint64_t>();
  const auto kind = reader.number<std::uint8_t>();
  if (kind > static_cast<std::uint8_t>(Ended::Kind::kFailed)) reader.fail();
  ended.kind = static_cast<Ended::Kind>(kind);
  const auto reason = reader.number<std::uint8_t>();
  if (reason > static_cast<std::uint8_t>(KillReason::kDisk)) reader.fail();
  ended.reason = static_cast<KillReason>(reason);
  ended.wait_status = static_cast<std::int32_t>(reader.number<std::uint32_t>());
  ended.error = static_cast<std::int32_t>(reader.number<std::uint32_t>());
  ended.killed_processes = reader.number<std::uint32_t>();
  ended.oom_kills = reader.number<std::uint32_t>();
  ended.refused_forks = reader.number<std::uint32_t>();
  ended.tmp_full = reader.flag();
  ended.quota_caps_files = reader.flag();
  ended.cpu_us = reader.number<std::uint64_t>();
  ended.peak_memory = reader.number<std::uint64_t>();
  ended.failure = reader.text();
  for (auto& time : ended.times) time = reader.number<std::uint64_t>();
  return finish(reader, std::move(ended), "ended");
}

}  // namespace cmcp::sandbox::wire
