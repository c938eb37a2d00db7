#include "launch/command/program.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "support/leftovers.hpp"

namespace weft::launch::command {
namespace {

class ProgramTest : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return files.path() + "/" + name; }
  void make(const std::string& name, const std::string& content, mode_t mode) {
    const std::string path = at(name);
    std::ofstream(path, std::ios::binary) << content;
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
  }
  test::TemporaryDirectory files;
};

TEST_F(ProgramTest, FindsAPathAsItIs) {
  make("prog", "x", 0755);
  const Program found = find_program(at("prog").c_str(), "");
  EXPECT_EQ(found.exit_code, 0) << found.problem;
  EXPECT_EQ(found.path, at("prog"));
}

TEST_F(ProgramTest, SearchesANameOnPath) {
  ASSERT_EQ(::mkdir(at("a").c_str(), 0755), 0);
  ASSERT_EQ(::mkdir(at("b").c_str(), 0755), 0);
  ASSERT_EQ(::mkdir(at("a/prog").c_str(), 0755), 0);  // a directory of that name does not count
  make("b/prog", "x", 0755);
  const Program found = find_program("prog", ("/nowhere:" + at("a") + ":" + at("b")).c_str());
  EXPECT_EQ(found.exit_code, 0) << found.problem;
  EXPECT_EQ(found.path, at("b/prog"));
}

TEST_F(ProgramTest, SaysWhyThereIsNothingToStart) {
  make("text", "x", 0644);
  const Program missing = find_program(at("nothing").c_str(), "");
  EXPECT_EQ(missing.exit_code, kNotFound);
  EXPECT_EQ(missing.problem, at("nothing") + ": no such file");
  const Program directory = find_program(files.path().c_str(), "");
  EXPECT_EQ(directory.exit_code, kNotExecutable);
  EXPECT_EQ(directory.problem, files.path() + ": is a directory, not a program");
  const Program below = find_program((at("text") + "/prog").c_str(), "");
  EXPECT_EQ(below.exit_code, kNotFound);
  const Program unknown = find_program("no-such-program-anywhere", "/usr/bin");
  EXPECT_EQ(unknown.exit_code, kNotFound);
  EXPECT_EQ(unknown.problem, "no-such-program-anywhere: not found in PATH");
  EXPECT_EQ(find_program("", "/usr/bin").exit_code, kNotFound);
}

TEST_F(ProgramTest, RefusesAFileThatIsNotExecutable) {
  make("text", "x", 0644);
  const Program path = find_program(at("text").c_str(), "");
  EXPECT_EQ(path.exit_code, kNotExecutable);
  EXPECT_EQ(path.problem, at("text") + ": is not executable; chmod +x it if it is a program");
  const Program name = find_program("text", files.path().c_str());
  EXPECT_EQ(name.exit_code, kNotExecutable);
}

TEST_F(ProgramTest, RemindsOfTheCurrentDirectory) {
  make("prog", "x", 0755);
  char before[4096];
  ASSERT_NE(::getcwd(before, sizeof before), nullptr);
  ASSERT_EQ(::chdir(files.path().c_str()), 0);
  const Program found = find_program("prog", "/usr/bin");
  ASSERT_EQ(::chdir(before), 0);
  EXPECT_EQ(found.problem, "prog: not found in PATH; did you mean ./prog?");
}

TEST_F(ProgramTest, ExplainsWhatTheKernelRefused) {
  make("script", "#! /no/such/interpreter -x\necho\n", 0755);
  const Program script = explain_refusal(at("script"), ENOENT);
  EXPECT_EQ(script.exit_code, kNotFound);
  EXPECT_NE(script.problem.find("interpreter /no/such/interpreter cannot be started"), std::string::npos)
      << script.problem;

  std::string elf(64, '\0');
  elf.replace(0, 6, "\177ELF\2\1");
  elf[16] = 2;     // an executable
  elf[18] = 0x16;  // of an IBM mainframe
  make("foreign", elf, 0755);
  EXPECT_NE(explain_refusal(at("foreign"), ENOEXEC).problem.find("another kind of machine"), std::string::npos);
  EXPECT_NE(explain_refusal(at("foreign"), ENOENT).problem.find("dynamic loader"), std::string::npos);

  make("noise", std::string("\1\2\3\0\4", 5), 0755);
  const Program noise = explain_refusal(at("noise"), ENOEXEC);
  EXPECT_EQ(noise.exit_code, kNotExecutable);
  EXPECT_EQ(noise.problem, at("noise") + ": is not a program this machine can run");
  EXPECT_EQ(explain_refusal(at("noise"), E2BIG).problem, at("noise") + ": Argument list too long");
}

}  // namespace
}  // namespace weft::launch::command
