// The command line of oshrun.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "launch/command/called.hpp"

namespace weft::launch::command {

enum class Wish : std::uint8_t { kRun, kHelp, kVersion, kStatus };

/// Who gets what oshrun reads.
enum class InputTo : std::uint8_t { kPe0, kAll, kNobody };

/// `-n 3 ./b y`: some PEs of the job and what they run. `words` is the program and its arguments, ended by a null.
/// What a part does not say of its folder, its path and its hosts is as in the part before it.
struct Part {
  int n_pes = 0;
  char** words = nullptr;
  std::string soft;                      // -soft: numbers it can do with, of which it gets the largest up to n_pes
  std::string work_dir;                  // empty: where we are
  std::string path;                      // where its program is looked for; empty: PATH
  std::string hosts;                     // empty: those of the job
  std::vector<std::string> environment;  // NAME=VALUE, of its PEs only
};

/// Words that came from files: they have to stay where they are.
struct WordsOfFiles {
  std::list<std::string> words;
  std::vector<char*> line;  // of -configfile: as a command line, which a null ends
};

struct Arguments {
  Wish wish = Wish::kRun;
  Called called;
  int n_pes = 0;            // of the whole job; 0: per_host on each host (count_pes)
  std::vector<Part> parts;  // their PEs are numbered in this order
  bool verbose = false;
  bool safe = false;
  bool profile = false;
  std::string profile_dir;  // empty: a new one
  bool tag_output = false;
  InputTo input = InputTo::kPe0;
  bool report_bindings = false;
  bool debug = false;
  std::string debug_pes;  // empty: all
  std::string debug_in;   // empty: wherever it can be
  std::string bind_to = "none";
  std::string map_by;                    // empty: the default
  std::uint64_t timeout = 0;             // ns; 0: none
  std::string timeout_text;              // as it was written
  std::uint64_t hang_after = 0;          // ns; 0: no reports
  std::string status_of;                 // of kStatus
  std::string output_dir;                // empty: the PEs' output is ours
  std::string work_dir;                  // of all parts; empty: where we are, or parts have their own
  std::vector<std::string> environment;  // NAME=VALUE
  std::string hosts;                     // --hosts, as it was written; empty: the parts' own
  std::string host_file;
  int threads = 0;                            // of OpenMP, in each process; 0: not said
  std::string map;                            // homes of an OpenMP program's arrays; empty: not said
  int per_host = 0;                           // PEs; 0: by slots, or evenly
  bool in_turn = false;                       // PE after PE to the next host, as far as their slots go
  std::string ssh;                            // empty: WEFT_SSH or ssh
  int fanout = 16;                            // agents that one process starts
  std::uint64_t silence = 15'000'000'000ULL;  // ns without a word from a host; 0: any time
  std::shared_ptr<WordsOfFiles> kept;         // what parts' words may point to
};

/// Reads `oshrun [options] program args... [: [-n N] program args...]...`. Everything from the first word that is no
/// option belongs to the program, up to a colon that another word follows; the words of argv that hold these colons
/// become null. Of all this `-configfile FILE` reads parts from the lines of a file, and is alone.
base::Result<Arguments> parse_arguments(int argc, char** argv);

/// Where only the number of PEs on each host was given: how many that are on so many hosts.
base::Result<void> count_pes(int n_hosts, Arguments& arguments);

/// Whether the parts run on hosts of their own.
bool parts_have_hosts(const Arguments& arguments);

std::string help_text(const Called& called = {});

}  // namespace weft::launch::command
