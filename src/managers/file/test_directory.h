// TestDirectory: a temporary tree for the tests of this room: workspace/ inside, a canary outside
// beside it.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace cmcp::file::testing {

class TestDirectory {
 public:
  TestDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "cmcp-file-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    base_ = name;
    for (const char* sub : {"workspace", "outside", "state"})
      std::filesystem::create_directory(base_ / sub);
    put(base_ / "outside" / "canary.txt", "canary");
  }
  TestDirectory(const TestDirectory&) = delete;
  TestDirectory& operator=(const TestDirectory&) = delete;
  ~TestDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(base_, ignored);
  }

  std::string workspace() const { return (base_ / "workspace").string(); }
  std::string outside() const { return (base_ / "outside").string(); }
  std::string state() const { return (base_ / "state").string(); }
  std::filesystem::path at(std::string_view path) const { return base_ / "workspace" / path; }

  static void put(const std::filesystem::path& path, std::string_view content) {
    std::ofstream(path, std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
  }
  static std::string get(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(std::string_view path, std::string_view content) const { put(at(path), content); }
  std::string read(std::string_view path) const { return get(at(path)); }
  void link(const std::string& target, std::string_view path) const {
    std::filesystem::create_symlink(target, at(path));
  }
  void directory(std::string_view path) const { std::filesystem::create_directories(at(path)); }
  bool exists(std::string_view path) const {
    return std::filesystem::symlink_status(at(path)).type() !=
           std::filesystem::file_type::not_found;
  }
  // True while what lies outside is exactly as it was made.
  bool outside_is_untouched() const {
    const auto entries = std::distance(std::filesystem::directory_iterator(outside()),
                                       std::filesystem::directory_iterator());
    return entries == 1 && get(base_ / "outside" / "canary.txt") == "canary";
  }

 private:
  std::filesystem::path base_;
};

}  // namespace cmcp::file::testing
