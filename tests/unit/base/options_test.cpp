#include "base/options.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace weft::base {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kGiB = 1 << 30;

std::map<std::string, std::string> g_environment;

const char* lookup(const char* name) {
  const auto found = g_environment.find(name);
  return found == g_environment.end() ? nullptr : found->second.c_str();
}

class Environment : public testing::Test {
 protected:
  void SetUp() override { g_environment.clear(); }
  void set(const char* name, const char* value) { g_environment[name] = value; }
  Options read() {
    const Result<Options> options = read_options(lookup);
    EXPECT_TRUE(options) << options.error().text();
    return *options;
  }
  std::string error() {
    const Result<Options> options = read_options(lookup);
    return options ? "" : options.error().text();
  }
};

std::uint64_t size_of(const char* text) {
  const Result<std::uint64_t> size = parse_size("SHMEM_SYMMETRIC_SIZE", text);
  EXPECT_TRUE(size) << text << ": " << size.error().text();
  return size ? *size : 0;
}

// Checklist 4.2.
TEST(Size, TakesIntegersAndDecimalNumbers) {
  EXPECT_EQ(size_of("1"), 1U);
  EXPECT_EQ(size_of("4096"), 4096U);
  EXPECT_EQ(size_of("+12"), 12U);
  EXPECT_EQ(size_of("20m"), 20971520U);
  EXPECT_EQ(size_of("3.1M"), 3250586U);
  EXPECT_EQ(size_of("3.1m"), 3250586U);
  EXPECT_EQ(size_of(".5m"), 524288U);
  EXPECT_EQ(size_of("0.5m"), 524288U);
  EXPECT_EQ(size_of("2.k"), 2048U);
  EXPECT_EQ(size_of("1e3"), 1000U);
}

TEST(Size, KnowsFourLettersOfEitherCase) {
  EXPECT_EQ(size_of("3k"), 3072U);
  EXPECT_EQ(size_of("3K"), 3072U);
  EXPECT_EQ(size_of("3g"), 3 * kGiB);
  EXPECT_EQ(size_of("3G"), 3 * kGiB);
  EXPECT_EQ(size_of("2t"), 2048 * kGiB);
  EXPECT_EQ(size_of("2T"), 2048 * kGiB);
}

TEST(Size, RoundsUpToAWholeByte) {
  EXPECT_EQ(size_of("0.1"), 1U);
  EXPECT_EQ(size_of("1.5"), 2U);
  EXPECT_EQ(size_of("1.0"), 1U);
  EXPECT_EQ(size_of("1.1k"), 1127U);
}

TEST(Size, TakesOneLetterAndIgnoresTheRest) {
  EXPECT_EQ(size_of("20kk"), 20480U);
  EXPECT_EQ(size_of("20mb"), 20 * kMiB);
  EXPECT_EQ(size_of("1G of memory"), kGiB);
}

TEST(Size, EndsAtTheLargestHeap) {
  for (const char* text : {"256t", "281474976710656", "274877906944k", "256.0t"}) {
    EXPECT_EQ(size_of(text), std::uint64_t{1} << 48) << text;
  }
  for (const char* text : {"257t", "281474976710657", "274877906945k", "256.1t", "18446744073709551616"}) {
    const Result<std::uint64_t> size = parse_size("SHMEM_SYMMETRIC_SIZE", text);
    ASSERT_FALSE(size) << text;
    EXPECT_NE(std::strstr(size.error().text(), "too large"), nullptr) << size.error().text();
  }
}

TEST(Size, RefusesWhatIsNoPositiveSize) {
  for (const char* text :
       {"",    " ",   "-1",   "-1m", "0",    "0k",  "0.0", "nan", "NaN",   "inf",          "m",   ".", ".m",
        "abc", "12x", "12 m", "1e",  "0x10", "--5", "+-5", "+",   "1e400", "99999999999t", "1,5m"}) {
    const Result<std::uint64_t> size = parse_size("SHMEM_SYMMETRIC_SIZE", text);
    EXPECT_FALSE(size) << "'" << text << "' gave " << (size ? *size : 0);
    if (!size) {
      EXPECT_NE(std::strstr(size.error().text(), "SHMEM_SYMMETRIC_SIZE="), nullptr) << size.error().text();
      EXPECT_EQ(std::strchr(size.error().text(), '\n'), nullptr) << size.error().text();
    }
  }
}

TEST(Size, DoesNotFollowTheLocale) {
  if (std::setlocale(LC_NUMERIC, "de_DE.UTF-8") == nullptr) GTEST_SKIP() << "no locale with a decimal comma here";
  EXPECT_EQ(size_of("3.1M"), 3250586U);
  (void)std::setlocale(LC_NUMERIC, "C");
}

TEST_F(Environment, GivesTheDefaultsOfTheTable) {
  const Options options = read();
  EXPECT_EQ(options.symmetric_size.value, 512 * kMiB);
  EXPECT_FALSE(options.symmetric_size.given);
  EXPECT_FALSE(options.version.on);
  EXPECT_FALSE(options.info.on);
  EXPECT_FALSE(options.debug.on);
  EXPECT_FALSE(options.overcommit.on);
  EXPECT_EQ(options.pages(), HugePages::kOff);
  EXPECT_EQ(options.placement(), Numa::kOwner);
  EXPECT_EQ(options.spin.value, kAuto);
  EXPECT_EQ(options.sleep_after.value, kAuto);
}

