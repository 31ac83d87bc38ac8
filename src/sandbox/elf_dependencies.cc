#include "sandbox/elf_dependencies.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <fstream>
#include <optional>
#include <set>

#include "base/fd.h"
#include "base/strings.h"
#include "sandbox/host_paths.h"

namespace cmcp::sandbox {
namespace {

static_assert(sizeof(void*) == 8, "only 64-bit programs are read");

constexpr std::size_t kMaxHeaders = 512;
constexpr std::size_t kMaxDynamic = 4096;
constexpr std::size_t kMaxString = 4096;
constexpr std::size_t kMaxFiles = 4096;
constexpr int kMaxIncludes = 8;

// One open file whose reads are checked against its end by the kernel: pread returns less, and that
// is an error here.
class ElfFile {
 public:
  static Result<ElfFile> open(const std::string& path) {
    Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd) {
      const int error = errno;
      const ErrorCode code = error == ENOENT || error == ENOTDIR ? ErrorCode::kNotFound
                             : error == EACCES                   ? ErrorCode::kPermissionDenied
                                                                 : ErrorCode::kIo;
      return Error(code, fmt::format("{}: {}", path, strerror(error)), error);
    }
    struct stat info{};
    if (fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
      return Error(ErrorCode::kUnsupported, fmt::format("{} is not a regular file.", path));
    }
    return ElfFile(std::move(fd), path);
  }

  template <typename T>
  Result<T> read(std::uint64_t offset) const {
    T value{};
    CMCP_CHECK_OK(read_bytes(&value, sizeof(T), offset));
    return value;
  }

  Result<std::string> read_string(std::uint64_t offset) const {
    std::string text(kMaxString, '\0');
    if (offset > INT64_MAX - kMaxString) return malformed("a string outside the file");
    const ssize_t got = pread(fd_.get(), text.data(), text.size(), static_cast<off_t>(offset));
    const auto end =
        got <= 0 ? std::string::npos : text.substr(0, static_cast<std::size_t>(got)).find('\0');
    if (end == std::string::npos) return malformed("a string without an end");
    text.resize(end);
    return text;
  }

  Error malformed(std::string_view what) const {
    return {ErrorCode::kInvalidArgument,
            fmt::format("{} is a malformed ELF file: {}.", path_, what)};
  }
  const std::string& path() const { return path_; }

