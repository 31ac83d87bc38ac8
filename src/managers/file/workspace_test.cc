#include "managers/file/workspace.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "managers/file/test_directory.h"

namespace cmcp::file {
namespace {

using testing::TestDirectory;

class WorkspaceTest : public ::testing::TestWithParam<WalkMode> {
 protected:
  void SetUp() override {
    workspace_.set_walk_mode(GetParam());
    files_.directory("sub/deep");
    files_.write("a.txt", "A");
    files_.write("sub/b.txt", "B");
  }
  Result<Place> find(std::string_view path, FinalLink link = FinalLink::kFollow) {
    return workspace_.resolve(path, link);
  }
  std::string path_of(std::string_view path) {
    Result<Place> place = find(path);
    return place.ok() ? place->path : "error: " + place.error().message();
  }
  std::string refusal(std::string_view path) {
    Result<Place> place = find(path);
    return place.ok() ? "resolved to " + place->path : place.error().message();
  }

  TestDirectory files_;
  Workspace workspace_ = Workspace::open(HostPath{files_.workspace()}).value();
};

TEST_P(WorkspaceTest, SpellingsOfOneFile) {
  for (const char* path :
       {"sub/b.txt", "/sub/b.txt", "/workspace/sub/b.txt", "./sub//b.txt", "//workspace//sub/b.txt",
        "sub/../sub/b.txt", "sub/deep/../b.txt", "/sub/./b.txt"}) {
    EXPECT_EQ(path_of(path), "sub/b.txt") << path;
  }
  for (const char* path : {"", "/", ".", "/workspace", "/workspace/", "sub/..", "//"})
    EXPECT_EQ(path_of(path), "") << path;
  EXPECT_EQ(path_of("/workspacex"), "workspacex");
  EXPECT_EQ(path_of("/data/x"), "error: Path not found: /data/x");
}

TEST_P(WorkspaceTest, PathsThatClimbOutAreRefused) {
  for (const char* path :
       {"../outside.txt", "subdir/../../outside.txt", "..", "/..", "/workspace/../x",
        "sub/../../outside/canary.txt", "../workspace-secret/x.txt", "../workspace/a.txt"}) {
    EXPECT_NE(refusal(path).find("Path traversal"), std::string::npos)
        << path << ": " << refusal(path);
  }
  // The text is the same whether or not something is there.
  std::string there = refusal("../outside/canary.txt");
  std::string absent = refusal("../outside/missing.txt");
  there.replace(there.find("canary"), 6, "X");
  absent.replace(absent.find("missing"), 7, "X");
  EXPECT_EQ(there, absent);
}

TEST_P(WorkspaceTest, SiblingWithTheSamePrefix) {
  const std::string sibling = files_.workspace() + "-secret";
  std::filesystem::create_directory(sibling);
  TestDirectory::put(sibling + "/x.txt", "secret");
  EXPECT_NE(refusal("../workspace-secret/x.txt").find("Path traversal"), std::string::npos);
  // An absolute host path is a path of the workspace, where it does not exist.
  EXPECT_NE(refusal(sibling + "/x.txt").find("Path not found"), std::string::npos);
  EXPECT_FALSE(workspace_.check_directory("../workspace-secret").ok());
  EXPECT_FALSE(workspace_.check_directory(sibling).ok());
}

TEST_P(WorkspaceTest, LinksInside) {
  files_.link("/workspace/sub/b.txt", "absolute");
  files_.link("sub", "relative");
  files_.link("../a.txt", "sub/up");
  files_.link("/workspace", "root");
  files_.link("absolute", "chain");
  files_.link("sub/new.txt", "dangling");
  EXPECT_EQ(path_of("absolute"), "sub/b.txt");
  EXPECT_EQ(path_of("relative/b.txt"), "sub/b.txt");
  EXPECT_EQ(path_of("relative"), "sub");
  EXPECT_EQ(path_of("sub/up"), "a.txt");
  EXPECT_EQ(path_of("root/root/relative/up"), "a.txt");
  EXPECT_EQ(path_of("chain"), "sub/b.txt");
  EXPECT_EQ(path_of("dangling"), "sub/new.txt");
  EXPECT_EQ(path_of("relative/deep/.."), "sub");
  EXPECT_EQ(find("chain", FinalLink::kKeep).value().name, "chain");
}

TEST_P(WorkspaceTest, LinksThatLeadOut) {
  files_.link("/etc", "etclink");
  files_.link("/etc/newfile", "dang");
  files_.link("../outside", "sibling");
  files_.link("../../outside/canary.txt", "sub/canary");
  files_.link("/proc/self/root", "magic");
  files_.link("/workspace/../etc", "rerooted");
  files_.link("/workspacex", "prefix");
  for (const char* path :
       {"etclink/new.txt", "dang", "etclink", "sub/../etclink/x.txt", "sibling/canary.txt",
        "sub/canary", "magic/etc/passwd", "rerooted/passwd", "prefix/a"}) {
    EXPECT_NE(refusal(path).find("Path traversal"), std::string::npos)
        << path << ": " << refusal(path);
  }
  EXPECT_TRUE(files_.outside_is_untouched());
}

TEST_P(WorkspaceTest, LinkLoops) {
  files_.link("loop", "loop");
  files_.link("two", "one");
  files_.link("one", "two");
  EXPECT_NE(refusal("loop").find("Too many symbolic links"), std::string::npos);
  EXPECT_NE(refusal("one/x").find("Too many symbolic links"), std::string::npos);
}

TEST_P(WorkspaceTest, OddNames) {
  EXPECT_NE(refusal(std::string_view("a\0b", 3)).find("NUL"), std::string::npos);
  EXPECT_NE(refusal(std::string(256, 'n')).find("File name too long: 256 bytes"),
            std::string::npos);
  EXPECT_EQ(path_of(std::string(255, 'n')), std::string(255, 'n'));
  EXPECT_EQ(path_of("line\nbreak"), "line\nbreak");
  std::string deep;
  for (int i = 0; i < 4096; ++i) deep += "d/";
  EXPECT_NE(refusal(deep).find("Path too long: 8192 bytes"), std::string::npos);
  EXPECT_NE(refusal("a.txt/x").find("Path not found"), std::string::npos);
  EXPECT_EQ(refusal("bad\xffname/x"), "Path not found: bad\\xffname/x");
}

TEST_P(WorkspaceTest, ParentsAreMadeInsideOnly) {
  files_.link("/etc", "etclink");
  EXPECT_EQ(workspace_.resolve("n1/n2/x.txt", FinalLink::kFollow, Parents::kCreate).value().path,
            "n1/n2/x.txt");
  EXPECT_TRUE(std::filesystem::is_directory(files_.at("n1/n2")));
  EXPECT_FALSE(workspace_.resolve("etclink/n3/x.txt", FinalLink::kFollow, Parents::kCreate).ok());
  EXPECT_FALSE(workspace_.resolve("../n4/x.txt", FinalLink::kFollow, Parents::kCreate).ok());
  EXPECT_FALSE(std::filesystem::exists(files_.workspace() + "/../n4"));
}

TEST_P(WorkspaceTest, CheckDirectory) {
  files_.link("/workspace/sub", "link");
  files_.link("/etc", "etclink");
  EXPECT_EQ(workspace_.check_directory("").value(), "");
  EXPECT_EQ(workspace_.check_directory("/workspace").value(), "");
  EXPECT_EQ(workspace_.check_directory("/workspace/link/deep").value(), "sub/deep");
  EXPECT_EQ(workspace_.check_directory("missing").error().message(),
            "Working directory not found: missing");
  EXPECT_EQ(workspace_.check_directory("a.txt").error().message(),
            "Working directory is not a directory: a.txt");
  EXPECT_NE(workspace_.check_directory("etclink").error().message().find("Path traversal"),
            std::string::npos);
  EXPECT_NE(workspace_.check_directory("/workspace/../..").error().message().find("Path traversal"),
            std::string::npos);
}

TEST_P(WorkspaceTest, SeveralNamedWorkspaces) {
  std::vector<WorkspaceRoot> roots;
  for (const char* name : {"one", "two"}) {
    files_.directory(name);
    roots.push_back(
        {name, Fd(::open(files_.at(name).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)), false});
  }
  files_.write("two/x.txt", "X");
  files_.link("../two/x.txt", "one/across");
  files_.link("/workspace/two/x.txt", "one/absolute");
  files_.link("../../a.txt", "one/out");
  Workspace named = Workspace::from_roots(std::move(roots)).value();
  named.set_walk_mode(GetParam());
  const auto path_in = [&](std::string_view path) {
    Result<Place> place = named.resolve(path, FinalLink::kFollow);
    return place.ok() ? place->path : place.error().message();
  };
  EXPECT_EQ(path_in("/workspace/two/x.txt"), "two/x.txt");
  EXPECT_EQ(path_in("two/x.txt"), "two/x.txt");
  EXPECT_EQ(path_in("one/across"), "two/x.txt");
  EXPECT_EQ(path_in("one/absolute"), "two/x.txt");
  EXPECT_EQ(path_in("one/../two/x.txt"), "two/x.txt");
  EXPECT_NE(path_in("one/out").find("Path traversal"), std::string::npos);
  EXPECT_NE(path_in("one/../../x").find("Path traversal"), std::string::npos);
  EXPECT_NE(path_in("three/x").find("one, two"), std::string::npos);
  EXPECT_TRUE(named.resolve("/", FinalLink::kFollow).value().is_name_list());
  EXPECT_EQ(named.check_directory("two").value(), "two");
  EXPECT_EQ(named.check_directory("/").value(), "");
}

TEST_P(WorkspaceTest, NamedWorkspacesOverTheMainOne) {
  files_.directory("extra");
  files_.write("extra/hidden.txt", "below the mount");
  files_.link("../a.txt", "sub/to_base");
  std::vector<WorkspaceRoot> roots;
  roots.push_back(
      {"", Fd(::open(files_.workspace().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)), false});
  roots.push_back(
      {"extra", Fd(::open(files_.at("sub").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)), true});
  Workspace mixed = Workspace::from_roots(std::move(roots)).value();
  mixed.set_walk_mode(GetParam());
  const Place inside = mixed.resolve("extra/b.txt", FinalLink::kFollow).value();
  EXPECT_EQ(inside.path, "extra/b.txt");
  EXPECT_TRUE(inside.root->read_only);
  EXPECT_EQ(::faccessat(inside.parent.get(), "b.txt", F_OK, 0), 0);
  EXPECT_EQ(mixed.resolve("extra/../a.txt", FinalLink::kFollow).value().path, "a.txt");
  EXPECT_EQ(mixed.resolve("extra/to_base", FinalLink::kFollow).value().path, "a.txt");
  EXPECT_TRUE(mixed.resolve("extra", FinalLink::kKeep).value().is_root());
  EXPECT_EQ(mixed.check_directory("extra/deep").value(), "extra/deep");
  EXPECT_EQ(mixed.check_directory("extra").value(), "extra");
}

INSTANTIATE_TEST_SUITE_P(Modes, WorkspaceTest,
                         ::testing::Values(WalkMode::kOpenat2, WalkMode::kComponentWalk),
                         [](const auto& row) {
                           return row.param == WalkMode::kOpenat2 ? "openat2" : "component_walk";
                         });

TEST(WorkspaceRoots, BadOnes) {
  EXPECT_FALSE(Workspace::from_roots({}).ok());
  EXPECT_EQ(Workspace::open(HostPath{"/nonexistent/dir"}).error().code(), ErrorCode::kNotFound);
  std::vector<WorkspaceRoot> twice;
  twice.push_back({"a", Fd(::open("/", O_PATH | O_CLOEXEC)), false});
  twice.push_back({"a", Fd(::open("/", O_PATH | O_CLOEXEC)), false});
  EXPECT_FALSE(Workspace::from_roots(std::move(twice)).ok());
}

}  // namespace
}  // namespace cmcp::file
