# case: 49
# title: kernel keyrings
# tries: add_key, request_key, keyctl: get, join and read the session and user keyrings
# expect: EPERM
# layers: seccomp
refused("add_key", syscall("add_key", b"user", b"escape", b"x", 1, -4), "EPERM", "ENOSYS")
refused("request_key", syscall("request_key", b"user", b"escape", None, -4), "EPERM", "ENOSYS")
for name, operation, argument in (("GET_KEYRING_ID", 0, -4), ("JOIN_SESSION", 1, 0), ("DESCRIBE", 6, -3), ("READ", 11, -4), ("GET_PERSISTENT", 22, -1)):
    refused("keyctl " + name, syscall("keyctl", operation, argument, 0, 0, 0), "EPERM", "ENOSYS")
held()
