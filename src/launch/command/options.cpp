#include "launch/command/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

#include "base/nearest.hpp"
#include "boot/enter.hpp"
#include "boot/job.hpp"
#include "launch/command/soft.hpp"

namespace weft::launch::command {
namespace {

using base::Error;
using base::Result;

constexpr std::size_t kShown = 200;  // of what the user wrote; a message stays a line

// For the printf-like makers of messages, which want an int.
int length(std::string_view text) { return static_cast<int>(std::min(text.size(), kShown)); }

Result<void> take_pes(const Given& given, Arguments& arguments) {
  int pes = 0;
  const char* end = given.value.data() + given.value.size();
  const auto [stop, error] = std::from_chars(given.value.data(), end, pes);
  if (error == std::errc::invalid_argument || stop != end) {
    return Error::make("%.*s %.*s: not a whole number; give the number of PEs, from 1 to %d", length(given.spelling),
                       given.spelling.data(), length(given.value), given.value.data(), boot::kMostJobPes);
  }
  if (error != std::errc{} || pes < 1 || pes > boot::kMostJobPes) {
    return Error::make("%.*s %.*s: the number of PEs must be from 1 to %d", length(given.spelling),
                       given.spelling.data(), length(given.value), given.value.data(), boot::kMostJobPes);
  }
  arguments.parts.back().n_pes = pes;
  return {};
}

struct Time {
  std::uint64_t nanoseconds = 0;
  std::string text;
};

Result<Time> read_time(const Given& given) {
  constexpr double kLongest = 1e9;  // seconds, 31 years: its nanoseconds fit
  double number = 0;
  const char* end = given.value.data() + given.value.size();
  const auto [stop, error] = std::from_chars(given.value.data(), end, number, std::chars_format::fixed);
  const std::string_view unit =
      error == std::errc{} ? std::string_view(stop, static_cast<std::size_t>(end - stop)) : "?";
  const double seconds = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  // Written so that a NaN is refused as well.
  if (!(number * seconds >= 0.001 && number * seconds <= kLongest)) {
    return Error::make("%.*s %.*s: not a time; give seconds, such as 90, or 90s, 10m, 2h", length(given.spelling),
                       given.spelling.data(), length(given.value), given.value.data());
  }
  return Time{static_cast<std::uint64_t>(number * seconds * 1e9),
              std::string(given.value) + (unit.empty() ? " s" : "")};
}

Result<void> take_timeout(const Given& given, Arguments& arguments) {
  const Result<Time> time = read_time(given);
  if (!time) return time.error();
  arguments.timeout = time->nanoseconds;
  arguments.timeout_text = time->text;
  return {};
}

Result<void> take_hang_after(const Given& given, Arguments& arguments) {
  const Result<Time> time = read_time(given);
  if (!time) return time.error();
  arguments.hang_after = time->nanoseconds;
  return {};
}

Result<void> take_status(const Given& given, Arguments& arguments) {
  arguments.status_of = given.value;
  if (arguments.wish == Wish::kRun) arguments.wish = Wish::kStatus;
  return {};
}

Result<std::string> read_assignment(const Given& given) {
  const std::string_view name = given.value.substr(0, given.value.find('='));
  if (name.empty()) {
    return Error::make("%.*s %.*s: the variable has no name; write NAME=VALUE", length(given.spelling),
                       given.spelling.data(), length(given.value), given.value.data());
  }
  if (name == boot::kJobVariable || name == boot::kPeVariable || name == boot::kNPesVariable) {
    return Error::make("%.*s %.*s: oshrun sets %.*s itself, for each PE; leave it out", length(given.spelling),
                       given.spelling.data(), length(given.value), given.value.data(), length(name), name.data());
  }
  std::string assignment(given.value);
  if (name.size() == given.value.size()) {
    const char* here = std::getenv(assignment.c_str());
    if (here == nullptr) {
      return Error::make("%.*s %.*s: it is not set here; export it, or write %.*s=VALUE", length(given.spelling),
                         given.spelling.data(), length(name), name.data(), length(name), name.data());
    }
    assignment = assignment + "=" + here;
  }
  return assignment;
}

Result<void> take_environment(const Given& given, Arguments& arguments) {
  Result<std::string> assignment = read_assignment(given);
  if (!assignment) return assignment.error();
  arguments.environment.push_back(std::move(*assignment));
  return {};
}

Result<void> take_part_environment(const Given& given, Arguments& arguments) {
  Result<std::string> assignment = read_assignment(given);
  if (!assignment) return assignment.error();
  arguments.parts.back().environment.push_back(std::move(*assignment));
  return {};
}

Result<void> take_soft(const Given& given, Arguments& arguments) {
  if (!largest_soft(given.value, boot::kMostJobPes)) {
    return Error::make("%.*s %.*s: no list of numbers; write 4,8 or 2:16 or, for each second one, 2:16:2",
                       length(given.spelling), given.spelling.data(), length(given.value), given.value.data());
  }
  arguments.parts.back().soft = given.value;
  return {};
}

// All hosts are of one kind, so there is one that can be asked for.
Result<void> take_kind(const Given& given, Arguments&) {
#if defined(__x86_64__)
  constexpr std::string_view kNames[] = {"x86_64", "amd64"};
#elif defined(__aarch64__)
  constexpr std::string_view kNames[] = {"aarch64", "arm64"};
#elif defined(__powerpc64__)
  constexpr std::string_view kNames[] = {"ppc64le", "ppc64el"};
#else
  constexpr std::string_view kNames[] = {"riscv64"};
#endif
  if (std::find(std::begin(kNames), std::end(kNames), given.value) != std::end(kNames)) return {};
  return Error::make("%.*s %.*s: all hosts of a job are of the kind of this one, %s; leave it out",
                     length(given.spelling), given.spelling.data(), length(given.value), given.value.data(),
                     kNames[0].data());
}

// The place of the value among the words that it may be.
template <std::size_t n>
Result<std::size_t> choose(const Given& given, const std::array<std::string_view, n>& words) {
  const auto found = std::find(words.begin(), words.end(), given.value);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string all;
  for (std::size_t k = 0; k < n; ++k) all += (k == 0 ? "" : k + 1 == n ? " or " : ", ") + std::string(words[k]);
  const std::string_view meant = base::nearest(given.value, words);
  const std::string guess = meant.empty() ? "" : "did you mean " + std::string(meant) + "? ";
  return Error::make("%.*s %.*s: no such choice; %sit is one of %s", length(given.spelling), given.spelling.data(),
                     length(given.value), given.value.data(), guess.c_str(), all.c_str());
}

Result<void> take_input(const Given& given, Arguments& arguments) {
  static constexpr std::array<std::string_view, 3> kWords = {"0", "all", "none"};
  const Result<std::size_t> word = choose(given, kWords);
  if (!word) return word.error();
  static constexpr InputTo kMeanings[] = {InputTo::kPe0, InputTo::kAll, InputTo::kNobody};
  arguments.input = kMeanings[*word];
  return {};
}

Result<void> take_debug(const Given& given, Arguments& arguments) {
  arguments.debug = true;
  arguments.debug_pes = given.value;
  return {};
}

Result<void> take_profile(const Given& given, Arguments& arguments) {
  arguments.profile = true;
  arguments.profile_dir = given.value;
  return {};
}

Result<void> take_debug_place(const Given& given, Arguments& arguments) {
  static constexpr std::array<std::string_view, 4> kWords = {"here", "tmux", "terminals", "attach"};
  const Result<std::size_t> word = choose(given, kWords);
  if (!word) return word.error();
  arguments.debug_in = given.value;
  return {};
}

// As Open MPI writes it: "package" for a socket, and behind a colon leave to do what is done here anyway.
std::string_view plain_unit(std::string_view unit) {
  const std::size_t colon = unit.rfind(':');
  const std::string_view leave = colon == unit.npos ? std::string_view() : unit.substr(colon + 1);
  const bool is_leave = leave == "OVERSUBSCRIBE" || leave == "oversubscribe" || leave == "overload-allowed";
  if (is_leave) unit = unit.substr(0, colon);
  return unit == "package" ? std::string_view("socket") : unit;
}

Result<void> take_binding(const Given& given, Arguments& arguments) {
  static constexpr std::array<std::string_view, 4> kWords = {"none", "core", "socket", "numa"};
  const std::string_view unit = plain_unit(given.value);
  const Result<std::size_t> word = choose({given.spelling, unit}, kWords);
  if (!word) return word.error();
  arguments.bind_to = unit;
  return {};
}

template <auto member>
Result<void> take_count(const Given& given, Arguments& arguments) {
  int count = 0;
  const char* end = given.value.data() + given.value.size();
  const auto [stop, error] = std::from_chars(given.value.data(), end, count);
  if (error != std::errc{} || stop != end || count < 1 || count > boot::kMaxPes) {
    return Error::make("%.*s %.*s: give a whole number from 1 to %d", length(given.spelling), given.spelling.data(),
                       length(given.value), given.value.data(), boot::kMaxPes);
  }
  arguments.*member = count;
  return {};
}

// Open MPI writes "ppr:2:node".
Result<void> take_mapping(const Given& given, Arguments& arguments) {
  constexpr std::string_view kEach = "ppr:";
  constexpr std::string_view kOnNode = ":node";
  static constexpr std::array<std::string_view, 5> kWords = {"core", "socket", "numa", "node", "slot"};
  std::string_view unit = plain_unit(given.value);
  if (unit.starts_with(kEach) && unit.ends_with(kOnNode) && unit.size() > kEach.size() + kOnNode.size()) {
    unit.remove_prefix(kEach.size());
    unit.remove_suffix(kOnNode.size());
    return take_count<&Arguments::per_host>({given.spelling, unit}, arguments);
  }
  const Result<std::size_t> word = choose({given.spelling, unit}, kWords);
  if (!word) return word.error();
  if (unit == "node" || unit == "slot") {
    arguments.in_turn = unit == "node";
  } else {
    arguments.map_by = unit;
  }
  return {};
}

Result<void> take_link_timeout(const Given& given, Arguments& arguments) {
  arguments.silence = 0;
  if (given.value == "none") return {};
  const Result<Time> time = read_time(given);
  if (!time) return time.error();
  constexpr std::uint64_t kLeast = 2'000'000'000;  // agents say that they are there once in a second
  if (time->nanoseconds < kLeast) {
    return Error::make("%.*s %.*s: at least 2 s are needed; or none, to wait for ever", length(given.spelling),
                       given.spelling.data(), length(given.value), given.value.data());
  }
  arguments.silence = time->nanoseconds;
  return {};
}

template <auto member>
Result<void> take_text(const Given& given, Arguments& arguments) {
  arguments.*member = given.value;
  return {};
}

template <auto member>
Result<void> take_part_text(const Given& given, Arguments& arguments) {
  arguments.parts.back().*member = given.value;
  return {};
}

// -file is read where words are taken, arguments.cpp: it is here for the guess at a mistyped word.
Result<void> take_file_name(const Given&, Arguments&) { return {}; }

// As the first word of the command line it does not come here.
Result<void> take_no_config_file(const Given& given, Arguments&) {
  return Error::make("%.*s: it is alone on the command line; write all options into the file", length(given.spelling),
                     given.spelling.data());
}

template <auto member>
Result<void> take_flag(const Given&, Arguments& arguments) {
  arguments.*member = true;
  return {};
}

template <Wish wish>
Result<void> take_wish(const Given&, Arguments& arguments) {
  if (arguments.wish != Wish::kHelp) arguments.wish = wish;
  return {};
}

constexpr Option kOptions[] = {
    {"--np", "-n, -np, --np N", "N", "number of processing elements (PEs); required", take_pes},
    {"--hosts", "-H, --hosts LIST", "LIST", "run on these hosts: a,b or, with PEs of each, a:4,b:2",
     take_text<&Arguments::hosts>},
    {"--host", "--host LIST", "LIST", "", take_part_text<&Part::hosts>},
    {"--hostfile", "--hostfile FILE", "FILE", "the same, a host a line: b, b:2 or b slots=2",
     take_text<&Arguments::host_file>},
    {"--ppn", "-N, --ppn N", "N", "", take_count<&Arguments::per_host>},
    {"--ssh", "--ssh COMMAND", "COMMAND", "", take_text<&Arguments::ssh>},
    {"--fanout", "--fanout N", "N", "", take_count<&Arguments::fanout>},
    {"--link-timeout", "--link-timeout TIME", "TIME", "", take_link_timeout},
    {"--tag-output", "-l, --tag-output", "", "begin each line of PE 3's output with [3]",
     take_flag<&Arguments::tag_output>},
    {"--output-dir", "--output-dir DIR", "DIR", "PE 3 writes to DIR/pe.3.out and DIR/pe.3.err",
     take_text<&Arguments::output_dir>},
    {"--stdin", "--stdin WHO", "WHO", "who reads standard input: 0 (default), all, none", take_input},
    {"--timeout", "--timeout TIME", "TIME", "end the job after 90, 90s, 10m or 2h; exit code 124", take_timeout},
    {"--hang-after", "--hang-after TIME", "TIME", "tell what all PEs do when one has waited so long", take_hang_after},
    {"--status", "--status JOB", "JOB", "tell what the PEs of a job do: its oshrun's process id", take_status},
    {"--wdir", "--wdir DIR", "DIR", "run in DIR; a relative program is looked for there",
     take_part_text<&Part::work_dir>},
    {"--path", "--path PATH", "PATH", "", take_part_text<&Part::path>},
    {"--soft", "--soft LIST", "LIST", "", take_soft},
    {"--arch", "--arch KIND", "KIND", "", take_kind},
    {"--file", "--file FILE", "FILE", "", take_file_name},
    {"--configfile", "--configfile FILE", "FILE", "", take_no_config_file},
    {"--env", "-x, --env NAME[=VALUE]", "NAME[=VALUE]", "set a variable of all PEs; may be repeated", take_environment},
    {"--part-env", "--part-env NAME[=VALUE]", "NAME[=VALUE]", "", take_part_environment},
    {"--debug", "--debug[=PE,...]", "[=PE,...]", "run these PEs, or all, under gdb", take_debug},
    {"--debug-in", "--debug-in WHERE", "WHERE", "", take_debug_place},
    {"--bind-to", "--bind-to UNIT", "UNIT", "bind each PE to a core, socket, numa (node), none", take_binding},
    {"--map-by", "--map-by UNIT", "UNIT", "", take_mapping},
    {"--threads", "--threads N", "N", "", take_count<&Arguments::threads>},
    {"--map", "--map FILE", "FILE", "", take_text<&Arguments::map>},
    {"--report-bindings", "--report-bindings", "", "tell on which processors each PE may run",
     take_flag<&Arguments::report_bindings>},
    {"--safe", "--safe", "", "check each call, and the symmetric heap", take_flag<&Arguments::safe>},
    {"--profile", "--profile[=DIR]", "[=DIR]", "count and time all calls; summary, page and data in DIR", take_profile},
    {"--verbose", "-v, --verbose", "", "tell what is started and how each PE ended", take_flag<&Arguments::verbose>},
    {"--help", "-h, --help", "", "this text", take_wish<Wish::kHelp>},
    {"--version", "-V, --version", "", "version of Weft", take_wish<Wish::kVersion>},
};

// "-v" is one of the spellings "-v, --verbose"; so is what stands before the value.
bool is_spelling(const Option& option, std::string_view name) {
  std::string_view rest = option.spelling;
  if (!option.value.empty()) rest.remove_suffix(option.value.size() + (option.value_is_optional() ? 0 : 1));
  for (;;) {
    const std::size_t comma = rest.find(", ");
    if (rest.substr(0, comma) == name) return true;
    if (comma == std::string_view::npos) return false;
    rest.remove_prefix(comma + 2);
  }
}

}  // namespace

std::span<const Option> options() { return kOptions; }

const Option* find_option(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(kOptions), std::end(kOptions), [&](const Option& o) { return is_spelling(o, name); });
  return found == std::end(kOptions) ? nullptr : found;
}

const Option* find_long_option(std::string_view name) {
  const auto* found = std::find_if(std::begin(kOptions), std::end(kOptions),
                                   [&](const Option& o) { return o.name.size() > 3 && o.name.substr(1) == name; });
  return found == std::end(kOptions) ? nullptr : found;
}

Error no_such_option(std::string_view name) {
  std::vector<std::string_view> words = {"-n", "-v"};  // the letters that somebody may have meant
  for (const Option& option : kOptions) words.push_back(option.name);
  const std::string_view meant = base::nearest(name, words);
  if (meant.empty()) return Error::make("there is no option %.*s; see oshrun --help", length(name), name.data());
  return Error::make("there is no option %.*s; did you mean %.*s?", length(name), name.data(), length(meant),
                     meant.data());
}

}  // namespace weft::launch::command
