#include "base/omission_line.h"

namespace cmcp {
namespace {

constexpr std::string_view kOpen = "[\xE2\x80\xA6 ";   // "[… "
constexpr std::string_view kClose = " \xE2\x80\xA6]";  // " …]"
constexpr std::string_view kWhat = " bytes left out";

}  // namespace

std::string omission_line(std::uint64_t omitted_bytes, std::string_view kept_uri,
                          std::uint64_t kept_bytes) {
  std::string line(kOpen);
  line += std::to_string(omitted_bytes);
  line += kWhat;
  if (!kept_uri.empty()) {
    line += "; the ";
    line += kept_bytes == 0 ? "whole" : "first " + std::to_string(kept_bytes) + " bytes";
    line += kept_bytes == 0 ? " is readable as " : " are readable as ";
    line += kept_uri;
  }
  line += kClose;
  return line;
}

bool contains_omission_line(std::string_view text) {
  for (std::size_t at = text.find(kOpen); at != std::string_view::npos;
       at = text.find(kOpen, at + 1)) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    std::size_t i = kOpen.size();
    while (i < line.size() && line[i] >= '0' && line[i] <= '9') ++i;
    if (i > kOpen.size() && line.substr(i).starts_with(kWhat) &&
        line.find(kClose, i) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace cmcp
