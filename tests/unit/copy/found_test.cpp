#include "copy/found.hpp"

#include <fcntl.h>
#include <gnu/libc-version.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

#include "support/leftovers.hpp"

namespace weft::copy {
namespace {

const std::string kFirst = std::string("weft-copies 2 glibc ") + ::gnu_get_libc_version() + "\n";

Found::Class of(const Found& found, std::size_t bytes) {
  return found.classes[static_cast<std::size_t>(class_number(bytes))];
}

bool is_empty(const Found& found) {
  for (const Found::Class& each : found.classes)
    if (each.choice != Choice::kAuto || each.programs != 0) return false;
  return true;
}

Found with(std::size_t bytes, Choice choice, int programs = 1) {
  Found found;
  found.classes[static_cast<std::size_t>(class_number(bytes))] = {choice, programs};
  return found;
}

TEST(FoundName, IsWhatIsNamedOrTheUsualOne) {
  char name[kFoundPathRoom];
  found_name("here/copies", name);
  EXPECT_STREQ(name, "here/copies");
  for (const std::string& none : {std::string("none"), std::string(), std::string(kFoundPathRoom, 'x')}) {
    found_name(none.c_str(), name);
    EXPECT_STREQ(name, "") << none;
  }
  char usual[kFoundPathRoom];
  const bool is_there = found_path(usual);
  found_name(nullptr, name);
  EXPECT_STREQ(name, is_there ? usual : "");
  EXPECT_NE(mark_of(""), 0U);
  EXPECT_NE(mark_of("a"), mark_of("b"));
  EXPECT_EQ(mark_of("here/copies"), mark_of(std::string("here/copies").c_str()));
}

TEST(FoundText, IsReadByLines) {
  const Found found = read_found(kFirst + "2048 libc 3\n65536 libc 1\n16777216 libc 9\n");
  EXPECT_EQ(of(found, 2048).choice, Choice::k_libc);
  EXPECT_EQ(of(found, 4095).programs, 3);
  EXPECT_EQ(of(found, 100000).programs, 1);
  EXPECT_EQ(of(found, std::size_t{1} << 40).programs, 9);
  EXPECT_EQ(of(found, 4096).choice, Choice::kAuto);
}

TEST(FoundText, OfAnotherLibraryOrOfNothingSaysNothing) {
  for (const char* text :
       {"", "\n", "2048 libc 3\n", "weft-copies 2 glibc 2.1\n2048 libc 3\n", "weft-copies 1 glibc 2.36\n2048 libc 3\n"})
    EXPECT_TRUE(is_empty(read_found(text))) << text;
}

TEST(FoundText, PassesOverWhatSaysNothing) {
  const char* const lines[] = {"2048 libc",
                               "2048 libc 0",
                               "2048 libc 10",
                               "2048 libc -1",
                               "2048 libc 1 ",
                               "2048  libc 1",
                               "2049 libc 1",
                               "1024 libc 1",
                               "0 libc 1",
                               "-2048 libc 1",
                               "2048 auto 1",
                               "2048 streaming 1",
                               "2048 memcpy 1",
                               "33554432 libc 1",
                               "18446744073709551616 libc 1",
                               "libc 2048 1",
                               "",
                               " ",
                               "2048 libc 1\r"};
  for (const char* line : lines) {
    const Found found = read_found(kFirst + line + "\n4096 libc 2");
    EXPECT_EQ(of(found, 2048).choice, Choice::kAuto) << line;
    EXPECT_EQ(of(found, 4096).programs, 2) << line << ": the next line says something";
  }
}

TEST(FoundText, IsWhatIsWritten) {
  Found found;
  for (int k = class_number(kSmall); k < kClasses; ++k)
    found.classes[static_cast<std::size_t>(k)] = {Choice::k_libc, 1 + k % 9};
  char text[kFoundRoom];
  const Found again = read_found({text, write_found(found, text)});
  for (std::size_t k = 0; k < found.classes.size(); ++k) {
    EXPECT_EQ(again.classes[k].choice, found.classes[k].choice) << k;
    EXPECT_EQ(again.classes[k].programs, found.classes[k].programs) << k;
  }
}

TEST(FoundWords, AreWhatWasPacked) {
  Found found;
  for (int k = class_number(kSmall); k < kClasses; k += 2)
    found.classes[static_cast<std::size_t>(k)] = {Choice::k_libc, 1 + k % 9};
  std::uint64_t words[kToldWords];
  pack_found(found, words);
  EXPECT_EQ(unpack_found(words).classes, found.classes);
}

// Another PE's memory says them.
TEST(FoundWords, PassOverWhatMakesNoSense) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::uint64_t words[kToldWords];
    for (std::uint64_t& word : words) word = byte * 0x0101010101010101U;
    const Found found = unpack_found(words);
    const unsigned choice = byte & 15U;
    const unsigned programs = byte >> 4;
    for (int k = 0; k < kClasses; ++k) {
      const Found::Class& each = found.classes[static_cast<std::size_t>(k)];
      const bool can_be = k >= class_number(kSmall) && programs >= 1 && programs <= 9 && choice >= 1 &&
                          choice < kChoices && suits(static_cast<Choice>(choice), least_of_class(k));
      EXPECT_EQ(each.programs, can_be ? static_cast<int>(programs) : 0) << byte << " of class " << k;
      EXPECT_EQ(each.choice, can_be ? static_cast<Choice>(choice) : Choice::kAuto) << byte << " of class " << k;
    }
  }
}

