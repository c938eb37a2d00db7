#include "launch/command/needs.hpp"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <fstream>

#include "support/leftovers.hpp"

namespace weft::launch::command {
namespace {

struct Made {
  std::vector<std::string> libraries;
  std::string rpath = {};
  std::string runpath = {};
};

/// A file that has what the dynamic linker reads of a program, and nothing else.
std::string elf(const Made& made) {
  std::string texts(1, '\0');
  std::vector<Elf64_Dyn> entries;
  const auto add = [&](Elf64_Sxword tag, const std::string& text) {
    Elf64_Dyn entry{};
    entry.d_tag = tag;
    entry.d_un.d_val = texts.size();
    entries.push_back(entry);
    texts += text + '\0';
  };
  for (const std::string& library : made.libraries) add(DT_NEEDED, library);
  if (!made.rpath.empty()) add(DT_RPATH, made.rpath);
  if (!made.runpath.empty()) add(DT_RUNPATH, made.runpath);
  constexpr std::uint64_t kBase = 0x400000;
  const std::uint64_t dynamic = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr);
  const std::uint64_t place = dynamic + (entries.size() + 3) * sizeof(Elf64_Dyn);
  entries.push_back({DT_STRTAB, {kBase + place}});
  entries.push_back({DT_STRSZ, {texts.size()}});
  entries.push_back({DT_NULL, {0}});
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 2;
  const std::uint64_t size = place + texts.size();
  const Elf64_Phdr load{PT_LOAD, PF_R, 0, kBase, kBase, size, size, 4096};
  const std::uint64_t bytes = entries.size() * sizeof(Elf64_Dyn);
  const Elf64_Phdr table{PT_DYNAMIC, PF_R, dynamic, kBase + dynamic, kBase + dynamic, bytes, bytes, 8};
  const auto raw = [](const auto& value) { return std::string(reinterpret_cast<const char*>(&value), sizeof value); };
  std::string file = raw(header) + raw(load) + raw(table);
  for (const Elf64_Dyn& entry : entries) file += raw(entry);
  return file + texts;
}

class NeedsTest : public testing::Test {
 protected:
  static MpiNeeds find_mpi(const std::string& program, const char* library_path, bool everywhere) {
    return command::find_mpi(program, read_needs(program), library_path, everywhere);
  }
  std::string make(const std::string& name, const std::string& content) const {
    const std::string path = files.path() + "/" + name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  test::TemporaryDirectory files;
};

TEST_F(NeedsTest, ReadsTheDynamicSection) {
  const auto needs = read_needs(make("p", elf({{"liba.so.1", "libb.so"}, "/r", "/s:/t"})));
  ASSERT_TRUE(needs);
  EXPECT_EQ(needs->libraries, (std::vector<std::string>{"liba.so.1", "libb.so"}));
  EXPECT_EQ(needs->rpath, "/r");
  EXPECT_EQ(needs->runpath, "/s:/t");
}

TEST_F(NeedsTest, ReadsThisProgram) {
  const auto needs = read_needs("/proc/self/exe");
  ASSERT_TRUE(needs);
  bool has_c = false;
  for (const std::string& library : needs->libraries) has_c |= library.find("libc.so") == 0;
  EXPECT_TRUE(has_c);
}

TEST_F(NeedsTest, BelievesNoFile) {
  EXPECT_FALSE(read_needs(files.path() + "/none"));
  EXPECT_FALSE(read_needs(files.path()));
  EXPECT_FALSE(read_needs(make("script", "#!/bin/sh\n")));
  const std::string whole = elf({{"liba.so.1"}, "/r", ""});
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const auto cut = read_needs(make("cut", whole.substr(0, bytes)));
    if (cut) {
      EXPECT_LE(cut->libraries.size(), 1U) << bytes;
    }
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char value : {'\0', '\xff'}) {
      std::string wrong = whole;
      wrong[at] = value;
      const auto needs = read_needs(make("wrong", wrong));
      if (needs) {
        EXPECT_LE(needs->libraries.size(), 3U) << at;
      }
    }
  }
}

// Whether it lies in what is read at once, across its end or behind it.
TEST_F(NeedsTest, ReadsWhatLiesAnywhere) {
  for (std::size_t length = 3850; length < 4150; length += 7) {
    const std::string long_name(length, 'x');
    const auto needs = read_needs(make("p", elf({{long_name, "libb.so"}, "", "/s"})));
    ASSERT_TRUE(needs) << length;
    EXPECT_EQ(needs->libraries, (std::vector<std::string>{length < 4096 ? long_name : "", "libb.so"})) << length;
    EXPECT_EQ(needs->runpath, "/s") << length;
  }
  const std::vector<std::string> many(1000, "liba.so.1");
  EXPECT_EQ(read_needs(make("p", elf({many})))->libraries, many);
}

TEST_F(NeedsTest, LibrariesSayWhetherAnRpathLeadsToThem) {
  const std::string first = make("liba.so.1", elf({{"libb.so.1", "libc.so.6"}, "", "$ORIGIN"}));
  const std::string second = make("libb.so.1", elf({{}}));
  const std::string program = make("p", elf({{"liba.so.1"}, "$ORIGIN"}));
  const auto found = find_libraries(program, read_needs(program), nullptr);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].path, first);
  EXPECT_TRUE(found[0].by_rpath);
  EXPECT_EQ(found[1].path, second);
  EXPECT_FALSE(found[1].by_rpath) << "a runpath leads to it";
}

