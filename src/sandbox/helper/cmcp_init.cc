// cmcp-init: pid 1 of every sandbox. Freestanding, without any library: it is executed from a
// sealed memory file after the launcher's child has built the sandbox and dropped everything. Its
// argv and envp are the payload's own, so that /proc/1/cmdline and /proc/1/environ hold nothing
// else. It forks the payload, reaps, and when the payload's main process ends it kills what is
// left, reports once, and ends; with it ends the pid namespace.
#include <asm/errno.h>
#include <asm/signal.h>
#include <asm/statfs.h>
#include <asm/unistd.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/prctl.h>
#include <linux/resource.h>
#include <linux/seccomp.h>
#include <linux/time.h>
#include <linux/wait.h>

#include "sandbox/helper/init_abi.h"

using namespace cmcp::sandbox;

extern "C" {
// The compiler calls these even in freestanding code.
void* memcpy(void* to, const void* from, unsigned long size) {
  auto* t = static_cast<char*>(to);
  const auto* f = static_cast<const char*>(from);
  for (unsigned long i = 0; i < size; ++i) t[i] = f[i];
  return to;
}
void* memmove(void* to, const void* from, unsigned long size) {
  auto* t = static_cast<char*>(to);
  const auto* f = static_cast<const char*>(from);
  if (t < f) return memcpy(to, from, size);
  for (unsigned long i = size; i > 0; --i) t[i - 1] = f[i - 1];
  return to;
}
void* memset(void* to, int value, unsigned long size) {
  auto* t = static_cast<char*>(to);
  for (unsigned long i = 0; i < size; ++i) t[i] = static_cast<char>(value);
  return to;
}
int memcmp(const void* a, const void* b, unsigned long size) {
  const auto* x = static_cast<const unsigned char*>(a);
  const auto* y = static_cast<const unsigned char*>(b);
  for (unsigned long i = 0; i < size; ++i) {
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  }
  return 0;
}
}

namespace {

#if defined(__x86_64__)
long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0"
               : "+r"(x0)
               : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
               : "memory");
  return x0;
}
#else
#error "cmcp-init knows x86_64 and aarch64"
#endif

template <typename T>
long address(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

constexpr int kSigKill = 9;
constexpr unsigned long kUnlimitedFd = ~0U;

// The payload process runs in init's memory until it executes the program, on a stack of its own;
// init sleeps meanwhile. Nothing of it is copied, which is most of what a fork costs here.
alignas(16) char payload_stack[64 * 1024];

InitConfig config;                        // .bss costs nothing until it is touched
sock_filter filter[kMaxFilterSteps + 1];  // one more: a longer file is noticed
unsigned short filter_steps;

unsigned long now_ns() {
  __kernel_timespec time{};
  call(__NR_clock_gettime, 1 /* CLOCK_MONOTONIC */, address(&time));
  return static_cast<unsigned long>(time.tv_sec) * 1000000000UL +
         static_cast<unsigned long>(time.tv_nsec);
}

void report(int control, const InitRecord& record) {
  call(__NR_write, control, address(&record), sizeof(record));
}

[[noreturn]] void leave(int code) {
  while (true) call(__NR_exit_group, code);
}

[[noreturn]] void fail(int control, InitRecordKind kind, SetupStep step, long error, int code) {
  InitRecord record{};
  record.kind = kind;
  record.step = step;
  record.error = static_cast<int>(-error);
  report(control, record);
  leave(code);
}

void require(long result, int control, SetupStep step) {
  if (result < 0) fail(control, kRecordFailed, step, result, 125);
}

// The label that was ordered before exec must be the one that this process has: the payload
// inherits it. The mode behind it (" (enforce)") is not compared.
bool has_label() {
  char text[kMaxLabel] = {};
  const long n = call(__NR_read, kLabelFd, address(&text), sizeof(text));
  unsigned at = 0;
  while (at < kMaxLabel && config.label[at] != 0) {
    if (static_cast<long>(at) >= n || text[at] != config.label[at]) return false;
    ++at;
  }
  return static_cast<long>(at) == n || (static_cast<long>(at) < n && text[at] <= ' ');
}

void check_label() {
  config.label[kMaxLabel - 1] = 0;
  if (config.label[0] != 0 && !has_label())
    fail(kControlFd, kRecordFailed, kStepLabelTaken, -EACCES, 125);
  call(__NR_close, kLabelFd);
}

void read_filter() {
  if (config.use_seccomp == 0) return;
  unsigned long size = 0;
  auto* at = reinterpret_cast<char*>(filter);
  while (size < sizeof(filter)) {
    // By position: the file, and with it the offset, is shared with every other run.
    const long n = call(__NR_pread64, kSeccompFd, address(at + size),
                        static_cast<long>(sizeof(filter) - size), static_cast<long>(size));
    require(n, kControlFd, kStepSeccomp);
    if (n == 0) break;
    size += static_cast<unsigned long>(n);
  }
  const unsigned long steps = size / sizeof(sock_filter);
  if (steps == 0 || steps > kMaxFilterSteps || size % sizeof(sock_filter) != 0) {
    fail(kControlFd, kRecordFailed, kStepSeccomp, -EINVAL, 125);
  }
  filter_steps = static_cast<unsigned short>(steps);
}

}  // namespace

