// What comes with a message of a team from another process: what a function is given, and which pages have changed. The
// bytes are what the message is, how much of it is said to be given, and what has come.
#include <cstddef>
#include <cstring>
#include <memory>

#include "fuzz.hpp"
#include "omp/far/parcel.hpp"

using namespace weft;
using fuzz::must;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes bytes(data, size);
  omp::far::Message message;
  message.what = static_cast<omp::far::What>(bytes.take<std::uint8_t>());
  message.given = bytes.take<std::uint16_t>();
  // So often: a corpus of short files has long parcels too.
  const std::size_t times = bytes.take<std::uint8_t>() % 64 + 1U;
  const std::string_view piece = bytes.rest();
  const std::size_t come = piece.size() * times;
  // Of its size, so that AddressSanitizer sees what is read behind it.
  const std::unique_ptr<std::byte[]> all(new std::byte[come]);
  for (std::size_t k = 0; k < come; ++k) all[k] = static_cast<std::byte>(piece[k % piece.size()]);
  const auto opened = omp::far::open_parcel(0, message, {all.get(), come});
  if (opened.wrong != nullptr) {
    fuzz::must_be_a_line(opened.wrong);
    must(opened.many == 0, "of what is wrong nothing is taken");
    return 0;
  }
  must(opened.many <= dsm::kMostOwed && message.given <= omp::far::kMostGiven, "no more than there is room for");
  must(message.given + opened.many * sizeof(dsm::Owed) == come, "all that has come is one or the other");
  must(come == 0 || omp::far::takes_along(message.what), "nothing comes with other messages");
  must(opened.many == 0 || std::memcmp(opened.owed, all.get() + message.given, opened.many * sizeof(dsm::Owed)) == 0,
       "runs are as they came");
  return 0;
}
