# case: 74
# title: system calls that nobody knows
# tries: numbers 999, 5000, 1000000, the first hundred beyond the newest known, -1
# expect: ENOSYS
# layers: -
# bound: none
for number in [999, 5000, 1000000, -1] + list(range(480, 580)):
    refused(str(number), syscall(number, 0, 0, 0, 0, 0, 0), "ENOSYS")
held("ENOSYS for each of 104")
