#include "sandbox/helper/cgroup_directory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "os/file.h"

namespace cmcp::sandbox {
namespace {

// A directory stands for the cgroup: names and locks are the same there.
class CgroupDirectoryTest : public testing::Test {
 protected:
  CgroupDirectoryTest() {
    EXPECT_NE(::mkdtemp(path_.data()), nullptr);
    parent_ = Fd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  ~CgroupDirectoryTest() override {
    for (const auto& name : names()) remove_cgroup_directory(parent_.get(), name);
    ::rmdir(path_.c_str());
  }

  std::vector<std::string> names() const {
    auto list = os::list_directory(parent_.get());
    EXPECT_TRUE(list.ok());
    return list.ok() ? *list : std::vector<std::string>();
  }
  // The pid of a process that has been reaped.
  static pid_t gone() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
    return child;
  }
  std::string make_with_slot(pid_t pid) {
    const std::string name = "container-mcp-" + std::to_string(pid);
    EXPECT_EQ(::mkdirat(parent_.get(), name.c_str(), 0755), 0);
    EXPECT_EQ(::mkdirat(parent_.get(), (name + "/slot-0").c_str(), 0755), 0);
    return name;
  }

  std::string path_ = testing::TempDir() + "cmcp-cgroup-XXXXXX";
  Fd parent_;
};

TEST_F(CgroupDirectoryTest, WhatADeadLauncherLeftIsRemovedWithItsSlots) {
  make_with_slot(gone());
  remove_abandoned_directories(parent_.get(), Dying::kLeave);
  EXPECT_TRUE(names().empty());
}

TEST_F(CgroupDirectoryTest, OneThatIsHeldStaysThoughItsPidLooksGone) {
  // As a launcher in another pid namespace looks from here.
  auto own = make_cgroup_directory(parent_.get());
  ASSERT_TRUE(own.ok());
  EXPECT_EQ(own->name, "container-mcp-" + std::to_string(::getpid()));
  const std::string taken = "container-mcp-" + std::to_string(gone());
  ASSERT_EQ(::renameat(parent_.get(), own->name.c_str(), parent_.get(), taken.c_str()), 0);
  remove_abandoned_directories(parent_.get(), Dying::kLeave);
  EXPECT_EQ(names(), std::vector<std::string>{taken});
  own->fd.reset();
  remove_abandoned_directories(parent_.get(), Dying::kLeave);
  EXPECT_TRUE(names().empty());
}

TEST_F(CgroupDirectoryTest, ANameThatIsHeldIsNotSharedWithAnotherLauncherOfTheSamePid) {
  auto first = make_cgroup_directory(parent_.get());
  auto second = make_cgroup_directory(parent_.get());
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(second->name, first->name + "-1");
}

TEST_F(CgroupDirectoryTest, OneOfALivingProcessAndForeignNamesStay) {
  make_with_slot(::getppid());
  ASSERT_EQ(::mkdirat(parent_.get(), "container-mcp-x", 0755), 0);
  ASSERT_EQ(::mkdirat(parent_.get(), "other", 0755), 0);
  remove_abandoned_directories(parent_.get(), Dying::kLeave);
  EXPECT_EQ(names().size(), 3U);
}

}  // namespace
}  // namespace cmcp::sandbox