TEST(FoundText, CountsProgramsThatAgree) {
  Found known = agree({}, with(4096, Choice::k_libc));
  EXPECT_EQ(of(known, 4096).programs, 1);
  known = agree(known, with(8192, Choice::k_libc));
  EXPECT_EQ(of(known, 4096).programs, 1) << "who did not look says nothing";
  known = agree(known, with(4096, Choice::k_rep_movsb));
  EXPECT_EQ(of(known, 4096).choice, Choice::k_rep_movsb);
  EXPECT_EQ(of(known, 4096).programs, 1);
  for (int k = 0; k < 20; ++k) known = agree(known, with(4096, Choice::k_libc));
  EXPECT_EQ(of(known, 4096).programs, 9);
}

TEST(FoundText, IsAgreedOnByOneProgramThatWasNotDisturbed) {
  Found known = agree({}, with(4096, Choice::k_libc, kAgreed));
  EXPECT_GE(of(known, 4096).programs, kAgreed);
  known = agree(known, with(4096, Choice::k_rep_movsb));
  EXPECT_EQ(of(known, 4096).choice, Choice::k_libc) << "who was disturbed knows less";
  known = agree(known, with(4096, Choice::k_rep_movsb, kAgreed));
  EXPECT_EQ(of(known, 4096).choice, Choice::k_rep_movsb);
  EXPECT_EQ(of(known, 4096).programs, kAgreed);
}

// Trials of a routine that took so long.
void note(Times* times, Choice choice, double least, double next) {
  for (const double time : {next * 3, least, next, next * 2}) times->note(choice, time);
}

TEST(Judge, TakesTheFastest) {
  Times times;
  note(&times, Choice::k_libc, 100, 101);
  EXPECT_EQ(judge(times, Choice::kAuto).choice, Choice::k_libc);
  note(&times, Choice::k_rep_movsb, 98, 99);
  EXPECT_EQ(judge(times, Choice::kAuto).choice, Choice::k_libc) << "not worth leaving the C library";
  note(&times, Choice::k_avx2, 90, 91);
  EXPECT_EQ(judge(times, Choice::kAuto).choice, Choice::k_avx2);
  note(&times, Choice::k_streaming, 75, 76);
  EXPECT_EQ(judge(times, Choice::kAuto).choice, Choice::k_avx2) << "not worth leaving data in memory";
  EXPECT_EQ(judge(times, Choice::kAuto).programs, kUndisturbed);
  note(&times, Choice::k_streaming, 70, 71);
  EXPECT_EQ(judge(times, Choice::kAuto).choice, Choice::k_streaming);
  EXPECT_EQ(judge(times, Choice::kAuto).programs, kUndisturbed);
}

