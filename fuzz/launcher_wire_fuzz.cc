// The bodies that server and launcher send each other. The launcher is the more privileged side:
// decoding takes any bytes, fails or gives a value, and a value that was decoded is encoded as the
// bytes that it came from.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sandbox/helper/bytes.h"
#include "sandbox/helper/profile_codec.h"
#include "sandbox/helper/wire.h"

namespace wire = cmcp::sandbox::wire;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

template <typename Decoded>
void check(const Decoded& decoded, std::string_view bytes) {
  if (decoded.ok()) require(wire::encode(*decoded) == bytes);
}

void check_profile(std::string_view bytes) {
  cmcp::sandbox::ByteReader reader(bytes);
  const auto profile = cmcp::sandbox::decode_profile(reader);
  if (!reader.complete()) return;
  cmcp::sandbox::ByteWriter writer;
  cmcp::sandbox::encode(writer, profile);
  require(writer.take() == bytes);
}

}  // namespace

// The first byte picks the message.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 6) {
    case 0:
      check(wire::decode_setup(bytes), bytes);
      break;
    case 1:
      check(wire::decode_facts(bytes), bytes);
      break;
    case 2:
      check(wire::decode_start(bytes), bytes);
      break;
    case 3:
      check(wire::decode_kill(bytes), bytes);
      break;
    case 4:
      check(wire::decode_ended(bytes), bytes);
      break;
    default:
      check_profile(bytes);
  }
  return 0;
}
