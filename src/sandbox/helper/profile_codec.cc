#include "sandbox/helper/profile_codec.h"

namespace cmcp::sandbox {
namespace {

void encode_root(ByteWriter& writer, const RootPlan& root) {
  writer.number(static_cast<std::uint32_t>(root.directories.size()));
  for (const auto& path : root.directories) writer.text(path.value);
  writer.number(static_cast<std::uint32_t>(root.files.size()));
  for (const auto& file : root.files) {
    writer.text(file.path.value);
    writer.text(file.content);
    writer.number(file.mode);
  }
  writer.number(static_cast<std::uint32_t>(root.symlinks.size()));
  for (const auto& link : root.symlinks) {
    writer.text(link.path.value);
    writer.text(link.target);
  }
  writer.number(static_cast<std::uint32_t>(root.binds.size()));
  for (const auto& bind : root.binds) {
    writer.text(bind.source.value);
    writer.text(bind.target.value);
    writer.flag(bind.exec);
    writer.flag(bind.optional);
  }
  writer.number(static_cast<std::uint32_t>(root.masks.size()));
  for (const auto& path : root.masks) writer.text(path.value);
  writer.number(static_cast<std::uint32_t>(root.tmpfs.size()));
  for (const auto& tmpfs : root.tmpfs) {
    writer.text(tmpfs.target.value);
    writer.number(tmpfs.size.count);
    writer.number(tmpfs.max_inodes);
    writer.number(tmpfs.mode);
    writer.flag(tmpfs.exec);
  }
  writer.flag(root.proc);
}

RootPlan decode_root(ByteReader& reader) {
  RootPlan root;
  root.directories.resize(reader.count(4));
  for (auto& path : root.directories) path.value = reader.text();
  root.files.resize(reader.count(12));
  for (auto& file : root.files) {
    file.path.value = reader.text();
    file.content = reader.text();
    file.mode = reader.number<std::uint32_t>();
  }
  root.symlinks.resize(reader.count(8));
  for (auto& link : root.symlinks) {
    link.path.value = reader.text();
    link.target = reader.text();
  }
  root.binds.resize(reader.count(10));
  for (auto& bind : root.binds) {
    bind.source.value = reader.text();
    bind.target.value = reader.text();
    bind.exec = reader.flag();
    bind.optional = reader.flag();
  }
  root.masks.resize(reader.count(4));
  for (auto& path : root.masks) path.value = reader.text();
  root.tmpfs.resize(reader.count(25));
  for (auto& tmpfs : root.tmpfs) {
    tmpfs.target.value = reader.text();
    tmpfs.size.count = reader.number<std::uint64_t>();
    tmpfs.max_inodes = reader.number<std::uint64_t>();
    tmpfs.mode = reader.number<std::uint32_t>();
    tmpfs.exec = reader.flag();
  }
  root.proc = reader.flag();
  return root;
}

void encode_limits(ByteWriter& writer, const Limits& limits) {
  writer.number(limits.memory.count);
  writer.number(limits.processes);
  writer.number(limits.cpu_seconds);
  writer.number(limits.file_size.count);
  writer.number(limits.open_files);
  writer.number(limits.stack.count);
}

Limits decode_limits(ByteReader& reader) {
  Limits limits;
  limits.memory.count = reader.number<std::uint64_t>();
  limits.processes = reader.number<std::uint32_t>();
  limits.cpu_seconds = reader.number<std::uint32_t>();
  limits.file_size.count = reader.number<std::uint64_t>();
  limits.open_files = reader.number<std::uint32_t>();
  limits.stack.count = reader.number<std::uint64_t>();
  return limits;
}

}  // namespace

void encode(ByteWriter& writer, const Profile& profile) {
  writer.text(profile.name);
  encode_root(writer, profile.root);
  writer.number(static_cast<std::uint32_t>(profile.landlock.size()));
  for (const auto& rule : profile.landlock) {
    writer.text(rule.path.value);
    writer.number(static_cast<std::uint8_t>(rule.access));
  }
  writer.text({reinterpret_cast<const char*>(profile.seccomp.data()),
               profile.seccomp.size() * sizeof(sock_filter)});
  encode_limits(writer, profile.limits);
  writer.texts(profile.environment);
  writer.flag(profile.workspace_exec);
  writer.text(profile.hostname);
}

Profile decode_profile(ByteReader& reader) {
  Profile profile;
  profile.name = reader.text();
  profile.root = decode_root(reader);
  profile.landlock.resize(reader.count(5));
  for (auto& rule : profile.landlock) {
    rule.path.value = reader.text();
    const auto access = reader.number<std::uint8_t>();
    if (access > static_cast<std::uint8_t>(Access::kReadWriteExecute)) reader.fail();
    rule.access = static_cast<Access>(access);
  }
  const std::string filter = reader.text();
  if (filter.size() % sizeof(sock_filter) != 0) reader.fail();
  profile.seccomp.resize(filter.size() / sizeof(sock_filter));
  if (!profile.seccomp.empty()) {
    std::memcpy(profile.seccomp.data(), filter.data(),
                profile.seccomp.size() * sizeof(sock_filter));
  }
  profile.limits = decode_limits(reader);
  profile.environment = reader.texts();
  profile.workspace_exec = reader.flag();
  profile.hostname = reader.text();
  return profile;
}

void encode(ByteWriter& writer, const WorkspaceRoot& root) {
  writer.text(root.path.value);
  writer.text(root.name);
  writer.flag(root.read_only);
}

WorkspaceRoot decode_workspace_root(ByteReader& reader) {
  WorkspaceRoot root;
  root.path.value = reader.text();
  root.name = reader.text();
  root.read_only = reader.flag();
  return root;
}

}  // namespace cmcp::sandbox
