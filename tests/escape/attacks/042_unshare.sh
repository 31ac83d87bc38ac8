# case: 42
# title: unshare, by the system's own program
# tries: unshare -U, -Ur, -m, -n, -p
# expect: the program fails
# layers: seccomp
command -v unshare >/dev/null || na "there is no program unshare"
for option in -U -Ur -m -n -p -i -u -C; do
  refused "unshare $option" unshare "$option" true
done
held