 private:
  ElfFile(Fd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  Status read_bytes(void* into, std::size_t size, std::uint64_t offset) const {
    if (offset > static_cast<std::uint64_t>(INT64_MAX) - size)
      return malformed("an offset outside the file");
    const ssize_t got = pread(fd_.get(), into, size, static_cast<off_t>(offset));
    if (got < 0) return Error(ErrorCode::kIo, fmt::format("{}: {}", path_, strerror(errno)), errno);
    if (static_cast<std::size_t>(got) != size) return malformed("it ends too early");
    return {};
  }

  Fd fd_;
  std::string path_;
};

Result<std::vector<Elf64_Phdr>> program_headers(const ElfFile& file) {
  auto header = file.read<Elf64_Ehdr>(0);
  constexpr unsigned char kByteOrder =
      std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  if (!header.ok() || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != kByteOrder) {
    return Error(ErrorCode::kUnsupported,
                 fmt::format("{} is not an ELF file of this machine.", file.path()));
  }
  if (header->e_phnum > kMaxHeaders) return file.malformed("too many program headers");
  if (header->e_phnum > 0 && header->e_phentsize != sizeof(Elf64_Phdr))
    return file.malformed("program header size");
  std::vector<Elf64_Phdr> headers;
  for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
    const std::uint64_t offset = header->e_phoff + i * sizeof(Elf64_Phdr);
    if (offset < header->e_phoff) return file.malformed("program header offset");
    CMCP_TRY(const auto entry, file.read<Elf64_Phdr>(offset));
    headers.push_back(entry);
  }
  return headers;
}

// Where the byte at virtual address `address` is in the file.
std::optional<std::uint64_t> file_offset(const std::vector<Elf64_Phdr>& headers,
                                         std::uint64_t address) {
  for (const auto& header : headers) {
    if (header.p_type != PT_LOAD || address < header.p_vaddr) continue;
    const std::uint64_t into = address - header.p_vaddr;
    if (into < header.p_filesz && header.p_offset <= UINT64_MAX - into)
      return header.p_offset + into;
  }
  return std::nullopt;
}

struct Dynamic {
  std::vector<std::uint64_t> needed;
  std::optional<std::uint64_t> run_path;
  std::optional<std::uint64_t> r_path;
  std::uint64_t strings = 0;
};

Result<Dynamic> read_dynamic(const ElfFile& file, const Elf64_Phdr& header) {
  Dynamic dynamic;
  const std::uint64_t count =
      std::min<std::uint64_t>(header.p_filesz / sizeof(Elf64_Dyn), kMaxDynamic);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (header.p_offset > UINT64_MAX - i * sizeof(Elf64_Dyn))
      return file.malformed("dynamic section offset");
    CMCP_TRY(const auto entry, file.read<Elf64_Dyn>(header.p_offset + i * sizeof(Elf64_Dyn)));
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) dynamic.needed.push_back(entry.d_un.d_val);
    if (entry.d_tag == DT_RUNPATH) dynamic.run_path = entry.d_un.d_val;
    if (entry.d_tag == DT_RPATH) dynamic.r_path = entry.d_un.d_val;
    if (entry.d_tag == DT_STRTAB) dynamic.strings = entry.d_un.d_ptr;
  }
  return dynamic;
}

Status read_dynamic_strings(const ElfFile& file, const std::vector<Elf64_Phdr>& headers,
                            const Dynamic& dynamic, ElfInfo& info) {
  if (dynamic.needed.empty() && !dynamic.run_path && !dynamic.r_path) return {};
  const auto strings = file_offset(headers, dynamic.strings);
  if (!strings) return file.malformed("no string table");
  const auto text = [&](std::uint64_t index) -> Result<std::string> {
    if (*strings > UINT64_MAX - index) return file.malformed("a string index");
    return file.read_string(*strings + index);
  };
  for (const std::uint64_t index : dynamic.needed) {
    CMCP_TRY(std::string name, text(index));
    if (!name.empty()) info.needed.push_back(std::move(name));
  }
  const auto path = dynamic.run_path ? dynamic.run_path : dynamic.r_path;
  if (!path) return {};
  CMCP_TRY(const std::string joined, text(*path));
  for (std::string& part : split(joined, ':')) {
    if (!part.empty()) info.run_path.push_back(std::move(part));
  }
  return {};
}

void append_directory(std::vector<std::string>& directories, std::string_view directory) {
  if (!directory.starts_with('/')) return;
  std::string text(directory);
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  if (std::find(directories.begin(), directories.end(), text) == directories.end())
    directories.push_back(text);
}

void read_ld_so_conf(const std::string& path, int depth, std::vector<std::string>& directories) {
  if (depth > kMaxIncludes) return;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::string_view text = strip(std::string_view(line).substr(0, line.find('#')));
    if (!text.starts_with("include ") && !text.starts_with("include\t")) {
      append_directory(directories, text);
      continue;
    }
    std::string pattern(strip(text.substr(8)));
    if (!pattern.starts_with('/')) pattern = parent_of(path) + "/" + pattern;
    glob_t found{};
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
      for (std::size_t i = 0; i < found.gl_pathc; ++i)
        read_ld_so_conf(found.gl_pathv[i], depth + 1, directories);
    }
    globfree(&found);
  }
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// $ORIGIN is the directory of the file itself; other tokens name directories that no Debian program
// uses.
std::string expand(const std::string& run_path, const std::string& file) {
  std::string origin = parent_of(file);
  if (auto resolved = resolve_path(file); resolved.ok()) origin = parent_of(resolved->path);
  return replace_all(replace_all(run_path, "${ORIGIN}", origin), "$ORIGIN", origin);
}

