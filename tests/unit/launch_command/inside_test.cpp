#include "launch/command/inside.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "support/leftovers.hpp"

namespace weft::launch::command {
namespace {

template <class T>
std::string raw(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

/// A file that has a table of symbols, each of them defined if `section` says so, and nothing else.
std::string elf(const std::vector<std::string>& names, std::uint16_t section = 1) {
  std::string texts(1, '\0');
  std::string symbols;
  for (const std::string& name : names) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<std::uint32_t>(texts.size());
    symbol.st_shndx = section;
    symbols += raw(symbol);
    texts += name + '\0';
  }
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shoff = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  Elf64_Shdr table{};
  table.sh_type = SHT_SYMTAB;
  table.sh_link = 2;
  table.sh_offset = sizeof header + 3 * sizeof table;
  table.sh_size = symbols.size();
  Elf64_Shdr strings{};
  strings.sh_type = SHT_STRTAB;
  strings.sh_offset = table.sh_offset + table.sh_size;
  strings.sh_size = texts.size();
  return raw(header) + raw(Elf64_Shdr{}) + raw(table) + raw(strings) + symbols + texts;
}

class InsideTest : public testing::Test {
 protected:
  bool has(const std::string& content) {
    const std::string path = files.path() + "/program";
    std::ofstream(path) << content;
    return has_openmp_inside(path);
  }

  test::TemporaryDirectory files;
};

TEST_F(InsideTest, FindsAnOpenMpLibrary) {
  EXPECT_TRUE(has(elf({"main", "GOMP_parallel"})));
  EXPECT_TRUE(has(elf({"__kmpc_fork_call"})));
  EXPECT_FALSE(has(elf({"main"})));
  EXPECT_FALSE(has(elf({"GOMP_parallel_sections", "my_GOMP_parallel"})));
  EXPECT_FALSE(has(elf({"GOMP_parallel"}, SHN_UNDEF)));
  EXPECT_FALSE(has(elf({"GOMP_parallel", "MPI_Init"})));
  EXPECT_FALSE(has(elf({"GOMP_parallel", "shmem_init"})));
}

TEST_F(InsideTest, TakesAnyFile) {
  EXPECT_FALSE(has_openmp_inside("/nowhere"));
  EXPECT_FALSE(has_openmp_inside(files.path()));
  const std::string whole = elf({"main", "GOMP_parallel"});
  for (std::size_t k = 0; k < whole.size(); ++k) {
    (void)has(whole.substr(0, k));
    std::string odd = whole;
    odd[k] = static_cast<char>(odd[k] ^ 0xff);
    (void)has(odd);
  }
}

}  // namespace
}  // namespace weft::launch::command