// Two that are about equally fast win by turns, and no two programs would find the same.
TEST(Judge, KeepsWhatIsNearlyAsFast) {
  Times times;
  note(&times, Choice::k_libc, 100, 101);
  note(&times, Choice::k_rep_movsb, 92, 92);
  note(&times, Choice::k_avx2, 90, 91);
  EXPECT_EQ(judge(times, Choice::k_rep_movsb).choice, Choice::k_rep_movsb);
  EXPECT_EQ(judge(times, Choice::k_rep_movsb).programs, kUndisturbed) << "the C library's was slower";
  EXPECT_EQ(judge(times, Choice::k_libc).choice, Choice::k_avx2) << "this much slower matters";
  EXPECT_EQ(judge(times, Choice::k_streaming).choice, Choice::k_avx2) << "what was not tried";
}

// So the first program has found it, and the second one tries nothing.
TEST(Judge, IsSureWhereAllAreNearlyAsFast) {
  Times times;
  note(&times, Choice::k_libc, 100, 101);
  note(&times, Choice::k_rep_movsb, 102, 103);
  note(&times, Choice::k_avx2, 98, 99);
  EXPECT_EQ(judge(times, Choice::kAuto).choice, Choice::k_libc);
  EXPECT_EQ(judge(times, Choice::kAuto).programs, kAgreed);
  EXPECT_EQ(judge(times, Choice::k_rep_movsb).programs, kAgreed);
  note(&times, Choice::k_streaming, 90, 91);
  EXPECT_EQ(judge(times, Choice::kAuto).programs, kAgreed) << "which is not worth it";
  note(&times, Choice::k_rep_movsb, 90, 91);
  EXPECT_EQ(judge(times, Choice::kAuto).programs, kUndisturbed);
}

TEST(Judge, IsNotSureWhereTimesDiffer) {
  Times times;
  note(&times, Choice::k_libc, 100, 101);
  note(&times, Choice::k_avx2, 90, 110);
  EXPECT_EQ(judge(times, Choice::kAuto).choice, Choice::k_avx2);
  EXPECT_EQ(judge(times, Choice::kAuto).programs, 1) << "the loop's time may be of one lucky trial";
  times = {};
  note(&times, Choice::k_libc, 100, 150);
  note(&times, Choice::k_avx2, 90, 91);
  EXPECT_EQ(judge(times, Choice::kAuto).programs, 1) << "the C library's may be shorter";
  times = {};
  times.note(Choice::k_libc, 100);
  EXPECT_EQ(judge(times, Choice::kAuto).programs, 1) << "one trial";
}

// As a program does that has nothing beside it.
void keep_in(const std::string& path, const Found& now) { keep_found(path.c_str(), load_found(path.c_str()), now); }

class FoundFile : public testing::Test {
 protected:
  std::string path(const char* name = "copies") const { return files_.path() + "/" + name; }
  void write(const std::string& text, const char* name = "copies") const { std::ofstream(path(name)) << text; }
  std::string text(const char* name = "copies") const {
    std::ostringstream read;
    read << std::ifstream(path(name)).rdbuf();
    return read.str();
  }

 private:
  test::TemporaryDirectory files_;
};

