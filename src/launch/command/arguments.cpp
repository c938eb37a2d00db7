#include "launch/command/arguments.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "boot/enter.hpp"
#include "boot/job.hpp"
#include "launch/command/foreign.hpp"
#include "launch/command/option_file.hpp"
#include "launch/command/options.hpp"
#include "launch/command/soft.hpp"

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

bool is_file_option(std::string_view text) {
  const Word word = split(text);
  return word.name == "-file" || word.name == "--file";
}

// The words of a file as those of a command line, which a null ends; with `as_parts` each line is a part.
std::vector<char*> keep(const std::vector<Words>& lines, bool as_parts, Arguments& arguments) {
  if (!arguments.kept) arguments.kept = std::make_shared<WordsOfFiles>();
  std::vector<char*> all;
  const auto add = [&](const std::string& word) { all.push_back(arguments.kept->words.emplace_back(word).data()); };
  for (const Words& line : lines) {
    if (as_parts && !all.empty()) add(":");
    for (const std::string& word : line) add(word);
  }
  all.push_back(nullptr);
  return all;
}

Result<int> take_option(char** words, Arguments& arguments) {
  const Word word = split(words[0]);
  if (const Option* option = find_option(word.name)) return take_own(*option, word, words, arguments);
  if (const Foreign* foreign = find_foreign(word.name)) return take_foreign(*foreign, word, words, arguments);
  if (const Option* option = find_long_option(word.name)) return take_own(*option, word, words, arguments);
  return no_such_option(word.name);
}