// The forked payload: from here to execve, in the order that each step needs. (Called from below.)
extern "C" [[noreturn, gnu::used]] void run_payload(char** argv, char** envp) {
  require(call(__NR_setsid), kControlFd, kStepSession);
  // A domain of the payload alone: init stays outside it, so the payload cannot trace init.
  if (config.use_landlock != 0) {
    require(call(__NR_landlock_restrict_self, kLandlockFd, 0), kControlFd, kStepLandlockRestrict);
  }
  // The control socket moves above everything that the payload gets; it closes by itself on exec.
  const long fds = static_cast<long>(config.payload_fds);
  const long control =
      call(__NR_fcntl, kControlFd, 1030 /* F_DUPFD_CLOEXEC */, kFirstPayloadFd + fds);
  require(control, kControlFd, kStepPayloadFds);
  const int ctl = static_cast<int>(control);
  // Ascending, and each source lies above its target: no source is overwritten before it is used.
  for (long i = 0; i < fds; ++i) {
    require(call(__NR_dup3, kFirstPayloadFd + i, i, 0), ctl, kStepPayloadFds);
  }
  const long moved = call(__NR_chdir, address(config.working_dir));
  if (moved < 0) fail(ctl, kRecordNoDirectory, kStepNone, moved, 126);
  // Really closed, not marked: nothing but 0 to fds-1 may reach the program, whatever exec does.
  require(call(__NR_close_range, fds, ctl - 1, 0), ctl, kStepCloseRange);
  require(call(__NR_close_range, ctl + 1, static_cast<long>(kUnlimitedFd), 0), ctl,
          kStepCloseRange);
  if (config.use_seccomp != 0) {
    sock_fprog program{filter_steps, filter};
    require(call(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, address(&program)), ctl, kStepSeccomp);
  }
  const long error = call(__NR_execve, address(argv[0]), address(argv), address(envp));
  fail(ctl, kRecordNoExec, kStepNone, error, error == -ENOENT ? 127 : 126);
}

// Starts run_payload(argv, envp) on the given stack; returns the pid in init once the program has
// been executed or its process has ended, or a negative error.
extern "C" long start_payload(char** argv, char** envp, char* stack_top);

#if defined(__x86_64__)
// The system call keeps all registers but rax, rcx and r11; r8 and r9 carry the arguments over.
asm(".globl start_payload\nstart_payload:\n"
    " mov %rdi,%r8\n mov %rsi,%r9\n mov %rdx,%rsi\n"
    " mov $0x4111,%edi\n"  // CLONE_VFORK | CLONE_VM | SIGCHLD
    " xor %edx,%edx\n xor %r10d,%r10d\n mov $56,%eax\n syscall\n"
    " test %rax,%rax\n jz 1f\n ret\n"
    "1: xor %ebp,%ebp\n mov %r8,%rdi\n mov %r9,%rsi\n call run_payload\n hlt\n");