TEST_F(FoundFile, IsMadeWithItsFoldersForThisUserAlone) {
  const std::string deep = path("cache/weft/copies");
  keep_in(deep, with(4096, Choice::k_libc));
  EXPECT_EQ(of(load_found(deep.c_str()), 4096).programs, 1);
  keep_in(deep, with(4096, Choice::k_libc));
  EXPECT_EQ(of(load_found(deep.c_str()), 4096).programs, 2);
  struct stat about {};
  ASSERT_EQ(::stat(deep.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 077U, 0U);
  ASSERT_EQ(::stat(path("cache").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0700U);
}

TEST_F(FoundFile, IsWrittenAnewWhenItIsDamaged) {
  write(std::string(100000, 'x'));
  keep_in(path(), with(4096, Choice::k_libc));
  EXPECT_EQ(text(), kFirst + "4096 libc 1\n");
}

TEST_F(FoundFile, IsMeasuredAnewWhenItIsOld) {
  write(kFirst + "4096 libc 5\n8192 libc 5\n");
  EXPECT_EQ(of(load_found(path().c_str()), 4096).programs, 5);
  timespec times[2] = {};
  times[0].tv_nsec = UTIME_OMIT;
  times[1].tv_sec = ::time(nullptr) - 31 * 24 * 3600;
  ASSERT_EQ(::utimensat(AT_FDCWD, path().c_str(), times, 0), 0);
  EXPECT_TRUE(is_empty(load_found(path().c_str())));
  keep_in(path(), with(4096, Choice::k_libc));
  EXPECT_EQ(text(), kFirst + "4096 libc 1\n");
}

TEST_F(FoundFile, IsNotBelievedWhereOthersMayWriteOrItIsNoFile) {
  const std::string said = kFirst + "4096 libc 5\n";
  write(said);
  ASSERT_EQ(::symlink(path().c_str(), path("link").c_str()), 0);
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  ASSERT_EQ(::mkdir(path("folder").c_str(), 0700), 0);
  for (const char* name : {"link", "pipe", "folder", "none", "none/below"}) {
    EXPECT_TRUE(is_empty(load_found(path(name).c_str()))) << name;
  }
  for (const char* name : {"link", "pipe", "folder"}) keep_in(path(name), with(4096, Choice::k_libc));
  EXPECT_EQ(text(), said);
  ASSERT_EQ(::chmod(path().c_str(), 0666), 0);
  EXPECT_TRUE(is_empty(load_found(path().c_str())));
  keep_in(path(), with(4096, Choice::k_libc));
  EXPECT_EQ(text(), said);
}

TEST_F(FoundFile, CountsAProgramOnceWhereItsPEsFoundTheSame) {
  write(kFirst + "4096 libc 1\n");
  const Found began = load_found(path().c_str());
  for (int pe = 0; pe < 3; ++pe) keep_found(path().c_str(), began, with(4096, Choice::k_libc, kUndisturbed));
  EXPECT_EQ(text(), kFirst + "4096 libc 3\n");
  keep_found(path().c_str(), began, with(8192, Choice::k_libc));
  EXPECT_EQ(text(), kFirst + "4096 libc 3\n8192 libc 1\n") << "of other sizes this PE knows more";
}

TEST_F(FoundFile, IsLeftToWhoWritesItNow) {
  write(kFirst + "4096 libc 5\n");
  const int other = ::open(path().c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  keep_in(path(), with(8192, Choice::k_libc));
  EXPECT_EQ(text(), kFirst + "4096 libc 5\n");
  ::close(other);
  keep_in(path(), with(8192, Choice::k_libc));
  EXPECT_EQ(text(), kFirst + "4096 libc 5\n8192 libc 1\n");
}

TEST(FoundPath, IsInTheUsersCache) {
  char path[kFoundPathRoom];
#if !defined(__x86_64__)
  GTEST_SKIP() << "one routine only";
#endif
  ASSERT_EQ(::setenv("XDG_CACHE_HOME", "/some/cache", 1), 0);
  ASSERT_TRUE(found_path(path));
  EXPECT_EQ(std::string(path).find("/some/cache/weft/copies."), 0U) << path;
  ASSERT_EQ(::setenv("XDG_CACHE_HOME", "not/absolute", 1), 0);
  ASSERT_EQ(::setenv("HOME", "/home/somebody", 1), 0);
  ASSERT_TRUE(found_path(path));
  EXPECT_EQ(std::string(path).find("/home/somebody/.cache/weft/copies."), 0U) << path;
  ASSERT_EQ(::unsetenv("HOME"), 0);
  EXPECT_FALSE(found_path(path));
}

}  // namespace
}  // namespace weft::copy
