// What programs can and cannot do in the product's profiles, on the real kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sandbox/real_sandbox_fixture.h"

namespace cmcp::sandbox {
namespace {

using testing::HasSubstr;
using testing::Not;

#if defined(__x86_64__)
constexpr const char* kLoader = "/lib64/ld-linux-x86-64.so.2";
#else
constexpr const char* kLoader = "/lib/ld-linux-aarch64.so.1";
#endif

using LauncherRestricted = RealSandbox;

TEST_F(LauncherRestricted, ListedCommandsWork) {
  const auto outcome = bash(
      "set -e; ls / > /dev/null; echo x > a; cat a | grep x; find . -name a -exec cat {} \\;; "
      "mkdir d; /usr/bin/id -u; "
      "printf 'b\\na\\n' | sort | head -1 2>/dev/null || true; awk 'BEGIN { print 6 * 7 }'; cat "
      "<(echo sub); "
      "cat <<< here; echo error > /dev/stderr; x=é; echo ${#x}; echo done");
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out.text << outcome.err.text;
  for (const char* part : {"x\nx\n1000\n", "42\nsub\nhere\n1\ndone\n"})
    EXPECT_THAT(outcome.out.text, HasSubstr(part));
}

// Each line must not print the word that its program would print.
TEST_F(LauncherRestricted, NothingElseIsExecuted) {
  const std::string copy = "cat /usr/bin/echo > $d/e; chmod 755 $d/e; ";
  const std::string each_place = "for d in /workspace /tmp /dev/shm; do ";
  const struct {
    std::string script;
    int exit_code;
  } rows[] = {
      {"touch MARK", 127},
      {"/usr/bin/touch MARK", 127},
      {"$(echo touch) MARK", 127},
      {"/proc/self/root/usr/bin/touch MARK", 127},
      {each_place + copy + "$d/e MARK; [ $? = 126 ] || exit 1; done; exit 126", 126},
      {each_place + copy +
           "exec 7<$d/e; /proc/self/fd/7 MARK; [ $? = 126 ] || exit 1; done; exit 126",
       126},
      {each_place + copy + std::string(kLoader) + " $d/e MARK && exit 1; done; exit 5", 5},
      {"d=/workspace; " + copy + kLoader + " /proc/self/root/workspace/e MARK", 127},
      {"printf '#!/bin/bash\\necho MARK\\n' > s; chmod 755 s; ./s", 126},
      {"printf '#!/usr/bin/awk -f\\nBEGIN { print \"MARK\" }\\n' > s; chmod 755 s; ./s", 126},
      {"cat /usr/lib/*/libtinfo.so.6 > l.so 2>/dev/null || cat /lib/*/libtinfo.so.6 > l.so; chmod "
       "755 l.so; enable -f ./l.so MARK",
       1},
      {"exec -a x /usr/bin/python3 -c 'print(\"MARK\")'", 127},
  };
  for (const auto& row : rows) {
    const auto outcome = bash(row.script);
    EXPECT_EQ(outcome.failure, "");
    EXPECT_EQ(outcome.exit_code, row.exit_code) << row.script << "\n"
                                                << outcome.out.text << outcome.err.text;
    EXPECT_THAT(outcome.out.text, Not(HasSubstr("MARK"))) << row.script;
  }
  EXPECT_NE(::access((workspace_ + "/MARK").c_str(), F_OK), 0);
}

TEST_F(LauncherRestricted, AForeignLibraryIsNotPreloaded) {
  const auto outcome =
      bash("cat /lib/*/libtinfo.so.6 > l.so; chmod 755 l.so; LD_PRELOAD=/workspace/l.so ls");
  EXPECT_EQ(outcome.failure, "");
  EXPECT_THAT(outcome.err.text, HasSubstr("failed to map segment")) << outcome.out.text;
}

TEST_F(LauncherRestricted, MemoryIsNoWayRound) {
  options_.allowed_commands.push_back("python3");
  const auto outcome =
      run(kBashProfile, {"/bin/bash", "-c",
                         "python3 -c '\n"
                         "import os, ctypes, errno\n"
                         "try: os.memfd_create(\"x\"); print(\"MARK\")\n"
                         "except OSError as e: print(errno.errorcode[e.errno])\n"
                         "try: open(\"/proc/self/mem\", \"r+b\"); print(\"MARK\")\n"
                         "except OSError as e: print(errno.errorcode[e.errno])\n"
                         "import json, ssl, sqlite3\n'"});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.out.text, "EPERM\nEACCES\n") << outcome.err.text;
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err.text;
}

using LauncherSystem = RealSandbox;

TEST_F(LauncherSystem, OrdinaryProgramsWork) {
  options_.restricted = false;
  const auto outcome = bash(
      "set -e; export HOME=/tmp; ls / > /dev/null; echo 'int main(void){return 0;}' > a.c; gcc a.c "
      "-o a; ./a; cp a /tmp/b; /tmp/b; "
      "git init -q r; cd r; git config user.email a@b; git config user.name a; echo x > f; git add "
      "f; git commit -qm x; cd ..; "
      "tar czf r.tgz r; tar tzf r.tgz > /dev/null; python3 -c 'print(6 * 7)'; (node -e 1 2>&1 || "
      "true); id -un; echo done");
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out.text << outcome.err.text;
  EXPECT_THAT(outcome.out.text, HasSubstr("42\n"));
  EXPECT_THAT(outcome.out.text, HasSubstr("sandbox\ndone\n"));
}

TEST_F(LauncherSystem, PythonHasTheStandardLibraryAndNothingElse) {
  const auto outcome = python(
      "import os, sys, glob, ssl, sqlite3, multiprocessing, subprocess\n"
      "places = [p for pattern in ('/usr/lib/python3*/dist-packages', "
      "'/usr/lib/python3*/site-packages', "
      "'/usr/local/lib/python3*/dist-packages', '/usr/local/lib/python3*/site-packages') for p in "
      "glob.glob(pattern)]\n"
      "print([p for p in places if os.listdir(p)])\n"
      "print(subprocess.run(['/bin/echo', 'child'], capture_output=True, "
      "text=True).stdout.strip())\n"
      "open('/workspace/x', 'w').write('y'); open('/tmp/x', 'w').write('y'); open('/dev/null', "
      "'w').write('y')\n"
      "for path in ('/etc/shadow', '/root', '/home', '/var', '/data'): print(path, "
      "os.path.exists(path))\n"
      "with multiprocessing.Pool(2) as pool: print(pool.map(abs, [-1]))\n");
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err.text;
  EXPECT_EQ(
      outcome.out.text,
      "[]\nchild\n/etc/shadow False\n/root False\n/home False\n/var False\n/data False\n[1]\n");
}

}  // namespace
}  // namespace cmcp::sandbox
