#include "os/memfd.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "os/error.h"
#include "os/file.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

namespace cmcp::os {

Result<Fd> sealed_memfd(const std::string& name, std::string_view content, MemfdUse use) {
  const unsigned base = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  const unsigned kind = use == MemfdUse::kProgram ? MFD_EXEC : MFD_NOEXEC_SEAL;
  int raw = ::memfd_create(name.c_str(), base | kind);
  if (raw < 0 && errno == EINVAL) raw = ::memfd_create(name.c_str(), base);  // before Linux 6.3
  if (raw < 0) return last_error("memfd_create", name);
  Fd fd(raw);
  CMCP_CHECK_OK(write_all(fd.get(), content));
  if (::lseek(fd.get(), 0, SEEK_SET) != 0) return last_error("lseek", name);
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) !=
      0) {
    return last_error("fcntl", "F_ADD_SEALS " + name);
  }
  return fd;
}

}  // namespace cmcp::os
