#include "sandbox/elf_dependencies.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sandbox/host_paths.h"

namespace cmcp::sandbox {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class ElfTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/cmcp-elf-XXXXXX";
    dir_ = mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  std::string write(const std::string& name, const std::string& bytes) {
    const std::string path = dir_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string dir_;
};

std::string bytes_of(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST_F(ElfTest, ReadsBash) {
  auto info = read_elf({"/bin/bash"});
  ASSERT_TRUE(info.ok()) << info.error().message();
  EXPECT_THAT(info->interpreter, HasSubstr("/ld-linux"));
  EXPECT_THAT(info->needed, Contains("libc.so.6"));
}

TEST_F(ElfTest, ClosureHasEveryLibraryThatTheLoaderOpens) {
  auto closure = elf_closure({{"/bin/bash"}, {"/usr/bin/grep"}}, library_directories());
  ASSERT_TRUE(closure.ok()) << closure.error().message();
  EXPECT_THAT(closure->missing, IsEmpty());
  EXPECT_EQ(closure->interpreters.size(), 1U);
  EXPECT_THAT(closure->libraries, Contains(HasSubstr("/libc.so.6")));
  EXPECT_THAT(closure->libraries, Contains(HasSubstr("/libtinfo.so")));
  for (const auto& library : closure->libraries)
    EXPECT_TRUE(std::filesystem::exists(library)) << library;
}

TEST_F(ElfTest, WhatIsNoElfFileIsNamed) {
  const auto text = read_elf({write("script", "#!/bin/sh\n")});
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code(), ErrorCode::kUnsupported);
  EXPECT_FALSE(read_elf({write("empty", "")}).ok());
  EXPECT_EQ(read_elf({dir_ + "/absent"}).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(read_elf({dir_}).error().code(), ErrorCode::kUnsupported);
}

// Every cut and every damaged header byte gives an answer, never a crash (the sanitizer presets run
// this too).
TEST_F(ElfTest, TruncatedAndDamagedFilesAreErrorsOrHarmless) {
  const std::string good = bytes_of("/bin/bash");
  std::string small = good.substr(0, 4096);
  for (std::size_t size : {0UL, 1UL, 16UL, 63UL, 64UL, 65UL, 100UL, 400UL, 1000UL, 4096UL}) {
    auto info = read_elf({write("cut", good.substr(0, size))});
    EXPECT_TRUE(size >= 64 || !info.ok()) << size;
  }
  int refused = 0;
  for (std::size_t at = 0; at < 64 + 56 * 13; ++at) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string bad = good;
      bad[at] = value;
      bad.resize(std::min<std::size_t>(bad.size(), 1 << 16));
      refused += read_elf({write("bad", bad)}).ok() ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 0);
}

TEST_F(ElfTest, HugeOffsetsAreMalformed) {
  std::string file(sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr), '\0');
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_phoff = sizeof(header);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  Elf64_Phdr interp{};
  interp.p_type = PT_INTERP;
  interp.p_offset = UINT64_MAX - 3;
  std::memcpy(file.data(), &header, sizeof(header));
  std::memcpy(file.data() + sizeof(header), &interp, sizeof(interp));
  EXPECT_EQ(read_elf({write("interp", file)}).error().code(), ErrorCode::kInvalidArgument);
  interp.p_type = PT_DYNAMIC;
  interp.p_filesz = UINT64_MAX;
  std::memcpy(file.data() + sizeof(header), &interp, sizeof(interp));
  EXPECT_EQ(read_elf({write("dynamic", file)}).error().code(), ErrorCode::kInvalidArgument);
}

TEST_F(ElfTest, LibraryDirectoriesFollowIncludesAndNotLoops) {
  write("a.conf", "# comment\n/first/\ninclude sub/*.conf\ninclude a.conf\n");
  std::filesystem::create_directory(dir_ + "/sub");
  write("sub/b.conf", "/second # why\nrelative\n");
  const auto directories = library_directories({dir_ + "/a.conf"});
  ASSERT_GE(directories.size(), 4U);
  EXPECT_EQ(directories[0], "/first");
  EXPECT_EQ(directories[1], "/second");
  EXPECT_THAT(directories, Contains("/usr/lib"));
}

TEST_F(ElfTest, ResolveKeepsTheLinksOnTheWay) {
  std::filesystem::create_directory(dir_ + "/real");
  write("real/program", "x");
  std::filesystem::create_symlink("real", dir_ + "/alias");
  std::filesystem::create_symlink(dir_ + "/alias/program", dir_ + "/link");
  auto resolved = resolve_path(dir_ + "/link");
  ASSERT_TRUE(resolved.ok());
  EXPECT_EQ(resolved->path, dir_ + "/real/program");
  ASSERT_EQ(resolved->symlinks.size(), 2U);
  EXPECT_EQ(resolved->symlinks[0].path.value, dir_ + "/link");
  EXPECT_EQ(resolved->symlinks[1].path.value, dir_ + "/alias");
  EXPECT_EQ(resolved->symlinks[1].target, "real");
  std::filesystem::create_symlink("loop", dir_ + "/loop");
  EXPECT_FALSE(resolve_path(dir_ + "/loop").ok());
  EXPECT_FALSE(resolve_path("relative").ok());
  EXPECT_EQ(resolve_path(dir_ + "/real/../alias/..").value().path, dir_);
}

TEST(HostPaths, Below) {
  EXPECT_TRUE(is_below("/a/b", "/a"));
  EXPECT_TRUE(is_below("/a", "/a/"));
  EXPECT_FALSE(is_below("/ab", "/a"));
  EXPECT_TRUE(is_below("/a", "/"));
  EXPECT_EQ(parent_of("/a/b/"), "/a");
  EXPECT_EQ(parent_of("/a"), "/");
  EXPECT_EQ(parent_of("/"), "/");
}

}  // namespace
}  // namespace cmcp::sandbox
