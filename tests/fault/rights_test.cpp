// Programs with another user's rights, and PEs that have no memory for what they want.
#include <sys/stat.h>
#include <unistd.h>

#include "job.hpp"

namespace weft::fault {
namespace {

class Rights : public JobTest {
 protected:
  void TearDown() override {
    JobTest::TearDown();
    (void)std::system(("rm -rf " + files.path() + "/*").c_str());
  }
};

// The caller of such a program makes its environment. It must not become a PE of a job of the caller's, who could write
// to its static data.
TEST_F(Rights, ASetUserIdProgramBelievesNoEnvironment) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a program of another user's rights";
  if (std::system("command -v setpriv >/dev/null 2>&1") != 0) GTEST_SKIP() << "setpriv is not there";
  const std::string copy = files.path() + "/rights";
  ASSERT_EQ(std::system((std::string("cp ") + WEFT_RIGHTS + " " + copy).c_str()), 0);
  ASSERT_EQ(::chmod(files.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(copy.c_str(), 04755), 0);
  const std::string profile = files.path() + "/profile";
  environment = {"SHMEM_SYMMETRIC_SIZE=32M", "WEFT_PROFILE=" + profile, "SHMEM_DEBUG=check", "SHMEM_INFO=1"};
  for (const std::string& before : {std::string(), oshrun() + " -n 2 "}) {
    const Output output =
        test::run({{"/bin/sh", "-c",
                    before + "/bin/sh -c 'exec setpriv --reuid 65534 --regid 65534 --clear-groups " + copy + "'"},
                   {environment.begin(), environment.end()},
                   {},
                   {}});
    EXPECT_EQ(output.ending.exit_code, 0) << output.err;
    if (output.out.find("secure 0") != std::string::npos) GTEST_SKIP() << "set-user-ID has no effect in this folder";
    EXPECT_EQ(lines_with(output.out, "secure 1, PE 0 of 1, 0 shared, 42, own heap"), before.empty() ? 1 : 2)
        << output.out << output.err;
    EXPECT_EQ(lines_with(output.err, "does not trust the environment: it is a job of its own"), before.empty() ? 0 : 2)
        << output.err;
    if (before.empty()) {
      EXPECT_EQ(lines_with(output.out, "SHMEM_SYMMETRIC_SIZE"), 0) << output.out;
      EXPECT_NE(::access(profile.c_str(), F_OK), 0) << "nothing is recorded";
    }
  }
}

TEST_F(Rights, AForkedChildThatCannotHaveItsOwnDataEndsWithALine) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "where there is no memory for the child's data, there is none for the sanitizer either";
#endif
  for (const std::string copies : {"none", "one"}) {
    const Output output = job({"-n", "2", WEFT_NARROW, copies});
    EXPECT_EQ(lines_with(output.err, "weft: PE 0: fork: "), 1) << copies << ": " << output.err;
    EXPECT_EQ(lines_with(output.out, "the child ended with 1, the parent has 1"), 1) << copies << ": " << output.out;
    EXPECT_EQ(lines_with(output.err, "oshrun: PE 0 (pid "), 1) << "the parent has said nothing: " << output.err;
    EXPECT_EQ(output.ending.exit_code, 3);
  }
}

// What the parent has printed and not written yet is in the child's buffer as well, and the parent's to write.
TEST_F(Rights, AForkedChildThatFailsWritesNothingOfItsParents) {
  for (const std::string when : {"later", "written"}) {
    const Output output = job({"-n", "2", WEFT_FORKED, when});
    EXPECT_EQ(output.ending.exit_code, 0) << output.err;
    EXPECT_EQ(lines_with(output.out, "before"), 1) << when << ": " << output.out;
    EXPECT_EQ(lines_with(output.out, "the child ended with 1"), 1) << when << ": " << output.out;
    EXPECT_EQ(output.out.find("before\nchild\nthe child") != std::string::npos, when == "written") << output.out;
    EXPECT_EQ(lines_with(output.err, "weft: PE 0: shmem_long_p: "), 1) << when << ": " << output.err;
  }
}

}  // namespace
}  // namespace weft::fault
