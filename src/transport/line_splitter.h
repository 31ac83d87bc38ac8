// LineSplitter: newline-delimited framing with a length limit. No descriptors, no JSON.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace cmcp::transport {

class LineSplitter {
 public:
  struct Sink {
    std::function<void(std::string_view line)> line;  // without "\n" or "\r\n"
    std::function<void()>
        too_long;  // once for a line above the limit; it is skipped to its newline
  };
  LineSplitter(std::size_t max_line_bytes, Sink sink);

  // Bytes in pieces of any size. The views given to the sink live until it returns.
  void feed(std::string_view bytes);
  // End of input: what stands after the last newline counts as a line.
  void finish();

 private:
  void piece(std::string_view bytes);
  void end_line();

  std::size_t max_;
  Sink sink_;
  std::string partial_;
  bool skipping_ = false;
};

}  // namespace cmcp::transport
