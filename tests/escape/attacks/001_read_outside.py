# case: 1
# title: files of the host
# tries: read /etc/shadow, /root, /home, the places of server configuration, /var, /boot, /run
# expect: ENOENT: the path is not in the root
# layers: mount_namespace
for path in ("/etc/shadow", "/etc/gshadow", "/etc/container-mcp", "/etc/container-mcp/default.env", "/etc/sudoers", "/etc/ssh"):
    refused("open " + path, lambda: os.open(path, os.O_RDONLY), "ENOENT", "ENOTDIR")
for path in ("/root", "/home", "/var", "/boot", "/run", "/mnt", "/media", "/opt", "/srv"):
    refused("list " + path, lambda: os.listdir(path), "ENOENT")
held()