// "-file NAME": what stands in it is as if it stood here.
Result<int> take_file(char** words, Arguments& arguments) {
  const Word word = split(words[0]);
  if (!word.has_value && words[1] == nullptr) return needs_value(*find_option("--file"), word.name);
  const std::string file(word.has_value ? word.value : std::string_view(words[1]));
  const Result<std::vector<Words>> lines = load_words(file);
  if (!lines) return lines.error();
  std::vector<char*> read = keep(*lines, false, arguments);
  for (char** next = read.data(); *next != nullptr;) {
    if ((*next)[0] != '-' || is_file_option(*next)) {
      return Error::make("%.200s: %.100s: only options of one program stand in such a file, and no further file",
                         file.c_str(), *next);
    }
    const Result<int> taken = take_option(next, arguments);
    if (!taken) return taken.error();
    next += *taken;
  }
  return word.has_value ? 1 : 2;
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
    const Result<int> taken = is_file_option(*word) ? take_file(word, arguments) : take_option(word, arguments);
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

// What -soft leaves of a number. Alone it is the number.
Result<void> settle_soft(Part& part) {
  if (part.soft.empty()) return {};
  const int most = part.n_pes > 0 ? part.n_pes : boot::kMostJobPes;
  const int soft = largest_soft(part.soft, most).value_or(0);
  if (soft == 0) return Error::make("-soft %.200s: no number from 1 to %d is in it", part.soft.c_str(), most);
  part.n_pes = soft;
  return {};
}

// Where all parts have the same folder or hosts, these are the job's.
void inherit(Arguments& arguments) {
  std::vector<Part>& parts = arguments.parts;
  for (std::size_t k = 1; k < parts.size(); ++k) {
    if (parts[k].work_dir.empty()) parts[k].work_dir = parts[k - 1].work_dir;
    if (parts[k].path.empty()) parts[k].path = parts[k - 1].path;
    if (parts[k].hosts.empty()) parts[k].hosts = parts[k - 1].hosts;
  }
  const auto shared = [&](std::string Part::*member) {
    const std::string value = parts[0].*member;
    const bool all = std::all_of(parts.begin(), parts.end(), [&](const Part& p) { return p.*member == value; });
    for (Part& part : parts) {
      if (all) (part.*member).clear();
    }
    return all ? value : std::string();
  };
  arguments.work_dir = shared(&Part::work_dir);
  if (arguments.hosts.empty() && arguments.host_file.empty()) arguments.hosts = shared(&Part::hosts);
}

// Adds them up. In a job of several programs, one whose number is not given has one PE, as with other launchers.
Result<void> add_up(Arguments& arguments) {
  for (Part& part : arguments.parts) {
    if (const Result<void> settled = settle_soft(part); !settled) return settled;
  }
  if (arguments.parts.size() == 1 && arguments.parts[0].n_pes == 0) {
    if (arguments.per_host > 0) return {};
    if (arguments.called.for_mpi()) arguments.parts[0].n_pes = 1;  // as Hydra does
  }
  if (arguments.parts.size() == 1 && arguments.parts[0].n_pes == 0) {
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
  const bool of_parts = parts_have_hosts(arguments);
  if ((!arguments.hosts.empty() && !arguments.host_file.empty()) ||
      (of_parts && !(arguments.hosts.empty() && arguments.host_file.empty()))) {
    return Error::make("%s with %s: both say where the job runs; leave one of them out",
                       of_parts ? "--host" : "--hosts", arguments.host_file.empty() ? "--hosts" : "--hostfile");
  }
  const bool has_hosts = !arguments.hosts.empty() || !arguments.host_file.empty() || of_parts;
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

namespace {

// Open MPI's name for the same is --app.
bool is_config_file(std::string_view name) {
  constexpr std::string_view kNames[] = {"-configfile", "--configfile", "-app", "--app"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// "-configfile NAME", each line of which is a part.
Result<char**> read_config_file(char** words, Arguments& arguments) {
  const Word word = split(words[0]);
  if (!word.has_value && words[1] == nullptr) {
    return Error::make("%.20s needs a value: the file with a program and its options on each line", words[0]);
  }
  if (words[word.has_value ? 1 : 2] != nullptr) {
    return Error::make("%.*s is alone on the command line; write all options into the file",
                       static_cast<int>(word.name.size()), word.name.data());
  }
  const std::string file(word.has_value ? word.value : std::string_view(words[1]));
  const Result<std::vector<Words>> lines = load_words(file);
  if (!lines) return lines.error();
  std::vector<char*> line = keep(*lines, true, arguments);
  arguments.kept->line = std::move(line);
  return arguments.kept->line.data();
}

}  // namespace

bool parts_have_hosts(const Arguments& arguments) {
  return std::any_of(arguments.parts.begin(), arguments.parts.end(), [](const Part& p) { return !p.hosts.empty(); });
}

Result<Arguments> parse_arguments(int argc, char** argv) {
  Arguments arguments;
  if (argc > 0) arguments.called = Called(argv[0]);
  char** word = argv + std::min(argc, 1);
  if (*word != nullptr && is_config_file(split(*word).name)) {
    const Result<char**> read = read_config_file(word, arguments);
    if (!read) return read.error();
    word = *read;
  }
  do {
    const Result<char**> next = take_part(word, arguments);
    if (!next) return next.error();
    word = *next;
  } while (arguments.wish == Wish::kRun && *word != nullptr);
  if (arguments.wish != Wish::kRun) return arguments;
  inherit(arguments);
  if (const Result<void> added = add_up(arguments); !added) return added.error();
  if (const Result<void> fits = check_together(arguments); !fits) return fits.error();
  return arguments;
}

std::string help_text(const Called& called) {
  std::string text = "usage: oshrun -n N [options] program [arguments] [: -n N program [arguments]]...\n\n";
  for (const Option& option : options()) {
    if (option.help.empty()) continue;
    std::string line = "  " + std::string(option.spelling);
    line.resize(std::max<std::size_t>(line.size() + 1, 25), ' ');
    const bool may_be_left_out = called.for_mpi() && option.name == "--np";
    text += line.append(may_be_left_out ? "number of ranks; 1 without it" : option.help) + "\n";
  }
  text +=
      "\nWhat follows the program's name is the program's. SHMEM_INFO=1 lists variables,\n"
      "such as SHMEM_SYMMETRIC_SIZE=1G, the heap of each PE. More: man oshrun\n";
  return called.line(text);
}

}  // namespace weft::launch::command
