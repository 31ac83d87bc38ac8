#include "sandbox/helper/run_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <string>

#include "base/fd.h"

namespace cmcp::sandbox {
namespace {

TEST(RunFiles, ParsesMappingsOfFilesWithoutAName) {
  UnnamedMapping mapping;
  ASSERT_TRUE(parse_unnamed_mapping(
      "7f0000000000-7f0000100000 rw-s 00002000 fe:01 4711                       /workspace/a b "
      "(deleted)",
      mapping));
  EXPECT_EQ(mapping.device, ::makedev(0xfe, 1));
  EXPECT_EQ(mapping.inode, 4711u);
  EXPECT_EQ(mapping.length, 0x102000u);
  for (const char* line :
       {"", " (deleted)", "7f00-7f01 (deleted)", "x-y rw-s 0 fe:01 1 /a (deleted)",
        "7f02-7f01 rw-s 00000000 fe:01 1 /a (deleted)",
        "7f00-7f01 rw-s 00000000 fe:01 0 /a (deleted)", "7f00-7f01 rw-s 00000000 fe:01 12 /a"}) {
    EXPECT_FALSE(parse_unnamed_mapping(line, mapping)) << line;
  }
}

// Of this process, as if it were pid 1 of a run.
TEST(RunFiles, OpenAndMappedFilesWithoutANameAreFoundOnce) {
  const Fd proc(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Fd directory(::open("/var/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const TreeUsage before = files_of_runs(proc.get(), {::getpid()}).unnamed_on(directory.get());
  std::string open_path = "/var/tmp/cmcp-open-XXXXXX";
  std::string mapped_path = "/var/tmp/cmcp-mapped-XXXXXX";
  const Fd open_file(::mkstemp(open_path.data()));
  Fd mapped_file(::mkstemp(mapped_path.data()));
  ASSERT_EQ(::posix_fallocate(open_file.get(), 0, 1 << 20), 0);
  ASSERT_EQ(::posix_fallocate(mapped_file.get(), 0, 1 << 21), 0);
  void* memory = ::mmap(nullptr, 1 << 21, PROT_READ, MAP_SHARED, mapped_file.get(), 0);
  ASSERT_NE(memory, MAP_FAILED);
  ::unlink(open_path.c_str());
  ::unlink(mapped_path.c_str());
  mapped_file.reset();
  const TreeUsage held = files_of_runs(proc.get(), {::getpid()}).unnamed_on(directory.get());
  ::munmap(memory, 1 << 21);
  EXPECT_EQ(held.files - before.files, 2u);
  EXPECT_GE(held.bytes - before.bytes, 3u << 20);
}

}  // namespace
}  // namespace cmcp::sandbox
