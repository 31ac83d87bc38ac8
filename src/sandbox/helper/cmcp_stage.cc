// cmcp-stage: the first program in a sandbox that bubblewrap built, as its process 1 and without
// any capability. It does what bubblewrap cannot: Landlock rules on what bubblewrap mounted, and
// the limits, which must not hold for bubblewrap itself. Then it becomes cmcp-init.
// Static, libc only; executed from a memory file.
//
//   /proc/self/fd/N ARGV…   N is this program, N+1 its orders (stage_abi.h), N+2 cmcp-init; below
//                           N lies what init gets (init_abi.h), with the Landlock ruleset made, but
//                           empty.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/helper/init_abi.h"
#include "sandbox/helper/stage_abi.h"

using namespace cmcp::sandbox;

namespace {

struct __attribute__((packed)) PathBeneath {
  uint64_t allowed_access;
  int32_t parent_fd;
};

struct Orders {
  const StageHeader* header;
  const StageLimit* limits;
  const StageRule* rules;
};

uint64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000U + static_cast<uint64_t>(time.tv_nsec);
}

void report(InitRecordKind kind, SetupStep step, int error, uint64_t began) {
  InitRecord record{};
  record.kind = kind;
  record.step = step;
  record.error = error;
  record.times[0] = began;
  for (int i = 1; i < 4; ++i) record.times[i] = now_ns();
  send(kControlFd, &record, sizeof(record), MSG_NOSIGNAL);
}

[[noreturn]] void fail(SetupStep step, int error) {
  report(kRecordFailed, step, error, 0);
  _exit(125);
}

int own_descriptor(const char* name) {
  constexpr char kPrefix[] = "/proc/self/fd/";
  if (name == nullptr || strncmp(name, kPrefix, sizeof(kPrefix) - 1) != 0)
    fail(kStepInitConfig, EINVAL);
  const long number = strtol(name + sizeof(kPrefix) - 1, nullptr, 10);
  if (number < kFirstPayloadFd || number > 100) fail(kStepInitConfig, EINVAL);
  return static_cast<int>(number);
}

Orders read_orders(int fd) {
  struct stat info{};
  if (fstat(fd, &info) != 0) fail(kStepInitConfig, errno);
  const auto size = static_cast<size_t>(info.st_size);
  if (size < sizeof(StageHeader)) fail(kStepInitConfig, EPROTO);
  const void* at = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (at == MAP_FAILED) fail(kStepInitConfig, errno);
  Orders orders{};
  orders.header = static_cast<const StageHeader*>(at);
  const StageHeader& header = *orders.header;
  if (header.magic != kStageMagic || header.limits > kMaxStageLimits ||
      header.rules > kMaxStageRules ||
      size !=
          sizeof(header) + header.limits * sizeof(StageLimit) + header.rules * sizeof(StageRule)) {
    fail(kStepInitConfig, EPROTO);
  }
  orders.limits = reinterpret_cast<const StageLimit*>(orders.header + 1);
  orders.rules = reinterpret_cast<const StageRule*>(orders.limits + header.limits);
  return orders;
}

void add_rule(const StageRule& rule, uint64_t file_rights) {
  const int fd = open(rule.path, O_PATH | O_CLOEXEC);
  // What is not there needs no permission.
  if (fd < 0 && errno == ENOENT) return;
  struct stat info{};
  if (fd < 0 || fstat(fd, &info) != 0) fail(kStepLandlockRules, errno);
  PathBeneath beneath{};
  beneath.allowed_access = S_ISDIR(info.st_mode) ? rule.rights : rule.rights & file_rights;
  beneath.parent_fd = fd;
  if (syscall(445 /* landlock_add_rule */, kLandlockFd, 1 /* PATH_BENEATH */, &beneath, 0) != 0)
    fail(kStepLandlockRules, errno);
  close(fd);
}

// First to die when memory is short: before bubblewrap, which waits outside.
void be_killed_first() {
  const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (write(fd, "500", 3) != 3) {
    // Not worth a run: the limits hold all the same.
  }
  close(fd);
}

}  // namespace

int main(int argc, char** argv) {
  const int self = own_descriptor(argc > 1 ? argv[0] : nullptr);
  const int init = self + 2;
  const Orders orders = read_orders(self + 1);
  umask(022);
  be_killed_first();
  for (uint32_t i = 0; i < orders.header->rules; ++i)
    add_rule(orders.rules[i], orders.header->file_rights);
  for (uint32_t i = 0; i < orders.header->limits; ++i) {
    const StageLimit& limit = orders.limits[i];
    const rlimit value{limit.soft, limit.hard};
    if (setrlimit(static_cast<int>(limit.resource), &value) != 0) fail(kStepLimits, errno);
  }
  for (int fd = 0; fd < 3; ++fd) close(fd);
  if (syscall(SYS_close_range, self, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */) != 0)
    fail(kStepDescriptors, errno);
  report(kRecordSetUp, kStepNone, 0, orders.header->began);
  syscall(SYS_execveat, init, "", argv + 1, environ, AT_EMPTY_PATH);
  fail(kStepExecInit, errno);
}
