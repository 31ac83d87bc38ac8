// A program that only ends: no library, no start-up. What a run of it takes is what starting takes;
// what `true` takes beyond that is its own dynamic linking and C library, on both sides of a ratio.
#include <asm/unistd.h>

extern "C" [[noreturn]] void _start() {
  while (true) {
#if defined(__x86_64__)
    asm volatile("syscall" : : "a"(__NR_exit_group), "D"(0) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long x8 asm("x8") = __NR_exit_group;
    register long x0 asm("x0") = 0;
    asm volatile("svc 0" : : "r"(x8), "r"(x0) : "memory");
#else
#error "cmcp-bench-nothing knows x86_64 and aarch64"
#endif
  }
}
