# case: 2
# title: write to the system, in shell
# tries: write a file in /usr, /bin, /lib and /etc/passwd, remove and rename a program
# expect: EROFS or EACCES
# layers: read_only_root landlock
# safe: yes, a file that could be written is removed at once
for directory in /usr /usr/bin /bin /lib /sbin /etc; do
  refused_shell "write $directory" ": > $directory/escape_marker && rm -f $directory/escape_marker"
done
refused_shell "append to /etc/passwd" "printf '' >> /etc/passwd"
held