TEST_F(Environment, ReadsWhatIsSet) {
  set("SHMEM_SYMMETRIC_SIZE", "1g");
  set("SHMEM_DEBUG", "1");
  set("WEFT_HUGE_PAGES", "thp");
  set("WEFT_NUMA", "interleave");
  set("WEFT_SPIN", "0");
  set("WEFT_SLEEP_AFTER", "250");
  const Options options = read();
  EXPECT_EQ(options.symmetric_size.value, kGiB);
  EXPECT_TRUE(options.symmetric_size.given);
  EXPECT_TRUE(options.debug.on);
  EXPECT_EQ(options.pages(), HugePages::kThp);
  EXPECT_EQ(options.placement(), Numa::kInterleave);
  EXPECT_EQ(options.spin.value, 0);
  EXPECT_EQ(options.sleep_after.value, 250);
}

// Checklist 4.1: "any" value, the empty one too.
TEST_F(Environment, CountsAFlagAsOnWhateverItsValue) {
  set("SHMEM_VERSION", "");
  set("SHMEM_INFO", "0");
  const Options options = read();
  EXPECT_TRUE(options.version.on);
  EXPECT_TRUE(options.info.on);
}

TEST_F(Environment, TakesWordsForDebugging) {
  set("SHMEM_DEBUG", "check");
  EXPECT_TRUE(read().debug.check);
  EXPECT_FALSE(read().debug.on);
  EXPECT_FALSE(read().debug.carry_on);
  set("SHMEM_DEBUG", "1,check,continue");
  EXPECT_TRUE(read().debug.check);
  EXPECT_TRUE(read().debug.on);
  EXPECT_TRUE(read().debug.carry_on);
  set("SHMEM_DEBUG", "check,");
  EXPECT_TRUE(read().debug.check);
  EXPECT_FALSE(read().debug.on);
  set("SHMEM_DEBUG", "checked");
  EXPECT_FALSE(read().debug.check);
  EXPECT_TRUE(read().debug.on);
}

TEST_F(Environment, AnEmptyTextIsNotSet) {
  EXPECT_EQ(read().profile.value, nullptr);
  set("WEFT_PROFILE", "");
  EXPECT_EQ(read().profile.value, nullptr);
  set("WEFT_PROFILE", "some folder");
  EXPECT_STREQ(read().profile.value, "some folder");
}

// Checklist 4.3.
TEST_F(Environment, AcceptsTheOlderNames) {
  set("SMA_SYMMETRIC_SIZE", "2m");
  set("SMA_DEBUG", "");
  const Options options = read();
  EXPECT_EQ(options.symmetric_size.value, 2 * kMiB);
  EXPECT_TRUE(options.symmetric_size.given);
  EXPECT_TRUE(options.debug.on);
}

TEST_F(Environment, PrefersTheNewerNames) {
  set("SMA_SYMMETRIC_SIZE", "this is not looked at");
  set("SHMEM_SYMMETRIC_SIZE", "3m");
  EXPECT_EQ(read().symmetric_size.value, 3 * kMiB);
}

TEST_F(Environment, NamesTheVariableThatIsWrong) {
  set("SMA_SYMMETRIC_SIZE", "-3m");
  EXPECT_EQ(error().rfind("SMA_SYMMETRIC_SIZE=-3m is negative", 0), 0U) << error();
  set("SHMEM_SYMMETRIC_SIZE", "1z");
  EXPECT_EQ(error().rfind("SHMEM_SYMMETRIC_SIZE=1z", 0), 0U) << error();
}

TEST_F(Environment, RefusesUnknownWordsAndCounts) {
  set("WEFT_HUGE_PAGES", "yes");
  EXPECT_EQ(error(), "WEFT_HUGE_PAGES=yes is not known; choose one of: off, thp, hugetlb");
  g_environment.clear();
  set("WEFT_NUMA", "Bind");
  EXPECT_EQ(error(), "WEFT_NUMA=Bind is not known; choose one of: owner, bind, interleave");
  g_environment.clear();
  for (const char* text : {"", "-1", "1.5", "many", "10x", "99999999999999999999"}) {
    set("WEFT_SPIN", text);
    EXPECT_NE(error(), "") << "'" << text << "'";
  }
  set("WEFT_SPIN", "auto");
  EXPECT_EQ(error(), "");
}

