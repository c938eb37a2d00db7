// What a program has at its last finalize and did not give back. That is allowed: finalize releases it. So one thing of
// a kind that lives to the end is no mistake; many that one line of the program made are, for that line is run again
// and again. SHMEM_DEBUG with the word leaks tells of the single ones too.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "check/report.hpp"

namespace weft::check {

class Leaks {
 public:
  Leaks(const char* kind, const char* remedy) : kind_(kind), remedy_(remedy) {}
  void add(const Made& made, std::size_t bytes);
  void tell() const;

 private:
  struct Pile {
    std::size_t number = 0;
    std::size_t bytes = 0;
    api::Call call{};
  };
  const char* kind_;
  const char* remedy_;
  std::map<const void*, Pile> piles_;  // by site
};

}  // namespace weft::check
