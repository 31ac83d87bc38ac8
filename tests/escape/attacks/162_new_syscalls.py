# case: 162
# title: system calls of kernels 6.0 to 6.18
# tries: open_tree_attr, statmount, listmount, listns, file_getattr, file_setattr, setxattrat, removexattrat, map_shadow_stack,
#   cachestat, futex_wait, futex_wake, futex_requeue, lsm_*, uretprobe, process_mrelease, quotactl_fd, memfd_secret, fchmodat2 with set-id bits
# expect: ENOSYS or EPERM: what is not on the list does not exist
# layers: seccomp
# bound: none
NEW = {"uretprobe": 335, "uprobe": 336, "cachestat": 451, "map_shadow_stack": 453, "futex_wake": 454, "futex_wait": 455, "futex_requeue": 456,
       "statmount": 457, "listmount": 458, "lsm_get_self_attr": 459, "lsm_set_self_attr": 460, "lsm_list_modules": 461,
       "setxattrat": 463, "getxattrat": 464, "listxattrat": 465, "removexattrat": 466, "open_tree_attr": 467, "file_getattr": 468,
       "file_setattr": 469, "listns": 470, "rseq_slice_yield": 471, "quotactl_fd": 443, "memfd_secret": 447, "process_mrelease": 448,
       "set_mempolicy_home_node": 450}
for name, number in sorted(NEW.items()):
    if name in ("uretprobe", "uprobe") and platform.machine() != "x86_64":
        continue
    if name in ("uretprobe", "uprobe"):
        # No filter is asked for these two; outside of a probe's trampoline the kernel refuses them by itself.
        end = in_child(lambda: refused(name, syscall(number), "ENOSYS", "EPERM", "ENXIO") or os._exit(99))
        if end not in (0, 4, 31):
            wrong("%s: %s" % (name, end))
        continue
    refused(name, syscall(number, 0, 0, 0, 0, 0, 0), "ENOSYS", "EPERM")
descriptor = os.open("set-id.%d" % os.getpid(), os.O_RDWR | os.O_CREAT, 0o600)
for mode in (0o4755, 0o2755, 0o6755):
    refused("fchmodat2 %o" % mode, syscall("fchmodat2", -100, b"set-id.%d" % os.getpid(), mode, 0), "EPERM", "ENOSYS")
    refused("fchmodat2 by descriptor %o" % mode, syscall("fchmodat2", descriptor, b"", mode, 0x1000), "EPERM", "ENOSYS")
os.unlink("set-id.%d" % os.getpid())
held("%d calls" % len(NEW))
