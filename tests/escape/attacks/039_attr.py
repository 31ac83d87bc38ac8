# case: 39
# title: security labels
# tries: write /proc/self/attr/{current,exec,fscreate,keycreate,sockcreate} and attr/apparmor/*, lsm_set_self_attr
# expect: the label does not change
# layers: -
label = attempt(read_text, "/proc/self/attr/current")
names = ["current", "exec", "fscreate", "keycreate", "sockcreate", "apparmor/current", "apparmor/exec"]
for name in names:
    path = "/proc/self/attr/" + name
    if os.path.exists(path):
        for text in ("changeprofile unconfined", "exec unconfined", "unconfined", "unconfined_u:unconfined_r:unconfined_t:s0"):
            attempt(write_text, path, text)
attempt(syscall, "lsm_set_self_attr", 100, ctypes.create_string_buffer(64), 64, 0)
if attempt(read_text, "/proc/self/attr/current") != label:
    wrong("the label changed to %s" % (attempt(read_text, "/proc/self/attr/current"),))
held("label: %s" % (label[0] if not label[1] else label[1],))
