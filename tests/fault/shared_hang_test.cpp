// What is told of jobs that hang in shared pages, on one machine. tests/hosts/shared_hang_test.py has those of several.
#include <cstdlib>

#include "hang.hpp"

namespace weft::fault {
namespace {

class SharedHang : public HangTest {
 protected:
  std::string report(const std::string& how) const {
    const Output output = job({"-n", "2", "--timeout", "2s", WEFT_SHARED_HANG, how});
    EXPECT_EQ(output.ending.exit_code, 124) << output.err;
    return output.err;
  }
  // A fault of a page is a signal at an access of the program, whose handler may do what that access may: a sanitizer
  // takes it for one that may come at any time.
  static std::string tsan_options() {
    const char* given = std::getenv("TSAN_OPTIONS");
    return std::string("TSAN_OPTIONS=") + (given == nullptr ? "" : given) + ":report_signal_unsafe=0";
  }
  static std::string at(const std::string& mark) { return line_of(mark, WEFT_SHARED_HANG_SOURCE); }
};

// By pages, too, which on one machine no PE waits for.
TEST_F(SharedHang, ALockThatAnotherOneHolds) {
  for (const char* how : {"memory", "pages"}) {
    environment = {std::string("WEFT_SHARED_BY=") + how, tsan_options()};
    const std::string text = report("held");
    expect_line(text, "PE 0 has waited [0-9.]+ s in weft_shared_lock at " + at("held") +
                          " in main for the lock at 0x[0-9a-f]+ in shared memory, which PE 1 holds$");
    expect_line(text, "PE 1 does not wait in Weft; its last call there was weft_shared_barrier at ");
  }
}

TEST_F(SharedHang, ACircleOfLocks) {
  expect_line(report("circle"), "=> deadlock: PE 0 waits for PE 1 in weft_shared_lock at " + at("circle") +
                                    " in main \\(lock at 0x[0-9a-f]+ in shared memory\\), PE 1 waits for PE 0 in "
                                    "weft_shared_lock at ");
}

// It was taken by a request.
TEST_F(SharedHang, ALockThatItHoldsItself) {
  const std::string text = report("again");
  expect_line(text, "PE 0 has waited [0-9.]+ s in weft_shared_lock at " + at("again") +
                        " in main for the lock at 0x[0-9a-f]+ in shared memory, which it holds itself$");
  expect_line(text, "=> PE 0 waits for the lock at .*; a lock must be given back before it is taken again$");
}

}  // namespace
}  // namespace weft::fault
