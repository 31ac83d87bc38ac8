# case: 12
# title: set-id bits by the system's own programs
# tries: chmod u+s, install -m, cp -p of a set-id program, tar with a set-id member, chmod g+s on a directory
# expect: the bit is absent afterwards
# layers: seccomp
# safe: yes, what is made is removed at once
d=escape_tools_$$
mkdir "$d" && cp /bin/sh "$d/a"
chmod u+s "$d/a" 2>/dev/null
chmod 6755 "$d/a" 2>/dev/null
install -m 4755 /bin/sh "$d/b" 2>/dev/null
for program in /usr/bin/su /bin/su /usr/bin/mount; do
  if [ -u "$program" ]; then cp -p "$program" "$d/c" 2>/dev/null; fi
done
mkdir -m 2777 "$d/e" 2>/dev/null
if command -v tar >/dev/null; then
  echo x >"$d/x"
  tar -C "$d" --mode=06755 -cf "$d/t.tar" x 2>/dev/null && rm "$d/x" && tar -C "$d" -xpf "$d/t.tar" 2>/dev/null
fi
for file in "$d"/*; do
  if [ -u "$file" ]; then wrong "set-uid: $file"; fi
  if [ -g "$file" ]; then wrong "set-gid: $file"; fi
done
rm -rf "$d"
held "no file has the bit"
