// What pid 1 of a sandbox must be: a small static program that needs nobody.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "os/file.h"

namespace cmcp::sandbox {
namespace {

TEST(Init, IsSmallStaticAndWithoutUndefinedSymbols) {
  const auto file = os::read_file(CMCP_INIT_PROGRAM, 1 << 20);
  ASSERT_TRUE(file.ok()) << file.error().message();
  EXPECT_LT(file->size(), 16u * 1024);
  Elf64_Ehdr header{};
  ASSERT_GE(file->size(), sizeof(header));
  std::memcpy(&header, file->data(), sizeof(header));
  ASSERT_EQ(std::memcmp(header.e_ident, ELFMAG, SELFMAG), 0);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    std::memcpy(&segment, file->data() + header.e_phoff + i * sizeof(segment), sizeof(segment));
    EXPECT_NE(segment.p_type, static_cast<Elf64_Word>(PT_INTERP));
    EXPECT_NE(segment.p_type, static_cast<Elf64_Word>(PT_DYNAMIC));
    const bool writable_code =
        segment.p_type == PT_LOAD && (segment.p_flags & (PF_W | PF_X)) == (PF_W | PF_X);
    EXPECT_FALSE(writable_code);
  }
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    std::memcpy(&section, file->data() + header.e_shoff + i * sizeof(section), sizeof(section));
    if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
    for (std::size_t at = sizeof(Elf64_Sym); at < section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol{};
      std::memcpy(&symbol, file->data() + section.sh_offset + at, sizeof(symbol));
      EXPECT_NE(symbol.st_shndx, SHN_UNDEF) << "symbol " << at / sizeof(symbol);
    }
  }
}

}  // namespace
}  // namespace cmcp::sandbox
