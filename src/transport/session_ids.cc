#include "transport/session_ids.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/base64.h"
#include "base/fd.h"
#include "base/scope_guard.h"
#include "base/strings.h"

namespace cmcp::transport {

namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kNonceBytes = 16;
constexpr std::size_t kIssuedBytes = 8;
constexpr std::size_t kRevisionBytes = 4;
constexpr std::size_t kPayloadBytes = kNonceBytes + kIssuedBytes + kRevisionBytes;
constexpr std::size_t kMacBytes = 32;
// A clock that is set back a little must not end sessions.
constexpr std::chrono::minutes kClockSlack{10};

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  // Without random numbers nothing here can be kept secret: there is no going on.
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) != 1)
    std::abort();
  return bytes;
}

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out.append({kHex[byte >> 4U], kHex[byte & 15U]});
  }
  return out;
}

void append_number(std::string& out, std::uint64_t number, std::size_t bytes) {
  for (std::size_t i = bytes; i-- > 0;)
    out.push_back(static_cast<char>((number >> (8 * i)) & 0xFFU));
}

std::uint64_t read_number(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char c : bytes) number = (number << 8U) | static_cast<unsigned char>(c);
  return number;
}

// "2025-06-18" as 20250618; 0 for anything else.
std::uint64_t revision_number(std::string_view revision) {
  if (revision.size() != 10 || revision[4] != '-' || revision[7] != '-') return 0;
  const auto number =
      parse_int(std::string(revision.substr(0, 4)) + std::string(revision.substr(5, 2)) +
                std::string(revision.substr(8, 2)));
  return number && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
}

std::string revision_text(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  if (digits.size() != 8) return {};
  return digits.substr(0, 4) + "-" + digits.substr(4, 2) + "-" + digits.substr(6, 2);
}

Error key_error(ErrorCode code, const HostPath& path, const std::string& what, int os_errno = 0) {
  return {code, "session key " + path.value + " (MCP_SESSION_KEY_FILE): " + what, os_errno};
}

Result<std::string> read_key(const HostPath& path) {
  const Fd file(::open(path.value.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) {
    const int code = errno;
    return key_error(code == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo, path,
                     std::strerror(code), code);
  }
  struct stat info{};
  if (::fstat(file.get(), &info) != 0)
    return key_error(ErrorCode::kIo, path, std::strerror(errno), errno);
  if (!S_ISREG(info.st_mode) || (info.st_mode & 077U) != 0) {
    return key_error(
        ErrorCode::kInvalidArgument, path,
        "it must be a regular file that only its owner can read; run chmod 600 on it or remove it");
  }
  std::string key(kKeyBytes, '\0');
  if (::read(file.get(), key.data(), key.size()) != static_cast<ssize_t>(key.size())) {
    return key_error(ErrorCode::kInvalidArgument, path,
                     "it holds fewer than 32 bytes; remove it and a new one is made");
  }
  return key;
}

}  // namespace

std::string random_session_key() {
  return random_bytes(kKeyBytes);
}

std::string random_session_name() {
  return to_hex(random_bytes(kNonceBytes));
}

Result<std::string> load_or_create_session_key(const HostPath& path) {
  auto existing = read_key(path);
  if (existing.ok() || existing.error().code() != ErrorCode::kNotFound) return existing;
  const std::string key = random_session_key();
  const std::string temporary = path.value + "." + to_hex(random_bytes(8));
  const Fd file(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file)
    return key_error(ErrorCode::kIo, path, std::string("cannot be made: ") + std::strerror(errno),
                     errno);
  const ScopeGuard remove_temporary([&] { ::unlink(temporary.c_str()); });
  if (::write(file.get(), key.data(), key.size()) != static_cast<ssize_t>(key.size()) ||
      ::fsync(file.get()) != 0) {
    return key_error(ErrorCode::kIo, path,
                     std::string("cannot be written: ") + std::strerror(errno), errno);
  }
  // link() never replaces: of two servers that start together one makes the key and both use it.
  if (::link(temporary.c_str(), path.value.c_str()) != 0 && errno != EEXIST) {
    return key_error(ErrorCode::kIo, path, std::string("cannot be made: ") + std::strerror(errno),
                     errno);
  }
  return read_key(path);
}

SessionIds::SessionIds(std::string key, std::chrono::seconds max_age)
    : key_(std::move(key)), max_age_(max_age) {}

std::string SessionIds::sign(std::string_view payload, const auth::Principal& principal) const {
  std::string text = "container-mcp session 1";
  text.append(payload).append(principal.id);
  std::string mac(kMacBytes, '\0');
  unsigned int length = 0;
  const unsigned char* done = HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
                                   reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                                   reinterpret_cast<unsigned char*>(mac.data()), &length);
  if (done == nullptr || length != kMacBytes) std::abort();
  return mac;
}

SessionIds::Minted SessionIds::mint(std::string_view revision, const auth::Principal& principal,
                                    WallTime now) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch());
  std::string payload = random_bytes(kNonceBytes);
  SessionClaims claims{to_hex(payload), std::string(revision), WallTime(seconds)};
  append_number(payload, static_cast<std::uint64_t>(seconds.count()), kIssuedBytes);
  append_number(payload, revision_number(revision), kRevisionBytes);
  return {base64::encode_url(payload + sign(payload, principal)), std::move(claims)};
}

std::optional<SessionClaims> SessionIds::verify(std::string_view id,
                                                const auth::Principal& principal,
                                                WallTime now) const {
  const auto decoded = base64::decode_url(id);
  if (!decoded.ok() || decoded->size() != kPayloadBytes + kMacBytes) return std::nullopt;
  const std::string_view payload = std::string_view(*decoded).substr(0, kPayloadBytes);
  const std::string expected = sign(payload, principal);
  if (CRYPTO_memcmp(expected.data(), decoded->data() + kPayloadBytes, kMacBytes) != 0)
    return std::nullopt;
  const auto issued = std::chrono::seconds(read_number(payload.substr(kNonceBytes, kIssuedBytes)));
  SessionClaims claims{to_hex(payload.substr(0, kNonceBytes)),
                       revision_text(read_number(payload.substr(kNonceBytes + kIssuedBytes))),
                       WallTime(issued)};
  if (now > expiry(claims) || claims.issued > now + kClockSlack) return std::nullopt;
  return claims;
}

}  // namespace cmcp::transport
