// weft-info: what this Weft is, what it can be told through the environment, and what it is told here and now.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "base/options.hpp"

namespace {

using namespace weft;

struct Algorithm {
  const char* option;
  const char* name;
  const char* text;
};

constexpr Algorithm kAlgorithms[] = {
#define WEFT_BARRIER(name, text) {"coll_barrier", #name, text},
#define WEFT_BROADCAST(name, text) {"coll_broadcast", #name, text},
#define WEFT_COLLECT(name, text) {"coll_collect", #name, text}, {"coll_fcollect", #name, text},
#define WEFT_ALLTOALL(name, text) {"coll_alltoall", #name, text}, {"coll_alltoalls", #name, text},
#define WEFT_REDUCE(name, text) {"coll_reduce", #name, text},
#define WEFT_SCAN(name, text) {"coll_scan", #name, text},
#define WEFT_COPY(name, text) {"copy", #name, text},
#include "api/algorithms.def"
};

bool is_algorithm(const base::OptionText& option) { return std::strcmp(option.kind, "algorithm") == 0; }

void print_choices(const char* option) {
  for (const Algorithm& algorithm : kAlgorithms) {
    if (std::strcmp(algorithm.option, option) == 0) {
      (void)std::printf("      %-14s %s\n", algorithm.name, algorithm.text);
    }
  }
}

// "WEFT_SPIN = 0 (environment)"
void print_value(const base::OptionText& option) {
  const char* name = option.name;
  const char* value = std::getenv(name);
  if (value == nullptr && option.older[0] != '\0') {
    value = std::getenv(option.older);
    name = value != nullptr ? option.older : option.name;
  }
  if (std::strcmp(option.kind, "flag") == 0) {
    (void)std::printf("  %s: %s (%s)\n", name, value != nullptr ? "on" : "off",
                      value != nullptr ? "environment" : "default");
  } else if (value != nullptr) {
    (void)std::printf("  %s = %s (environment)\n", name, value);
  } else {
    const bool built = is_algorithm(option) && std::strcmp(option.fallback, "auto") != 0;
    (void)std::printf("  %s = %s (%s)\n", option.name, option.fallback, built ? "set when Weft was built" : "default");
  }
}

void print_options() {
  (void)std::puts("Options, all of them environment variables:");
  for (int k = 0; k < base::kOptionCount; ++k) {
    const base::OptionText& option = base::option_text(k);
    if (is_algorithm(option)) continue;
    print_value(option);
    (void)std::printf("      %s\n", option.text);
    print_choices(option.identifier);
  }
}

void print_algorithms() {
  (void)std::puts("Algorithms of the collectives, also set by environment variables, the same on all PEs:");
  for (int k = 0; k < base::kOptionCount; ++k) {
    const base::OptionText& option = base::option_text(k);
    if (!is_algorithm(option)) continue;
    print_value(option);
    (void)std::printf("      %-14s by size and number of PEs\n", "auto");
    print_choices(option.identifier);
  }
}

int tell(int argc, char** argv) {
  CLI::App app("Tells what this Weft is and which options it has.", "weft-info");
  bool version = false;
  bool algorithms = false;
  app.add_flag("-V,--version", version, "print the version only");
  app.add_flag("-a,--algorithms", algorithms, "print the algorithms of the collectives only");
  CLI11_PARSE(app, argc, argv);
  if (version) {
    base::print_version(stdout);
    return 0;
  }
  if (!algorithms) {
    base::print_version(stdout);
    print_options();
  }
  print_algorithms();
  if (const auto options = base::read_options(); !options) {
    (void)std::fflush(stdout);
    (void)std::fprintf(stderr, "weft-info: %s\n", options.error().text());
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return tell(argc, argv);
  } catch (const std::exception& problem) {  // CLI11's own mistakes, and no memory
    (void)std::fprintf(stderr, "weft-info: %s\n", problem.what());
    return 1;
  }
}
