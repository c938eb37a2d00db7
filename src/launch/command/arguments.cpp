#include "launch/command/arguments.hpp"

#include <algorithm>
#include <string_view>

#include "boot/enter.hpp"
#include "boot/job.hpp"
#include "launch/command/foreign.hpp"
#include "launch/command/options.hpp"

namespace weft::launch::command {
namespace {

using base::Error;
using base::Result;

struct Word {
  std::string_view name;   // with its dashes
  std::string_view value;  // where it is part of the word
  bool has_value = false;
};

// "--np=4" and, as mpirun's users write it, "-np=4", "-n=4", "-n4", "-np4".
Word split(std::string_view word) {
  if (word.substr(0, 2) == "-n") {
    const std::size_t letters = word.substr(0, 3) == "-np" ? 3 : 2;
    std::string_view value = word.substr(letters);
    const bool has_value = !value.empty();
    if (has_value && value[0] == '=') value.remove_prefix(1);
    // -nope is no number of PEs but a slip; -n4x is a wrong one, and take_pes says so.
    const bool is_number = !has_value || value.empty() || std::string_view("+-0123456789").find(value[0]) != value.npos;
    if (is_number || word[letters] == '=') return {word.substr(0, letters), value, has_value};
  }
  if (word.size() > 2 && word.substr(0, 2) == "-N" && word.find_first_not_of("0123456789", 2) == word.npos) {
    return {word.substr(0, 2), word.substr(2), true};
  }
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return {word, {}, false};
  return {word.substr(0, equals), word.substr(equals + 1), true};
}

Error needs_value(const Option& option, std::string_view name) {
  if (option.name == "--np") {
    return Error::make("%.*s needs the number of PEs, such as -n 4", static_cast<int>(name.size()), name.data());
  }
  return Error::make("%.*s needs a value: %.*s; see oshrun --help", static_cast<int>(name.size()), name.data(),
                     static_cast<int>(option.spelling.size()), option.spelling.data());
}

// Takes the option at words[0], with its value. The result is the number of words that were its.
Result<int> take_own(const Option& option, const Word& word, char** words, Arguments& arguments) {
  const bool takes_value = !option.value.empty();
  if (!takes_value && word.has_value) {
    return Error::make("%.200s: this option takes no value", words[0]);
  }
  const bool from_next = takes_value && !word.has_value && !option.value_is_optional();
  if (from_next && words[1] == nullptr) return needs_value(option, word.name);
  const Given given{word.name, from_next ? std::string_view(words[1]) : word.value};
  if (takes_value && given.value.empty() && (word.has_value || !option.value_is_optional()))
    return needs_value(option, word.name);
  if (const Result<void> taken = option.take(given, arguments); !taken) return taken.error();
  return from_next ? 2 : 1;
}

// "-genv NAME VALUE", which Hydra takes as "-genv NAME=VALUE" as well.
Result<int> take_variable(const Option& option, const Word& word, char** words, Arguments& arguments) {
  const bool is_pair =
      !word.has_value && words[1] != nullptr && std::string_view(words[1]).find('=') == std::string::npos;
  if (!is_pair) return take_own(option, word, words, arguments);
  if (words[2] == nullptr) {
    return Error::make("%.*s %.200s needs the variable's value, as the next word", static_cast<int>(word.name.size()),
                       word.name.data(), words[1]);
  }
  const std::string assignment = std::string(words[1]) + "=" + words[2];
  if (const Result<void> taken = option.take({word.name, assignment}, arguments); !taken) return taken.error();
  return 3;
}

Result<int> take_foreign(const Foreign& foreign, const Word& word, char** words, Arguments& arguments) {
  if (!foreign.note.empty()) {
    return Error::make("%.*s: %.*s", static_cast<int>(std::min<std::size_t>(word.name.size(), 200)), word.name.data(),
                       static_cast<int>(foreign.note.size()), foreign.note.data());
  }
  if (foreign.ours.empty()) return 1;
  const Option& option = *find_option(foreign.ours);
  return foreign.is_pair ? take_variable(option, word, words, arguments) : take_own(option, word, words, arguments);
}

Result<int> take_option(char** words, Arguments& arguments) {
  const Word word = split(words[0]);
  if (const Option* option = find_option(word.name)) return take_own(*option, word, words, arguments);
  if (const Foreign* foreign = find_foreign(word.name)) return take_foreign(*foreign, word, words, arguments);
  if (const Option* option = find_long_option(word.name)) return take_own(*option, word, words, arguments);
  return no_such_option(word.name);
}

// A colon of the program's own (`sh -c :`, `a : -`) is no end: only one that an option or another program follows.
bool ends_part(char** word) {
  return std::string_view(*word) == ":" && word[1] != nullptr && std::string_view(word[1]) != "-";
}

// Takes options and a program with its arguments. The result is where the next part begins: at the null behind the
// last one.
Result<char**> take_part(char** word, Arguments& arguments) {
  arguments.parts.emplace_back();
  // The options end at the first word that is none, or at "--".
  while (*word != nullptr && (*word)[0] == '-' && std::string_view(*word) != "--") {
    const Result<int> taken = take_option(word, arguments);
    if (!taken) return taken.error();
    word += *taken;
  }
  if (*word != nullptr && std::string_view(*word) == "--") ++word;
  if (arguments.wish != Wish::kRun) return word;
  if (*word == nullptr || ends_part(word)) {
    return Error::make("no program given; use: oshrun -n 4 ./program, or see oshrun --help");
  }
  arguments.parts.back().words = word;
  while (*word != nullptr && !ends_part(word)) ++word;
  if (*word == nullptr) return word;
  *word = nullptr;
  return word + 1;
}

// Adds them up. In a job of several programs, one whose number is not given has one PE, as with other launchers.
Result<void> add_up(Arguments& arguments) {
  if (arguments.parts.size() == 1 && arguments.parts[0].n_pes == 0) {
    if (arguments.per_host > 0) return {};
    return Error::make("the number of PEs is missing; use: oshrun -n 4 %.200s", arguments.parts[0].words[0]);
  }
  std::int64_t pes = 0;
  for (Part& part : arguments.parts) {
    part.n_pes = std::max(part.n_pes, 1);
    pes += part.n_pes;
  }
  if (pes > boot::kMostJobPes) {
    return Error::make("%lld PEs in all: a job may have %d", static_cast<long long>(pes), boot::kMostJobPes);
  }
  arguments.n_pes = static_cast<int>(pes);
  return {};
}

}  // namespace

Result<void> count_pes(int n_hosts, Arguments& arguments) {
  if (arguments.n_pes > 0) return {};
  const std::int64_t pes = std::int64_t{n_hosts} * arguments.per_host;
  if (pes > boot::kMostJobPes) {
    return Error::make("-N %d on %d hosts are %lld PEs: a job may have %d", arguments.per_host, n_hosts,
                       static_cast<long long>(pes), boot::kMostJobPes);
  }
  arguments.n_pes = arguments.parts[0].n_pes = static_cast<int>(pes);
  return {};
}

namespace {

// Options that contradict each other, or mean nothing without another.
Result<void> check_together(Arguments& arguments) {
  if (arguments.bind_to == "none" && !arguments.map_by.empty()) {
    return Error::make("--map-by %s: without --bind-to nothing is bound; add --bind-to core, socket or numa",
                       arguments.map_by.c_str());
  }
  if (!arguments.debug && !arguments.debug_in.empty()) {
    return Error::make("--debug-in %s: without --debug nothing is debugged; add --debug, or --debug=0 for PE 0 only",
                       arguments.debug_in.c_str());
  }
  if (!arguments.hosts.empty() && !arguments.host_file.empty()) {
    return Error::make("--hosts with --hostfile: both say where the job runs; leave one of them out");
  }
  const bool has_hosts = !arguments.hosts.empty() || !arguments.host_file.empty();
  if (has_hosts && arguments.debug) {
    return Error::make("--debug with --hosts: PEs on other hosts cannot be debugged from here; run on this host only");
  }
  if (arguments.tag_output && !arguments.output_dir.empty()) {
    return Error::make(
        "--tag-output with --output-dir: each file holds the output of one PE only; leave one of them out");
  }
  if (!has_hosts && arguments.n_pes > boot::kMaxPes) {
    return Error::make("%d PEs: one host runs %d at most; name several (--hosts or --hostfile)", arguments.n_pes,
                       boot::kMaxPes);
  }
  if (has_hosts || arguments.per_host == 0) return {};
  if (arguments.n_pes > arguments.per_host) {
    return Error::make("-N %d (--ppn): %d PEs are more than that on this host; add --hosts or --hostfile",
                       arguments.per_host, arguments.n_pes);
  }
  return count_pes(1, arguments);
}

}  // namespace

Result<Arguments> parse_arguments(int argc, char** argv) {
  Arguments arguments;
  char** word = argv + std::min(argc, 1);
  do {
    const Result<char**> next = take_part(word, arguments);
    if (!next) return next.error();
    word = *next;
  } while (arguments.wish == Wish::kRun && *word != nullptr);
  if (arguments.wish != Wish::kRun) return arguments;
  if (const Result<void> added = add_up(arguments); !added) return added.error();
  if (const Result<void> fits = check_together(arguments); !fits) return fits.error();
  return arguments;
}

std::string help_text() {
  std::string text = "usage: oshrun -n N [options] program [arguments] [: -n N program [arguments]]...\n\n";
  for (const Option& option : options()) {
    if (option.help.empty()) continue;
    std::string line = "  " + std::string(option.spelling);
    line.resize(std::max<std::size_t>(line.size() + 1, 25), ' ');
    text += line.append(option.help) + "\n";
  }
  text +=
      "\nWhat follows the program's name is the program's. SHMEM_INFO=1 lists variables,\n"
      "such as SHMEM_SYMMETRIC_SIZE=1G, the heap of each PE. More: man oshrun\n";
  return text;
}

}  // namespace weft::launch::command
