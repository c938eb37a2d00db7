// What a test left behind: processes, shared memory objects, files.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "support/process.hpp"

namespace weft::test {

/// A value that only the processes of one test carry in their environment, so that they can be found again, wherever
/// they have moved in the process tree.
class Mark {
 public:
  Mark();
  /// "WEFT_TEST_MARK=...": add it to Command::environment.
  const std::string& assignment() const { return assignment_; }

 private:
  std::string assignment_;
};

struct Process {
  pid_t pid = 0;
  std::string text;  // state, where it waits in the kernel, command line
};

/// Every living process that carries the mark; this one is never among them.
std::vector<Process> processes(const Mark& mark);

/// Kills them all, and what they start meanwhile.
void kill_all(const Mark& mark);

/// Names in /dev/shm that are Weft's.
std::vector<std::string> shared_objects();

/// Names below a directory, without "." and "..".
std::vector<std::string> files_in(const std::string& directory);

/// A directory for the temporary files of one test; removed with what is in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Says what of a test is still there: one line each, empty when all is gone. Things that are just going get `grace`.
std::string leftovers(const Mark& mark, const TemporaryDirectory& files, Milliseconds grace = Milliseconds(2000));

}  // namespace weft::test
