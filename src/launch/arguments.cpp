#include "launch/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "boot/job.hpp"

namespace weft::launch {
namespace {

using base::Error;
using base::Result;

// Number of letters to change, add or leave out to make one word of the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      corner = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

// What people may write, for the nearest one to a word that is none of them.
constexpr std::string_view kSpellings[] = {"-n", "-np", "--np", "-v", "--verbose", "-h", "--help", "-V", "--version"};

Error unknown(std::string_view given) {
  std::string_view nearest;
  std::size_t best = 4;  // farther away it is a guess, not a slip
  for (const std::string_view spelling : kSpellings) {
    const std::size_t far = distance(given, spelling);
    if (far < best && far < spelling.size()) {
      best = far;
      nearest = spelling;
    }
  }
  const int length = static_cast<int>(std::min<std::size_t>(given.size(), 80));
  if (nearest.empty()) return Error::make("unknown option '%.*s'; see oshrun --help", length, given.data());
  return Error::make("unknown option '%.*s'; did you mean '%.*s'?", length, given.data(),
                     static_cast<int>(nearest.size()), nearest.data());
}

Result<int> parse_pes(std::string_view option, const std::string& text) {
  int pes = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, pes);
  if (error == std::errc::invalid_argument || stop != end) {
    return Error::make("%.*s %.60s: not a whole number; give the number of PEs, from 1 to %d",
                       static_cast<int>(option.size()), option.data(), text.c_str(), boot::kMaxPes);
  }
  if (error != std::errc{} || pes < 1 || pes > boot::kMaxPes) {
    return Error::make("%.*s %.60s: the number of PEs must be from 1 to %d", static_cast<int>(option.size()),
                       option.data(), text.c_str(), boot::kMaxPes);
  }
  return pes;
}

// mpirun's users write -np 4 and -n=4, which to CLI11 are the letter n with the values "p" and "=4". `written` keeps
// what they wrote, for messages.
std::string spelled_for_parser(std::string_view word, std::string_view* written) {
  if (word.substr(0, 2) != "-n" && word.substr(0, 4) != "--np") return std::string(word);
  const std::size_t letters = word[1] == '-' ? 4 : word.substr(0, 3) == "-np" ? 3 : 2;
  std::string_view value = word.substr(letters);
  *written = word.substr(0, letters);
  if (value.empty()) return "--np";
  if (value[0] == '=') value.remove_prefix(1);
  return "--np=" + std::string(value);
}

}  // namespace

Result<Arguments> parse_arguments(int argc, char** argv) {
  // The options end at the first word that is none. A value follows --np as a word of its own.
  std::vector<std::string> words;
  std::string_view written = "-n";
  int at = 1;
  for (; at < argc && argv[at][0] == '-' && std::strcmp(argv[at], "--") != 0; ++at) {
    words.push_back(spelled_for_parser(argv[at], &written));
    if (words.back() == "--np") {
      if (at + 1 == argc) return Error::make("%s needs the number of PEs, such as -n 4", argv[at]);
      words.push_back(argv[++at]);
    }
  }
  if (at < argc && std::strcmp(argv[at], "--") == 0) ++at;

  std::string pes;
  Arguments arguments;
  bool version = false;
  bool help = false;
  CLI::App parser;
  parser.set_help_flag();  // ours is a text that fits a screen
  parser.allow_extras();
  parser.add_option("--np", pes)->take_last();
  parser.add_flag("-v,--verbose", arguments.verbose)->disable_flag_override();
  parser.add_flag("-V,--version", version)->disable_flag_override();
  parser.add_flag("-h,--help", help)->disable_flag_override();
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the end
  try {
    parser.parse(words);
  } catch (const CLI::ArgumentMismatch&) {
    // Only a flag with a value can have come this far: the number of PEs is read as any text, and checked below.
    const auto is_it = [](const char* word) { return std::strchr(word, '=') != nullptr; };
    return Error::make("%s: this option takes no value", *std::find_if(argv + 1, argv + at - 1, is_it));
  } catch (const CLI::ParseError& problem) {
    return Error::make("%s; see oshrun --help", problem.what());
  }
  if (const std::vector<std::string> extras = parser.remaining(); !extras.empty()) return unknown(extras.front());
  if (help || version) {
    arguments.wish = help ? Wish::kHelp : Wish::kVersion;
    return arguments;
  }
  if (!pes.empty()) {
    const Result<int> number = parse_pes(written, pes);
    if (!number) return number.error();
    arguments.n_pes = *number;
  }
  if (at >= argc) return Error::make("no program given; use: oshrun -n 4 ./program, or see oshrun --help");
  if (arguments.n_pes == 0) return Error::make("the number of PEs is missing; use: oshrun -n 4 %.200s", argv[at]);
  arguments.program = argv + at;
  return arguments;
}

const char* help_text() {
  return R"(usage: oshrun -n N [options] program [arguments]

Starts N processing elements (PEs) of an OpenSHMEM program on this machine, passes on what they
write, and ends them all when one of them fails.

  -n N, -np N      number of PEs, 1 to 4096; required
  -v, --verbose    tell what is started and how each PE ended
  -h, --help       this text
  -V, --version    version of Weft

Everything after the program's name belongs to the program. PE 0 reads standard input, the others
read nothing. Each PE finds its number in WEFT_PE and the number of PEs in WEFT_NPES.

Environment: SHMEM_SYMMETRIC_SIZE sets the symmetric heap of each PE (512m, 1.5g; default 512m).
SHMEM_INFO=1 lists all variables.

Exit code: that of shmem_global_exit, else that of the first PE that failed, 128 + n where signal
n ended it, 0 when all went well; 127 or 126 when the program cannot be found or started, 2 for a
wrong option, 1 for anything else that keeps the job from running.
)";
}

}  // namespace weft::launch