TEST(Table, NamesAreUniqueAndDescribed) {
  std::set<std::string> names;
  for (int i = 0; i < kOptionCount; ++i) {
    const OptionText& option = option_text(i);
    EXPECT_TRUE(std::regex_match(option.name, std::regex("(SHMEM|WEFT)_[A-Z_]+"))) << option.name;
    EXPECT_TRUE(names.insert(option.name).second) << option.name << " occurs twice";
    if (option.older[0] != '\0') {
      EXPECT_TRUE(names.insert(option.older).second) << option.older << " occurs twice";
    }
    EXPECT_GE(std::strlen(option.text), 20U) << option.name << " needs a text";
    const std::string kind = option.kind;
    const bool may_be_unset = kind == "flag" || kind == "debug" || kind == "text";
    EXPECT_EQ(option.fallback[0] == '\0', may_be_unset) << option.name << ": a default, unless it is a flag or a text";
  }
}

std::string captured(void (*print)(std::FILE*)) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* out = ::open_memstream(&text, &size);
  print(out);
  (void)std::fclose(out);
  const std::string result(text, size);
  std::free(text);
  return result;
}

TEST(Table, InfoTellsEveryOption) {
  const std::string text = captured([](std::FILE* out) { print_info(out); });
  for (int i = 0; i < kOptionCount; ++i) {
    EXPECT_NE(text.find(std::string("  ") + option_text(i).name), std::string::npos) << option_text(i).name;
  }
}

TEST(Table, VersionIsOneLine) {
  const std::string text = captured([](std::FILE* out) { print_version(out); });
  EXPECT_TRUE(std::regex_match(text, std::regex("Weft [0-9]+\\.[0-9]+\\.[0-9]+ \\(OpenSHMEM 1\\.6\\)\n"))) << text;
}

class HeapSize : public testing::Test {
 protected:
  Options options;
  MemoryBound memory{8 * kGiB, false, 4096};
  void SetUp() override { options.symmetric_size = {512 * kMiB, false}; }
  void ask(std::uint64_t bytes) { options.symmetric_size = {bytes, true}; }
  std::uint64_t bytes(int pes) {
    const Result<std::uint64_t> heap = heap_bytes_per_pe(options, pes, memory);
    EXPECT_TRUE(heap) << heap.error().text();
    return *heap;
  }
  std::string error(int pes) {
    const Result<std::uint64_t> heap = heap_bytes_per_pe(options, pes, memory);
    return heap ? "" : heap.error().text();
  }
};

TEST_F(HeapSize, IsWhatWasAskedForInWholePages) {
  ask(1);
  EXPECT_EQ(bytes(4), 4096U);
  ask(4097);
  EXPECT_EQ(bytes(4), 8192U);
  ask(2 * kGiB);
  EXPECT_EQ(bytes(4), 2 * kGiB);
}

TEST_F(HeapSize, HasRoomForTheZonesOfSafeMode) {
  ask(64 * kMiB);
  options.debug.check = true;
  EXPECT_EQ(bytes(4), 130 * kMiB);
  options.huge_pages.choice = static_cast<std::uint8_t>(HugePages::kHugetlb);
  EXPECT_EQ(bytes(4), 64 * kMiB);
}

TEST_F(HeapSize, RefusesMoreThanThereIs) {
  ask(2 * kGiB);
  const std::string text = error(5);
  for (const char* part :
       {"2 GiB", "5 PEs", "10 GiB", "this machine has 8 GiB", "SHMEM_SYMMETRIC_SIZE", "WEFT_OVERCOMMIT"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is missing in: " << text;
  }
  memory.is_container = true;
  EXPECT_NE(error(5).find("this container may use 8 GiB"), std::string::npos) << error(5);
}

TEST_F(HeapSize, GivesMoreThanThereIsWhenTold) {
  ask(2 * kGiB);
  options.overcommit.on = true;
  EXPECT_EQ(bytes(5), 2 * kGiB);
}

TEST_F(HeapSize, AsksNobodyWhenTheMemoryIsUnknown) {
  memory.bytes = 0;
  ask(200 * kGiB);
  EXPECT_EQ(bytes(100), 200 * kGiB);
}

TEST_F(HeapSize, ShrinksTheDefaultForManyPes) {
  EXPECT_EQ(bytes(12), 512 * kMiB);
  EXPECT_EQ(bytes(24), 256 * kMiB);
  const std::uint64_t odd = bytes(100);
  EXPECT_LE(odd * 100, 6 * kGiB);
  EXPECT_GE(odd, 58 * kMiB);
  EXPECT_EQ(odd % (2 * kMiB), 0U);
  EXPECT_EQ(bytes(384), 16 * kMiB);
}

TEST_F(HeapSize, RefusesTooManyPes) {
  EXPECT_EQ(error(385).rfind("385 PEs are too many: this machine has 8 GiB", 0), 0U) << error(385);
  options.overcommit.on = true;
  EXPECT_EQ(bytes(385), 512 * kMiB);
}

TEST(ByteText, ReadsLikeAPersonWritesIt) {
  char text[kByteTextSize];
  EXPECT_STREQ(byte_text(0, text), "0 bytes");
  EXPECT_STREQ(byte_text(1023, text), "1023 bytes");
  EXPECT_STREQ(byte_text(1536, text), "1.5 KiB");
  EXPECT_STREQ(byte_text(512 * kMiB, text), "512 MiB");
  EXPECT_STREQ(byte_text(UINT64_MAX, text), "16 EiB");
}

}  // namespace
}  // namespace weft::base