std::optional<std::string> find_library(const std::string& name,
                                        const std::vector<std::string>& run_path,
                                        const std::vector<std::string>& directories) {
  if (name.find('/') != std::string::npos)
    return read_elf({name}).ok() ? std::optional(name) : std::nullopt;
  for (const auto* list : {&run_path, &directories}) {
    for (const auto& directory : *list) {
      const std::string candidate = directory + "/" + name;
      // A file of another class (32-bit beside 64-bit) is passed over, as the loader does.
      if (read_elf({candidate}).ok()) return candidate;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<ElfInfo> read_elf(const HostPath& path) {
  CMCP_TRY(const ElfFile file, ElfFile::open(path.value));
  CMCP_TRY(const auto headers, program_headers(file));
  ElfInfo info;
  for (const auto& header : headers) {
    if (header.p_type == PT_INTERP) {
      CMCP_TRY(info.interpreter, file.read_string(header.p_offset));
    }
    if (header.p_type != PT_DYNAMIC) continue;
    CMCP_TRY(const Dynamic dynamic, read_dynamic(file, header));
    CMCP_CHECK_OK(read_dynamic_strings(file, headers, dynamic, info));
  }
  return info;
}

std::vector<std::string> library_directories(const HostPath& conf) {
  std::vector<std::string> directories;
  read_ld_so_conf(conf.value, 0, directories);
#if defined(__x86_64__)
  const std::string triple = "x86_64-linux-gnu";
#elif defined(__aarch64__)
  const std::string triple = "aarch64-linux-gnu";
#else
#error "name the multiarch directory of this architecture"
#endif
  for (const std::string& directory :
       {"/lib/" + triple, "/usr/lib/" + triple, std::string("/lib64"), std::string("/usr/lib64"),
        std::string("/lib"), std::string("/usr/lib")}) {
    append_directory(directories, directory);
  }
  return directories;
}

Result<ElfClosure> elf_closure(const std::vector<HostPath>& programs,
                               const std::vector<std::string>& directories) {
  ElfClosure closure;
  struct Item {
    std::string path;
    std::vector<std::string> inherited;  // DT_RPATH of whoever needs it: libraries in a private
                                         // directory find each other
  };
  std::deque<Item> queue;
  for (const auto& program : programs) queue.push_back({program.value, {}});
  std::set<std::string> seen;
  std::set<std::string> interpreters;
  std::set<std::string> missing;
  while (!queue.empty()) {
    const Item item = std::move(queue.front());
    queue.pop_front();
    if (!seen.insert(item.path).second) continue;
    if (seen.size() > kMaxFiles)
      return Error(ErrorCode::kLimitExceeded, "The listed programs need too many libraries.");
    CMCP_TRY(const ElfInfo info, read_elf({item.path}));
    if (!info.interpreter.empty()) interpreters.insert(info.interpreter);
    std::vector<std::string> run_path = item.inherited;
    for (const auto& part : info.run_path) append_directory(run_path, expand(part, item.path));
    for (const auto& name : info.needed) {
      const auto found = find_library(name, run_path, directories);
      if (!found) {
        missing.insert(name);
        continue;
      }
      if (!seen.contains(*found)) closure.libraries.push_back(*found);
      queue.push_back({*found, run_path});
    }
  }
  std::sort(closure.libraries.begin(), closure.libraries.end());
  closure.libraries.erase(std::unique(closure.libraries.begin(), closure.libraries.end()),
                          closure.libraries.end());
  closure.interpreters.assign(interpreters.begin(), interpreters.end());
  closure.missing.assign(missing.begin(), missing.end());
  return closure;
}

}  // namespace cmcp::sandbox
