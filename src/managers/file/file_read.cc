#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "base/base64.h"
#include "managers/file/content_type.h"
#include "managers/file/file_core.h"
#include "managers/file/line_page.h"
#include "managers/file/regular_file.h"
#include "managers/file/text_codec.h"

namespace cmcp::file {
namespace {

constexpr std::string_view kBase64 = "base64";

Result<std::uint64_t> count_argument(const char* name, const std::optional<std::int64_t>& given) {
  if (given.value_or(0) >= 0) return static_cast<std::uint64_t>(given.value_or(0));
  return Error(ErrorCode::kInvalidArgument,
               std::string(name) + " is " + std::to_string(*given) + "; it must be 0 or more");
}

// Raw bytes as base64: offset and limit count bytes; without limit, what fits the budget.
void present_base64(std::string_view bytes, std::uint64_t offset,
                    const std::optional<std::uint64_t>& limit, std::size_t max_chars,
                    ReadResult& result) {
  const auto begin = static_cast<std::size_t>(std::min<std::uint64_t>(offset, bytes.size()));
  const std::string_view rest = bytes.substr(begin);
  std::uint64_t most = rest.size();
  // Multiples of three: pieces that are decoded one by one and joined give the file.
  if (max_chars > 0) most = std::max<std::uint64_t>(max_chars / 4 * 3, 3);
  most = limit.value_or(most);
  const std::string_view piece =
      rest.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(most, rest.size())));
  result.content = base64::encode(piece);
  result.truncated = piece.size() < rest.size();
  if (!result.truncated) return;
  result.next_offset = begin + piece.size();
  if (!limit)
    result.hint =
        "With base64, offset and limit count bytes; limit: " + std::to_string(bytes.size()) +
        " returns all";
}

std::string binary_refusal(std::string_view type, std::size_t size, std::string_view path) {
  return "Binary content cannot be returned as text: " + shown(path) + " is " + std::string(type) +
         ", " + std::to_string(size) + " bytes; read it with encoding \"base64\"";
}

// Bytes that decode by accident (latin-1 takes any) are still no text.
bool is_binary(std::string_view bytes, const TextCodec& codec, bool decoded) {
  if (codec.has_zero_bytes()) return false;
  const bool zeros = has_zero_byte(bytes);
  if (!signature_type(bytes).empty() && (zeros || !decoded || !codec.is_utf8())) return true;
  return zeros && (!decoded || !codec.is_utf8());
}

double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

}  // namespace

struct FileCore::LoadedFile {
  std::string bytes;
  std::string name;
  double modified = 0;
};

std::string sha256_hex(std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr);
  std::string out;
  for (unsigned int i = 0; i < length; ++i)
    out.append({kHex[digest[i] >> 4U], kHex[digest[i] & 15U]});
  return out;
}

Result<FileCore> FileCore::create(const FileOptions& options) {
  CMCP_TRY(PathLock lock, PathLock::open(options.state_dir));
  return FileCore(options, std::move(lock));
}

Result<FileCore::LoadedFile> FileCore::load(const Workspace& workspace, const std::string& path,
                                            const CancelFlag& cancel) const {
  const auto attempt = [&]() -> Result<LoadedFile> {
    Result<Place> place = workspace.resolve(path, FinalLink::kFollow);
    if (!place.ok()) {
      if (place.error().code() != ErrorCode::kNotFound) return place.take_error();
      return Error(ErrorCode::kNotFound, "File not found: " + shown(path));
    }
    if (place->is_root())
      return Error(ErrorCode::kInvalidArgument, "Path is a directory: " + shown(path));
    Result<RegularFile> file = open_regular(*place, path);
    // A missing file is told as such whatever its extension; what is there obeys the rule.
    if (!file.ok()) return file.take_error();
    CMCP_CHECK_OK(rule_.check(place->name, ExtensionRule::Access::kRead, path));
    CMCP_TRY(std::string bytes, read_all(*file, options_.max_size, path, cancel));
    return LoadedFile{std::move(bytes), place->name, seconds(file->status.st_mtim)};
  };
  return retry_while_swapped(attempt, path);
}

Result<ReadResult> FileCore::read(const Workspace& workspace, const ReadRequest& request,
                                  const CancelFlag& cancel) const {
  CMCP_TRY(const LoadedFile file, load(workspace, request.path, cancel));
  CMCP_TRY(ReadResult result, present(file.bytes, file.name, request));
  result.modified = file.modified;
  return result;
}

Result<FileCore::RawFile> FileCore::read_raw(const Workspace& workspace, const std::string& path,
                                             const CancelFlag& cancel) const {
  CMCP_TRY(LoadedFile file, load(workspace, path, cancel));
  std::string type = mime_type(file.name, file.bytes);
  return RawFile{std::move(file.bytes), std::move(type)};
}

Result<ReadResult> FileCore::present(std::string_view bytes, std::string_view name,
                                     const ReadRequest& request) const {
  CMCP_TRY(const std::uint64_t offset, count_argument("offset", request.offset));
  CMCP_TRY(const std::uint64_t limit_value, count_argument("limit", request.limit));
  const std::optional<std::uint64_t> limit =
      request.limit ? std::optional(limit_value) : std::nullopt;
  ReadResult result;
  result.size = bytes.size();
  result.mime_type = mime_type(name, bytes);
  result.sha256 = sha256_hex(bytes);
  if (request.encoding == kBase64) {
    present_base64(bytes, offset, limit, options_.output_max_chars, result);
    return result;
  }
  CMCP_TRY(const TextCodec codec, TextCodec::find(request.encoding));
  Result<std::string> text = codec.decode(bytes);
  if (is_binary(bytes, codec, text.ok())) {
    return Error(ErrorCode::kInvalidArgument,
                 binary_refusal(result.mime_type, bytes.size(), request.path));
  }
  if (!text.ok()) {
    return Error(ErrorCode::kInvalidArgument,
                 text.error().message() + " (" + shown(request.path) +
                     "); give the file's encoding, or base64 for its raw bytes");
  }
  const LinePage page = page_of(*text, {offset, limit, options_.output_max_chars});
  result.content = std::string(page.text);
  result.total_lines = page.total_lines;
  result.truncated = page.truncated;
  result.next_offset = page.next_offset;
  result.hint = page.hint;
  return result;
}

}  // namespace cmcp::file
