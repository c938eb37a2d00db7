#include "base/words.hpp"

namespace weft::base {
namespace {

constexpr const char* Words::*kAll[] = {&Words::interface,  &Words::library,     &Words::begin,
                                        &Words::end,        &Words::exit_all,    &Words::allocate,
                                        &Words::address_of, &Words::heap_option, &Words::member};

constexpr Words kDescribed{.interface = "Weft",
                           .library = "the library",
                           .begin = "the start",
                           .end = "the stop",
                           .exit_all = "the end of the job",
                           .allocate = "the symmetric heap",
                           .address_of = "the library",
                           .member = "PE",
                           .heap_option = "the size of the heap"};

constinit Words g_given{};
constinit Words g_words = kDescribed;

}  // namespace

void add_words(const Words& words) noexcept {
  for (const char* Words::*word : kAll) {
    if (g_given.*word == nullptr && words.*word != nullptr) {
      g_given.*word = g_words.*word = words.*word;
    }
  }
}

const Words& words() noexcept { return g_words; }

}  // namespace weft::base
