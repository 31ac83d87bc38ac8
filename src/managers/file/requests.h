// What the file operations take and give back (contract section 3). Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cmcp::file {

struct ReadRequest {
  std::string path = {};           // of the workspace, or a kept output "output:///ID/STREAM"
  std::string encoding = "utf-8";  // or one of Python's names, or "base64" for raw bytes
  std::optional<std::int64_t> offset = std::nullopt;  // lines to skip; bytes with base64
  std::optional<std::int64_t> limit = std::nullopt;   // lines to return; bytes with base64
};

struct ReadResult {
  std::string content = {};       // well-formed UTF-8
  std::uint64_t size = 0;         // of the whole file, bytes
  double modified = 0;            // seconds since the epoch
  std::uint64_t total_lines = 0;  // 0 with base64
  bool truncated = false;
  std::optional<std::uint64_t> next_offset = std::nullopt;
  std::string sha256 = {};  // of the whole file, hexadecimal
  std::string mime_type = {};
  std::string hint = {};  // "" when there is nothing to say
};

struct WriteRequest {
  std::string path = {};
  std::string content = {};
  std::string encoding = "utf-8";  // as above; base64: content is decoded to raw bytes
  bool append = false;
  std::optional<std::string> if_sha256 = std::nullopt;  // only if the file exists and has this hash
};

struct WriteResult {
  std::uint64_t size = 0;
  std::string sha256 = {};
  bool created = false;
};

struct ListRequest {
  std::string path = "/";
  std::optional<std::string> pattern = std::nullopt;
  bool recursive = true;
  std::int64_t limit = 1000;
  bool include_hidden = false;
};

struct ListEntry {
  std::string name = {};  // well-formed UTF-8: other bytes are written \xNN
  std::string path = {};  // from /workspace
  bool is_directory = false;
  std::optional<std::uint64_t> size =
      std::nullopt;  // regular files; of its target for a link inside
  std::optional<double> modified = std::nullopt;
  std::string type = {};  // file, directory, symlink, broken, fifo, socket, device, unreadable
  std::optional<std::string> symlink_target = std::nullopt;
  std::string mode = {};   // "0644"; "" when it could not be looked at
  std::string error = {};  // why it is marked; "" for a good entry
};

struct ListResult {
  std::vector<ListEntry> entries = {};  // sorted, a directory before what it holds
  bool truncated = false;
  std::uint64_t total = 0;  // how many match; at least, when the walk itself was cut
};

struct DeleteRequest {
  std::string path = {};
  bool recursive = false;
};

struct MoveRequest {
  std::string source = {};
  std::string destination = {};
  bool overwrite = false;
};

}  // namespace cmcp::file
