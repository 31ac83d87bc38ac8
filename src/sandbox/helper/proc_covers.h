// Files of /proc that tell about the host or act on it: covered in every sandbox.
#pragma once

namespace cmcp::sandbox {

inline constexpr const char* kCoveredProcFiles[] = {
    "/proc/cmdline",       "/proc/kcore",     "/proc/keys",          "/proc/key-users",
    "/proc/kmsg",          "/proc/kallsyms",  "/proc/latency_stats", "/proc/sched_debug",
    "/proc/sysrq-trigger", "/proc/timer_list"};

}  // namespace cmcp::sandbox
