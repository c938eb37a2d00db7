#include "launch/arguments.hpp"

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

enum class Option : unsigned char { kPes, kVerbose, kHelp, kVersion };

struct Spelling {
  std::string_view text;
  Option option;
};
constexpr Spelling kSpellings[] = {
    {"-n", Option::kPes},         {"-np", Option::kPes},           {"--np", Option::kPes},
    {"-v", Option::kVerbose},     {"--verbose", Option::kVerbose}, {"-h", Option::kHelp},
    {"--help", Option::kHelp},    {"-V", Option::kVersion},        {"--version", Option::kVersion},
};

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

Error unknown(std::string_view given) {
  const Spelling* nearest = &kSpellings[0];
  std::size_t best = given.size() + 10;
  for (const Spelling& spelling : kSpellings) {
    const std::size_t far = distance(given, spelling.text);
    if (far < best) {
      best = far;
      nearest = &spelling;
    }
  }
  const int length = static_cast<int>(std::min<std::size_t>(given.size(), 80));
  const bool near = best <= 3 && best < nearest->text.size();
  if (!near) return Error::make("unknown option '%.*s'; see oshrun --help", length, given.data());
  return Error::make("unknown option '%.*s'; did you mean '%.*s'?", length, given.data(),
                     static_cast<int>(nearest->text.size()), nearest->text.data());
}

const Spelling* find(std::string_view word) {
  for (const Spelling& spelling : kSpellings) {
    if (spelling.text == word) return &spelling;
  }
  return nullptr;
}

Result<int> parse_pes(std::string_view option, const char* text) {
  int pes = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, pes);
  if (error == std::errc::invalid_argument || stop != end) {
    return Error::make("%.*s %.60s: not a whole number; give the number of PEs, from 1 to %d",
                       static_cast<int>(option.size()), option.data(), text, boot::kMaxPes);
  }
  if (error != std::errc{} || pes < 1 || pes > boot::kMaxPes) {
    return Error::make("%.*s %.60s: the number of PEs must be from 1 to %d", static_cast<int>(option.size()),
                       option.data(), text, boot::kMaxPes);
  }
  return pes;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// One option as it was written: "-n 4", "-n4", "-n=4", "--np=4".
struct Written {
  std::string_view name;
  const char* value = nullptr;
};

Written split(const char* word) {
  Written written{word, nullptr};
  if (const char* equals = std::strchr(word, '=')) {
    written = {std::string_view(word, static_cast<std::size_t>(equals - word)), equals + 1};
  } else if (word[1] == 'n') {
    const std::size_t letters = word[2] == 'p' ? 3 : 2;
    if (is_number(word + letters)) written = {std::string_view(word, letters), word + letters};
  }
  return written;
}

}  // namespace

Result<Arguments> parse_arguments(int argc, char** argv) {
  Arguments arguments;
  int at = 1;
  for (; at < argc && argv[at][0] == '-'; ++at) {
    if (std::strcmp(argv[at], "--") == 0) {
      ++at;
      break;
    }
    const Written written = split(argv[at]);
    const Spelling* spelling = find(written.name);
    if (spelling == nullptr) return unknown(argv[at]);
    if (spelling->option != Option::kPes && written.value != nullptr) {
      return Error::make("%s: this option takes no value", argv[at]);
    }
    switch (spelling->option) {
      case Option::kHelp: arguments.wish = Wish::kHelp; return arguments;
      case Option::kVersion: arguments.wish = Wish::kVersion; return arguments;
      case Option::kVerbose: arguments.verbose = true; break;
      case Option::kPes: {
        const char* value = written.value;
        if (value == nullptr && at + 1 < argc) value = argv[++at];
        if (value == nullptr) return Error::make("%s needs the number of PEs, such as -n 4", argv[at]);
        const Result<int> pes = parse_pes(written.name, value);
        if (!pes) return pes.error();
        arguments.n_pes = *pes;
        break;
      }
    }
  }
  if (at >= argc) return Error::make("no program given; use: oshrun -n 4 ./program, or see oshrun --help");
  if (arguments.n_pes == 0) {
    return Error::make("the number of PEs is missing; use: oshrun -n 4 %.200s", argv[at]);
  }
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
