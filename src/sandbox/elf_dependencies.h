// What an ELF program needs before its first instruction: the loader and the shared libraries, read
// from the files themselves (nothing is executed, as ldd would). Files are untrusted: every offset
// is checked.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace cmcp::sandbox {

// The dynamic section of one file. For a static program everything is empty.
struct ElfInfo {
  std::string interpreter;            // PT_INTERP
  std::vector<std::string> needed;    // DT_NEEDED, in order
  std::vector<std::string> run_path;  // DT_RUNPATH, else DT_RPATH, split at colons, not expanded
};

// kNotFound, kPermissionDenied or kIo when the file cannot be read; kUnsupported when it is no ELF
// file of this machine's class and byte order; kInvalidArgument when it is malformed.
Result<ElfInfo> read_elf(const HostPath& path);

// Where the loader looks besides run paths: /etc/ld.so.conf (with its includes), then the built-in
// directories.
std::vector<std::string> library_directories(const HostPath& conf = {"/etc/ld.so.conf"});

struct ElfClosure {
  std::vector<std::string> interpreters;  // as named by PT_INTERP: symlinks not resolved
  std::vector<std::string> libraries;     // absolute paths as the loader would open them, each once
  std::vector<std::string> missing;       // names that no directory has
};

// Everything that `programs` need, transitively. A program that is no ELF file is an error, a
// broken library too.
Result<ElfClosure> elf_closure(const std::vector<HostPath>& programs,
                               const std::vector<std::string>& directories);

}  // namespace cmcp::sandbox
