// The file in which copies keep what they found: weft/copies.PROCESSOR.
#include <gnu/libc-version.h>

#include <string>

#include "copy/found.hpp"
#include "fuzz.hpp"

using weft::copy::Choice;
using weft::copy::Found;
using weft::fuzz::must;

// The first line is not worth guessing: files that begin with a blank line have it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with('\n')) {
    text.insert(0, std::string("weft-copies 2 glibc ") + ::gnu_get_libc_version());
  }
  const Found found = weft::copy::read_found(text);
  for (int k = 0; k < weft::copy::kClasses; ++k) {
    const Found::Class& of = found.classes[static_cast<std::size_t>(k)];
    must(of.choice == Choice::kAuto || (k > 0 && weft::copy::suits(of.choice, weft::copy::least_of_class(k))),
         "what was found can be used");
    must((of.choice == Choice::kAuto) == (of.programs == 0) && of.programs >= 0 && of.programs <= 9, "programs");
  }
  char again[weft::copy::kFoundRoom];
  const Found same = weft::copy::read_found({again, weft::copy::write_found(found, again)});
  for (std::size_t k = 0; k < found.classes.size(); ++k) {
    must(same.classes[k].choice == found.classes[k].choice && same.classes[k].programs == found.classes[k].programs,
         "what is written is read");
  }
  return 0;
}
