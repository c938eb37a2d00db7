// weft-where: where in the source an address is. The library and oshrun run it for their messages; it is what needs
// libdw, and they do not.
//
//   weft-where PID ADDRESS...       addresses in a running process
//   weft-where -e FILE ADDRESS...   addresses as an executable or a library was linked for
//   weft-where -s PID THREAD [PREFIX PC]
//                                   the calls that a thread is in, each line after PREFIX; of a process that may not be
//                                   looked into only where PC is. With PREFIX it looks when its input ends
//
//   weft-where -v FILE NAME...      static variables of these names in an executable (variables.hpp)
//
// One line for each address, in hexadecimal; what Session::describe says of it.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "session.hpp"
#include "stack.hpp"
#include "variables.hpp"

namespace {

using namespace weft;

int fail(const base::Error& error) {
  (void)std::fprintf(stderr, "weft-where: %s\n", error.text());
  return 1;
}

int usage() {
  (void)std::fputs(
      "usage: weft-where PID ADDRESS... | -e FILE ADDRESS... | -s PID THREAD [PREFIX PC] | -v FILE NAME...\n", stderr);
  return 2;
}

bool read_number(const char* word, int base, unsigned long long& number) {
  char* end = nullptr;
  number = std::strtoull(word, &end, base);
  return end != word && *end == '\0';
}

int print_places(const base::Result<where::Session>& session, char** words) {
  if (!session) return fail(session.error());
  for (; *words != nullptr; ++words) {
    unsigned long long address = 0;
    if (!read_number(*words, 16, address)) return usage();
    (void)std::printf("%s\n", session->describe(address, true)[0].c_str());
  }
  return 0;
}

int print_variables(const char* file, char** names) {
  const auto session = where::Session::of_file(file);
  if (!session) return fail(session.error());
  std::vector<std::string> wanted;
  for (; *names != nullptr; ++names) wanted.emplace_back(*names);
  for (const std::string& line : where::variables_named(*session, wanted)) (void)std::puts(line.c_str());
  return 0;
}

int print_stack(pid_t pid, pid_t thread, const char* prefix, unsigned long long pc) {
  char nothing = 0;
  while (pc != 0 && ::read(STDIN_FILENO, &nothing, 1) > 0) {
  }
  const auto session = where::Session::of_process(pid);
  if (!session) return fail(session.error());
  const auto lines = where::stack_of(*session, pid, thread, pc != 0);
  if (!lines && pc == 0) return fail(lines.error());
  const std::vector<std::string> at_least = session->describe(pc, false);
  // In one piece, so that lines of several processes do not mix.
  std::string text;
  for (const std::string& line : lines ? *lines : at_least) text += prefix + line + "\n";
  (void)std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  // A message must not wait for a server that has debug information.
  (void)::unsetenv("DEBUGINFOD_URLS");
  unsigned long long pid = 0;
  unsigned long long thread = 0;
  unsigned long long pc = 0;
  if ((argc == 4 || (argc == 6 && read_number(argv[5], 16, pc))) && std::strcmp(argv[1], "-s") == 0 &&
      read_number(argv[2], 10, pid) && read_number(argv[3], 10, thread)) {
    return print_stack(static_cast<pid_t>(pid), static_cast<pid_t>(thread), argc == 6 ? argv[4] : "", pc);
  }
  if (argc > 3 && std::strcmp(argv[1], "-e") == 0) return print_places(where::Session::of_file(argv[2]), argv + 3);
  if (argc > 3 && std::strcmp(argv[1], "-v") == 0) return print_variables(argv[2], argv + 3);
  if (argc > 2 && read_number(argv[1], 10, pid)) {
    return print_places(where::Session::of_process(static_cast<pid_t>(pid)), argv + 2);
  }
  return usage();
}