TEST(OpenMp, IsApartFromOtherInterfacesAndSanitizers) {
  const auto find = [](std::vector<std::string> libraries) { return find_openmp({std::move(libraries), {}, {}}); };
  EXPECT_EQ(find({"libm.so.6", "libomp.so.5", "libgomp.so.1"}).runtime, "libomp.so.5");
  EXPECT_EQ(find({"libgomp.so.1", "libc.so.6"}).apart, "");
  EXPECT_EQ(find({"libiomp5.so", "libgomp.so.2"}).runtime, "");
  for (const char* other : {"libmpi_abi.so.1", "libweft.so.0", "libmpi.so.40", "libclang_rt.asan-x86_64.so"}) {
    EXPECT_EQ(find({"libgomp.so.1", other}).apart, other);
  }
}

TEST(OlderMpi, IsKnownByName) {
  for (const char* name : {"libmpi.so.12", "libmpi.so.40", "libmpich.so.12", "libmpi_cxx.so.40", "libmpifort.so.12"}) {
    EXPECT_TRUE(is_older_mpi(name)) << name;
  }
  for (const char* name : {"libmpi_abi.so.1", "libmpifort_abi.so.1", "libmpiP.so.3", "libmpitrace.so.1", "libm.so.6",
                           "libmpi", "libxmpi.so.1", ""}) {
    EXPECT_FALSE(is_older_mpi(name)) << name;
  }
}

TEST_F(NeedsTest, FindsWhichMpi) {
  const MpiNeeds none = find_mpi(make("none", elf({{"libc.so.6"}})), nullptr, true);
  EXPECT_FALSE(none.standard);
  EXPECT_EQ(none.older, "");
  EXPECT_TRUE(find_mpi(make("new", elf({{"libc.so.6", "libmpi_abi.so.1"}})), nullptr, false).standard);
  const MpiNeeds old = find_mpi(make("old", elf({{"libmpi_cxx.so.40", "libmpi.so.40"}})), nullptr, false);
  EXPECT_EQ(old.older, "libmpi_cxx.so.40");
  EXPECT_EQ(old.through, "");
}

TEST_F(NeedsTest, FindsItBehindLibraries) {
  make("libdeep.so.1", elf({{"libmpi.so.12"}}));
  make("liblow.so.1", elf({{"libdeep.so.1"}, "", "$ORIGIN"}));
  const std::string by_rpath = make("a", elf({{"liblow.so.1"}, "${ORIGIN}", ""}));
  EXPECT_EQ(find_mpi(by_rpath, nullptr, false).older, "libmpi.so.12");
  EXPECT_EQ(find_mpi(by_rpath, nullptr, false).through, "libdeep.so.1");
  const std::string bare = make("b", elf({{"liblow.so.1"}}));
  EXPECT_EQ(find_mpi(bare, nullptr, false).older, "");
  EXPECT_EQ(find_mpi(bare, files.path().c_str(), false).older, "libmpi.so.12");
  make("libring.so", elf({{"libring.so", "liblow.so.1"}, "", "$ORIGIN"}));
  EXPECT_EQ(find_mpi(make("c", elf({{"libring.so"}, "", "$ORIGIN"})), nullptr, false).older, "libmpi.so.12");
}

// They need none, and are needed by all.
TEST_F(NeedsTest, LooksIntoNoLibraryOfTheSystemOrOurs) {
  for (const char* name : {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "libstdc++.so.6", "libweft.so.0",
                           "libweft_core.so.0.1.0", "libweft_omp.so.0"}) {
    make(name, elf({{"libmpi.so.12"}}));
    EXPECT_EQ(find_mpi(make("a", elf({{name}, "", "$ORIGIN"})), nullptr, true).older, "") << name;
  }
  for (const char* name : {"libcustom.so.6", "libmine.so", "libweft_of_mine.so.1", "ld-mine.so"}) {
    make(name, elf({{"libmpi.so.12"}}));
    EXPECT_EQ(find_mpi(make("a", elf({{name}, "", "$ORIGIN"})), nullptr, false).older, "libmpi.so.12") << name;
  }
}

TEST_F(NeedsTest, AnRpathWinsAndARunpathDoesNot) {
  const std::string theirs = make("libmpi_abi.so.1", "");
  const std::string name(kMpiLibrary);
  EXPECT_EQ(find_mpi(make("a", elf({{name}, "/nowhere:$ORIGIN", ""})), nullptr, false).elsewhere, theirs);
  EXPECT_EQ(find_mpi(make("b", elf({{name}, "", "$ORIGIN"})), nullptr, false).elsewhere, "");
  EXPECT_EQ(find_mpi(make("c", elf({{name}, "$ORIGIN", "/nowhere"})), nullptr, false).elsewhere, "");
  EXPECT_EQ(find_mpi(make("d", elf({{name}})), files.path().c_str(), false).elsewhere, "");
}

}  // namespace
}  // namespace weft::launch::command
