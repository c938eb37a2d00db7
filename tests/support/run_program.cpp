// Runs one command as a test: with a limit, on what it prints, on how it ends, and on what it leaves behind.
//
//   run_program [--limit S | --silence S] [--exit N|nonzero|any] [--expect REGEX]... [--reject REGEX]... [--stdin
//   FILE|open] -- command...
//
// --silence: the job may go on for as long as it prints something each S seconds: for work that takes the longer the
// less of the processors a test gets.
// --stdin open: something to read from that neither gives anything nor ends.
//
// ctest alone would not do: with an expression to match it ignores the exit code, and at its time limit it kills only
// the process it started.
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "support/leftovers.hpp"
#include "support/process.hpp"

namespace {

using namespace weft::test;

struct Options {
  Milliseconds limit = default_limit();
  std::string exit = "0";
  std::vector<std::string> expect;
  std::vector<std::string> reject;
  Command command;
};

/// A file to open: the reading end of a pipe whose other end stays open in this process.
std::string endless_input() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return "";
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(ends[0]);
}

bool parse(int argc, char** argv, Options& options) {
  int i = 1;
  for (; i + 1 < argc && std::strcmp(argv[i], "--") != 0; i += 2) {
    const std::string name = argv[i];
    const char* value = argv[i + 1];
    if (name == "--limit") {
      options.limit = Milliseconds(1000 * std::atol(value));
    } else if (name == "--silence") {
      options.limit = Milliseconds(1000 * std::atol(value));
      options.command.may_go_on = true;
    } else if (name == "--exit") {
      options.exit = value;
    } else if (name == "--expect") {
      options.expect.emplace_back(value);
    } else if (name == "--reject") {
      options.reject.emplace_back(value);
    } else if (name == "--stdin") {
      options.command.input = std::strcmp(value, "open") == 0 ? endless_input() : value;
    } else {
      return false;
    }
  }
  if (i >= argc || std::strcmp(argv[i], "--") != 0) return false;
  options.command.arguments.assign(argv + i + 1, argv + argc);
  return !options.command.arguments.empty();
}

bool a_line_matches(const std::string& text, const std::string& expression) {
  const std::regex regex(expression);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, regex)) return true;
  }
  return false;
}

bool is_wanted(int code, const std::string& wanted) {
  if (wanted == "nonzero") return code != 0;
  return wanted == "any" || std::to_string(code) == wanted;
}

/// Everything that is wrong with the run, one line each.
std::string faults(const Options& options, const Output& output) {
  std::string found;
  const int code = output.ending.shell_code();
  if (output.ending.overdue) {
    found += (options.command.may_go_on ? "it was silent for " : "it did not end within ") +
             std::to_string(options.limit.count() / 1000) + " s\n";
  } else if (!is_wanted(code, options.exit)) {
    found += "it ended with " + output.ending.text() + ", not with exit code " + options.exit + "\n";
  }
  const std::string all = output.out + output.err;
  for (const std::string& regex : options.expect) {
    if (!a_line_matches(all, regex)) found += "no line matches: " + regex + "\n";
  }
  for (const std::string& regex : options.reject) {
    if (a_line_matches(all, regex)) found += "a line matches what must not be printed: " + regex + "\n";
  }
  if (output.held_open) found += "something kept its output open after its end\n";
  return found;
}

/// The stacks of a job that hangs, where there is a debugger to ask.
void print_stacks(const Mark& mark) {
  int asked = 0;
  for (const Process& process : processes(mark)) {
    std::printf("still there: process %d %s\n", static_cast<int>(process.pid), process.text.c_str());
    if (process.text.find("oshrun") != std::string::npos || ++asked > 8) continue;
    Command gdb;
    gdb.arguments = {"gdb", "-p", std::to_string(process.pid), "-batch", "-nx", "-ex", "bt 12"};
    const Output stack = run(gdb, Milliseconds(15000));
    if (stack.ending.clean()) std::printf("%s\n", stack.out.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    (void)std::fprintf(
        stderr,
        "usage: run_program [--limit S | --silence S] [--exit N|nonzero|any] [--expect REGEX]... [--reject REGEX]... "
        "[--stdin FILE|open] -- command...\n");
    return 2;
  }
  // Orphans of the job come to us instead of to init; in a container without an init they would stay as zombies.
  (void)::prctl(PR_SET_CHILD_SUBREAPER, 1);

  const Mark mark;
  const TemporaryDirectory temporary;
  options.command.environment = {mark.assignment(), "TMPDIR=" + temporary.path()};
  bool watched = false;
  Output output;
  // The watchdog looks at a job that hangs before run() kills it.
  Child watchdog = Child::start([&] {
    if (options.command.may_go_on) return;
    const auto early = options.limit - std::min(options.limit / 10, Milliseconds(2000));
    (void)eventually([] { return false; }, early);
    print_stacks(mark);
    (void)std::fflush(stdout);
  });
  output = run(options.command, options.limit);
  watched = output.ending.overdue;
  if (watched) (void)watchdog.wait();

  std::string found = faults(options, output);
  const std::string left = leftovers(mark, temporary);
  if (!left.empty()) {
    found += "left behind:\n" + left;
    kill_all(mark);
  }
  std::printf("%s", output.out.c_str());
  if (!output.err.empty()) std::printf("--- stderr:\n%s", output.err.c_str());
  if (found.empty()) return 0;
  // What the program needs is not there; ctest asks for it with SKIP_RETURN_CODE, and else takes it for a failure.
  constexpr int kSkipped = 77;
  if (output.ending.shell_code() == kSkipped && left.empty()) return kSkipped;
  options.command.environment.clear();
  std::printf("--- failed: %s\n%s", shell_line(options.command).c_str(), found.c_str());
  return 1;
}
