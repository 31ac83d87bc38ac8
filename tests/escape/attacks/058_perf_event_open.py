# case: 58
# title: perf_event_open
# tries: counting its own task clock, then everything on processor 0
# expect: EPERM
# layers: seccomp
# bound: none
attributes = (ctypes.c_uint32 * 32)()
attributes[0], attributes[1], attributes[2] = 1, 128, 1  # PERF_TYPE_SOFTWARE, size, PERF_COUNT_SW_TASK_CLOCK
attributes[10] = 0x60  # exclude_kernel, exclude_hv: what an ordinary user may ask for
refused("its own task clock", syscall("perf_event_open", attributes, 0, -1, -1, 0), "EPERM")
refused("processor 0", syscall("perf_event_open", attributes, -1, 0, -1, 0), "EPERM")
held()
