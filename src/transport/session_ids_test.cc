#include "transport/session_ids.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "transport/ended_sessions.h"

namespace cmcp::transport {
namespace {

using std::chrono::hours;

class TempDir {
 public:
  TempDir() { path_ = ::mkdtemp(name_); }
  ~TempDir() { std::filesystem::remove_all(path_); }
  HostPath file(const std::string& name) const { return {path_ + "/" + name}; }

 private:
  char name_[32] = "/tmp/cmcp_ids_XXXXXX";
  std::string path_;
};

const WallTime kNow{std::chrono::seconds(1'800'000'000)};

TEST(SessionIds, AnAuthenticIdSaysItsRevisionWhoeverMadeIt) {
  const std::string key = random_session_key();
  const SessionIds before(key, hours(24));
  const auto minted = before.mint("2025-06-18", {"alice"}, kNow);
  EXPECT_EQ(minted.id.find_first_of("+/= \n"), std::string::npos);
  const SessionIds after(key, hours(24));
  const auto claims = after.verify(minted.id, {"alice"}, kNow + hours(23));
  ASSERT_TRUE(claims);
  EXPECT_EQ(claims->revision, "2025-06-18");
  EXPECT_EQ(claims->nonce, minted.claims.nonce);
  EXPECT_EQ(claims->issued, kNow);
  EXPECT_EQ(after.expiry(*claims), kNow + hours(24));
}

TEST(SessionIds, OldForeignAndForgedIdsAreRefused) {
  const SessionIds ids(random_session_key(), hours(24));
  const std::string id = ids.mint("2025-11-25", {"alice"}, kNow).id;
  EXPECT_FALSE(ids.verify(id, {"alice"}, kNow + hours(25)));
  EXPECT_FALSE(ids.verify(id, {"alice"}, kNow - hours(1)));
  EXPECT_FALSE(ids.verify(id, {"bob"}, kNow));
  EXPECT_FALSE(SessionIds(random_session_key(), hours(24)).verify(id, {"alice"}, kNow));
  for (std::size_t i = 0; i < id.size(); ++i) {
    std::string forged = id;
    forged[i] = forged[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(ids.verify(forged, {"alice"}, kNow)) << i;
  }
  for (const std::string& forged :
       {std::string(), std::string("x"), id + "A", id.substr(1), id + id}) {
    EXPECT_FALSE(ids.verify(forged, {"alice"}, kNow));
  }
}

TEST(SessionIds, NoTwoAreEqual) {
  const SessionIds ids(random_session_key(), hours(24));
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(ids.mint("2025-11-25", {}, kNow).id);
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(SessionKey, IsMadeOnceAndKeptPrivate) {
  const TempDir dir;
  const HostPath path = dir.file("session.key");
  const auto made = load_or_create_session_key(path);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->size(), 32U);
  struct stat info{};
  ASSERT_EQ(::stat(path.value.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
  EXPECT_EQ(*load_or_create_session_key(path), *made);
  // Nothing is left beside it.
  const auto entries =
      std::filesystem::directory_iterator(std::filesystem::path(path.value).parent_path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST(SessionKey, BadFilesAreRefusedByName) {
  const TempDir dir;
  const HostPath open_to_all = dir.file("open");
  std::ofstream(open_to_all.value) << std::string(32, 'k');
  ::chmod(open_to_all.value.c_str(), 0644);
  const HostPath too_short = dir.file("short");
  std::ofstream(too_short.value) << "k";
  ::chmod(too_short.value.c_str(), 0600);
  const HostPath link = dir.file("link");
  ASSERT_EQ(::symlink("short", link.value.c_str()), 0);
  for (const HostPath& path : {open_to_all, too_short, link, dir.file("no/such/directory")}) {
    const auto refused = load_or_create_session_key(path);
    ASSERT_FALSE(refused.ok()) << path.value;
    EXPECT_NE(refused.error().message().find(path.value), std::string::npos);
    EXPECT_NE(refused.error().message().find("MCP_SESSION_KEY_FILE"), std::string::npos);
  }
}

TEST(EndedSessions, AreRememberedAcrossRestartsUntilTheyExpire) {
  const TempDir dir;
  const HostPath path = dir.file("ended");
  const std::string first(32, 'a');
  const std::string second(32, 'b');
  {
    EndedSessions ended(path, kNow);
    ended.add(first, kNow + hours(1));
    ended.add(second, kNow + hours(3));
    ended.add(second, kNow + hours(3));
  }
  std::ofstream(path.value, std::ios::app) << "half a li";
  EndedSessions later(path, kNow + hours(2));
  EXPECT_FALSE(later.contains(first));
  EXPECT_TRUE(later.contains(second));
  EXPECT_EQ(later.size(), 1U);
  later.add(first, kNow + hours(9));
  EXPECT_TRUE(EndedSessions(path, kNow + hours(2)).contains(first));
  later.sweep(kNow + hours(4));
  EXPECT_FALSE(later.contains(second));
  EXPECT_TRUE(later.contains(first));
}

TEST(EndedSessions, WorkInMemoryWithoutAFile) {
  EndedSessions ended({}, kNow);
  ended.add("x", kNow + hours(1));
  EXPECT_TRUE(ended.contains("x"));
  EndedSessions unwritable({"/nonexistent/ended"}, kNow);
  unwritable.add("x", kNow + hours(1));
  EXPECT_TRUE(unwritable.contains("x"));
}

}  // namespace
}  // namespace cmcp::transport
