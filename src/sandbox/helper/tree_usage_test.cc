#include "sandbox/helper/tree_usage.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/fd.h"

namespace cmcp::sandbox {
namespace {

class TreeUsageTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/var/tmp/cmcp-tree-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    path_ = pattern;
    root_.reset(::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(root_);
  }
  void TearDown() override { std::filesystem::remove_all(path_); }

  void write(const std::string& name, std::size_t size) const {
    std::ofstream(path_ + "/" + name) << std::string(size, 'x');
  }
  TreeUsage count() const { return count_tree(root_.get()); }

  std::string path_;
  Fd root_;
};

TEST_F(TreeUsageTest, CountsBlocksAndInodesAtEveryDepth) {
  EXPECT_EQ(count().files, 0u);
  std::filesystem::create_directories(path_ + "/a/b/c");
  write("one", 100000);
  write("a/b/c/two", 50000);
  const TreeUsage usage = count();
  EXPECT_EQ(usage.files, 5u);
  EXPECT_GE(usage.bytes, 150000u);
  EXPECT_LT(usage.bytes, 400000u);
  EXPECT_EQ(usage.largest, 100000u);
  EXPECT_FALSE(usage.changed);
}

TEST_F(TreeUsageTest, HardLinksCountOnceHolesNotAtAllAndLinksAreNotFollowed) {
  write("file", 1 << 20);
  for (const char* name : {"/l1", "/l2", "/l3"})
    std::filesystem::create_hard_link(path_ + "/file", path_ + name);
  std::filesystem::create_symlink("/usr", path_ + "/usr");
  ASSERT_EQ(::truncate((std::ofstream(path_ + "/hole"), path_ + "/hole").c_str(), 1LL << 35), 0);
  const TreeUsage usage = count();
  EXPECT_EQ(usage.files, 3u);  // the file, the link, the hole
  EXPECT_GE(usage.bytes, 1u << 20);
  EXPECT_LT(usage.bytes, 3u << 20);
  EXPECT_EQ(usage.largest, std::uint64_t{1} << 35);
}

// Deeper than there are descriptors, and than a path may be long.
TEST_F(TreeUsageTest, ATreeOfAnyDepthIsCounted) {
  constexpr std::uint64_t kDepth = 400;
  Fd at(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (std::uint64_t i = 0; i < kDepth; ++i) {
    ASSERT_EQ(::mkdirat(at.get(), "d", 0755), 0);
    ASSERT_EQ(::mkdirat(at.get(), "e", 0755), 0);
    at.reset(::openat(at.get(), "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(at);
  }
  at.reset();
  const TreeUsage usage = count();
  EXPECT_EQ(usage.files, 2 * kDepth);
  EXPECT_FALSE(usage.changed);
  // The standard library's removal holds a descriptor for each level.
  for (std::uint64_t i = 0; i < kDepth; ++i) {
    ASSERT_EQ(::rename((path_ + "/d").c_str(), (path_ + "/x").c_str()), 0);
    ASSERT_EQ(::rmdir((path_ + "/e").c_str()), 0);
    if (i + 1 < kDepth) {
      ASSERT_EQ(::rename((path_ + "/x/d").c_str(), (path_ + "/d").c_str()), 0);
      ASSERT_EQ(::rename((path_ + "/x/e").c_str(), (path_ + "/e").c_str()), 0);
    }
    ASSERT_EQ(::rmdir((path_ + "/x").c_str()), 0);
  }
}

TEST_F(TreeUsageTest, TheBoundOnEntriesIsKeptAndSaid) {
  for (int i = 0; i < 20; ++i) write("f" + std::to_string(i), 1);
  const TreeUsage usage = count_tree(root_.get(), 10);
  EXPECT_EQ(usage.files, 10u);
  EXPECT_TRUE(usage.changed);
}

TEST_F(TreeUsageTest, WhatMayNotBeReadIsNotCounted) {
  std::filesystem::create_directory(path_ + "/closed");
  write("closed/file", 1000);
  ASSERT_EQ(::chmod((path_ + "/closed").c_str(), 0), 0);
  const TreeUsage usage = count();
  ASSERT_EQ(::chmod((path_ + "/closed").c_str(), 0700), 0);
  EXPECT_EQ(usage.files, ::geteuid() == 0 ? 2u : 1u);  // root may read every directory
  EXPECT_FALSE(usage.changed);
}

}  // namespace
}  // namespace cmcp::sandbox