#else
asm(".globl start_payload\nstart_payload:\n"
    " mov x9,x0\n mov x10,x1\n mov x1,x2\n mov x0,#0x4111\n"
    " mov x2,#0\n mov x3,#0\n mov x4,#0\n mov x8,#220\n svc 0\n"
    " cbz x0,1f\n ret\n"
    "1: mov x29,#0\n mov x30,#0\n mov x0,x9\n mov x1,x10\n bl run_payload\n brk #0\n");
#endif

namespace {

// Whether a tmpfs is used up. A program that met ENOSPC there tells nobody else.
bool is_full(const char* path) {
  constexpr long kTmpfs = 0x01021994;
  struct statfs info{};
  if (call(__NR_statfs, address(path), address(&info)) < 0 || info.f_type != kTmpfs) return false;
  return (info.f_blocks != 0 && info.f_bavail == 0) || (info.f_files != 0 && info.f_ffree == 0);
}

// Waits for the main process; returns its wait status. Orphans are reaped on the way.
int wait_for(long main_process) {
  while (true) {
    int status = 0;
    const long pid = call(__NR_wait4, -1, address(&status), 0, 0);
    if (pid == main_process) return status;
    if (pid < 0 && pid != -EINTR) return 0;
  }
}

void kill_the_rest(InitRecord& record) {
  int status = 0;
  long left = 0;
  while ((left = call(__NR_wait4, -1, address(&status), 1 /* WNOHANG */, 0)) > 0) {
  }
  // Every process of this pid namespace descends from init: with no child nobody is there.
  record.emptied = 1;
  if (left == -ECHILD) return;
  // Refused (by a security module): nobody is waited for; they end with this process, by the
  // kernel.
  if (call(__NR_kill, -1, kSigKill) == -EPERM) {
    record.emptied = 0;
    return;
  }
  while (true) {
    const long pid = call(__NR_wait4, -1, address(&status), 0, 0);
    if (pid > 0) {
      ++record.killed;
    } else if (pid != -EINTR) {
      return;
    }
  }
}

}  // namespace

extern "C" [[noreturn]] void init_main(long* stack) {
  const unsigned long began = now_ns();
  char** argv = reinterpret_cast<char**>(stack + 1);
  char** envp = argv + stack[0] + 1;
  // Nobody in the sandbox may look into this process; the launcher's end ends it (also by its pid
  // namespace).
  call(__NR_prctl, PR_SET_DUMPABLE, 0);
  call(__NR_prctl, PR_SET_PDEATHSIG, kSigKill);
  const long n = call(__NR_read, kControlFd, address(&config), sizeof(config));
  if (n != static_cast<long>(sizeof(config)) || config.magic != kInitMagic ||
      config.payload_fds > 64 || stack[0] < 1) {
    fail(kControlFd, kRecordFailed, kStepInitConfig, n < 0 ? n : -EPROTO, 125);
  }
  config.working_dir[kMaxWorkingDir - 1] = 0;
  check_label();
  read_filter();
  const long pid = start_payload(argv, envp, payload_stack + sizeof(payload_stack));
  require(pid, kControlFd, kStepFork);
  // The payload's pipes must not stay open here: a reader outside waits for their end.
  call(__NR_close_range, kSeccompFd, static_cast<long>(kUnlimitedFd), 0);
  InitRecord record{};
  record.kind = kRecordEnded;
  record.wait_status = wait_for(pid);
  record.times[1] = now_ns();
  record.tmp_full = is_full("/tmp") || is_full("/dev/shm") ? 1 : 0;
  kill_the_rest(record);
  rusage usage{};
  call(__NR_getrusage, -1 /* RUSAGE_CHILDREN */, address(&usage));
  record.cpu_us =
      static_cast<unsigned long>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000UL +
      static_cast<unsigned long>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  record.peak_rss_kib = static_cast<unsigned long>(usage.ru_maxrss);
  record.times[0] = began;
  report(kControlFd, record);
  leave(0);
}

#if defined(__x86_64__)
asm(".globl _start\n_start:\n xor %ebp,%ebp\n mov %rsp,%rdi\n and $-16,%rsp\n call init_main\n "
    "hlt\n");
#else
asm(".globl _start\n_start:\n mov x29,#0\n mov x30,#0\n mov x0,sp\n bl init_main\n brk #0\n");
#endif
