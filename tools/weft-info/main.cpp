// weft-info: what this Weft is, what it can be told, and whether a job would run here. This file is its command line.
#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "base/nearest.hpp"
#include "base/options.hpp"
#include "boot/job.hpp"
#include "facts.hpp"
#include "print.hpp"

namespace {

using namespace weft;

constexpr int kWrongUse = 2;  // as oshrun's

struct Wishes {
  bool version = false;
  bool algorithms = false;
  bool json = false;
  bool check = false;
  std::string n_pes;
  std::string program;
};

int complain(const std::string& text, int exit_code) {
  (void)std::fflush(stdout);
  (void)std::fprintf(stderr, "weft-info: %s\n", text.c_str());
  return exit_code;
}

// What CLI11 could not place.
std::string no_such(const std::string& word) {
  constexpr std::string_view kOptions[] = {"--help", "--version", "--algorithms", "--json", "--check", "-n"};
  if (word.empty() || word[0] != '-') return "there is no argument \"" + word + "\"; see weft-info --help";
  const std::string_view meant = base::nearest(word, kOptions);
  if (meant.empty()) return "there is no option " + word + "; see weft-info --help";
  return "there is no option " + word + "; did you mean " + std::string(meant) + "?";
}

// 0 when it is not a number of PEs.
int read_pes(const std::string& text) {
  int n = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, n);
  return error == std::errc{} && stop == end && n >= 1 && n <= boot::kMaxPes ? n : 0;
}

info::Check check(int n_pes) {
  const info::Facts facts = info::gather(n_pes);
  return {n_pes, info::heap_of_each(facts), info::judge(facts)};
}

// Of a program, and with --json of this Weft as well.
int tell_of_program(const Wishes& wishes) {
  const auto program = info::look_at_program(wishes.program);
  if (!program) return complain(program.error().text(), kWrongUse);
  if (wishes.json) {
    (void)std::fputs(info::json_text(info::about(true), nullptr, &*program).c_str(), stdout);
  } else {
    info::print_program(*program);
  }
  return 0;
}

int tell(const Wishes& wishes, int n_pes) {
  if (wishes.version) {
    base::print_version(stdout);
    return 0;
  }
  if (wishes.check && !wishes.json) {
    const info::Check found = check(n_pes);
    info::print_check(found);
    return info::works(found) ? 0 : 1;
  }
  const info::About about = info::about(wishes.json || !wishes.algorithms);
  if (wishes.json) {
    const info::Check found = wishes.check ? check(n_pes) : info::Check{};
    (void)std::fputs(info::json_text(about, wishes.check ? &found : nullptr, nullptr).c_str(), stdout);
    if (wishes.check) return info::works(found) ? 0 : 1;
  } else if (wishes.algorithms) {
    info::print_algorithms(about);
  } else {
    info::print_about(about);
  }
  return about.options_problem.empty() ? 0 : complain(about.options_problem, 1);
}

int run(int argc, char** argv) {
  CLI::App app("Tells what this Weft is, which options it has, and whether a job would run here.", "weft-info");
  Wishes wishes;
  app.allow_extras();  // to say something better about them
  CLI::Option* const program =
      app.add_option("PROGRAM", wishes.program, "a program: what it is, and what several processes of it would be");
  app.add_flag("-V,--version", wishes.version, "print the version only");
  app.add_flag("-a,--algorithms", wishes.algorithms, "print the algorithms of the collectives only");
  app.add_flag("-c,--check", wishes.check, "look for what would hurt a job here, and tell how to mend it");
  app.add_option("-n", wishes.n_pes, "PEs of the job that --check thinks of; default: one for each processor")
      ->type_name("N");
  app.add_flag("-j,--json", wishes.json, "print everything as JSON, with --check its findings too");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    if (problem.get_exit_code() == 0) return app.exit(problem);  // --help
    return complain(std::string(problem.what()) + "; see weft-info --help", kWrongUse);
  }
  if (const std::vector<std::string> extras = app.remaining(); !extras.empty()) {
    return complain(no_such(extras.front()), kWrongUse);
  }
  if (*program) {
    if (wishes.version || wishes.algorithms || wishes.check || !wishes.n_pes.empty()) {
      return complain("with a program goes no other option than --json; see weft-info --help", kWrongUse);
    }
    return tell_of_program(wishes);
  }
  if (!wishes.n_pes.empty() && !wishes.check) {
    return complain("-n " + wishes.n_pes + " is for --check only; add it", kWrongUse);
  }
  const int n_pes = wishes.n_pes.empty() ? info::default_pes() : read_pes(wishes.n_pes);
  if (n_pes == 0) {
    return complain("-n " + wishes.n_pes + ": give the number of PEs, from 1 to " + std::to_string(boot::kMaxPes),
                    kWrongUse);
  }
  return tell(wishes, n_pes);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& problem) {  // CLI11's own mistakes, and no memory
    return complain(problem.what(), 1);
  }
}
