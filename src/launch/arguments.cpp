#include "launch/arguments.hpp"

#include <algorithm>
#include <string_view>

#include "boot/job.hpp"
#include "launch/options.hpp"

namespace weft::launch {
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

// Takes the option at argv[at], with its value. The result is the number of words that were its.
Result<int> take_option(char** words, Arguments& arguments) {
  const Word word = split(words[0]);
  const Option* option = find_option(word.name);
  if (option == nullptr) return no_such_option(word.name);
  const bool takes_value = !option->value.empty();
  if (!takes_value && word.has_value) {
    return Error::make("%.200s: this option takes no value", words[0]);
  }
  const bool from_next = takes_value && !word.has_value && !option->value_is_optional();
  if (from_next && words[1] == nullptr) return needs_value(*option, word.name);
  const Given given{word.name, from_next ? std::string_view(words[1]) : word.value};
  if (takes_value && given.value.empty() && (word.has_value || !option->value_is_optional()))
    return needs_value(*option, word.name);
  if (const Result<void> taken = option->take(given, arguments); !taken) return taken.error();
  return from_next ? 2 : 1;
}

// A colon of the program's own (`sh -c :`) is no end: only one that an option follows.
bool ends_part(char** word) {
  return std::string_view(*word) == ":" && word[1] != nullptr && word[1][0] == '-' && word[1][1] != '\0';
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
  Part& part = arguments.parts.back();
  if (part.n_pes == 0) {
    const char* before = arguments.parts.size() > 1 ? "... : " : "oshrun ";
    return Error::make("the number of PEs is missing; use: %s-n 4 %.200s", before, *word);
  }
  part.words = word;
  while (*word != nullptr && !ends_part(word)) ++word;
  if (*word == nullptr) return word;
  *word = nullptr;
  return word + 1;
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
  std::int64_t pes = 0;
  for (const Part& part : arguments.parts) pes += part.n_pes;
  if (pes > boot::kMaxPes) {
    return Error::make("%lld PEs in all: a job may have %d", static_cast<long long>(pes), boot::kMaxPes);
  }
  arguments.n_pes = static_cast<int>(pes);
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
  if (!has_hosts && arguments.per_host > 0) {
    return Error::make("--ppn %d: there are no hosts; add --hosts or --hostfile", arguments.per_host);
  }
  if (has_hosts && arguments.debug) {
    return Error::make("--debug with --hosts: PEs on other hosts cannot be debugged from here; run on this host only");
  }
  if (arguments.tag_output && !arguments.output_dir.empty()) {
    return Error::make(
        "--tag-output with --output-dir: each file holds the output of one PE only; leave one of them out");
  }
  return arguments;
}

std::string help_text() {
  std::string text = "usage: oshrun -n N [options] program [arguments] [: -n N program [arguments]]...\n\n";
  for (const Option& option : options()) {
    if (option.help.empty()) continue;
    std::string line = "  " + std::string(option.spelling);
    line.resize(std::max<std::size_t>(line.size() + 1, 23), ' ');
    text += line.append(option.help) + "\n";
  }
  text +=
      "\nWhat follows the program's name is the program's. SHMEM_INFO=1 lists variables,\n"
      "such as SHMEM_SYMMETRIC_SIZE=1G, the heap of each PE. More: man oshrun\n";
  return text;
}

}  // namespace weft::launch
