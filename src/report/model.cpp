#include "report/model.hpp"

#include <algorithm>

namespace weft::report {

void Tally::add(const Tally& other) {
  if (other.count == 0) return;
  shortest = count == 0 ? other.shortest : std::min(shortest, other.shortest);
  longest = std::max(longest, other.longest);
  count += other.count;
  bytes += other.bytes;
  seconds += other.seconds;
}

double Profile::life() const {
  double sum = 0;
  for (const Pe& pe : pes) sum += pe.life;
  return sum;
}

double Profile::busy() const {
  double sum = 0;
  for (const Pe& pe : pes) sum += pe.busy;
  return sum;
}

double Profile::waiting() const {
  double sum = 0;
  for (const Pe& pe : pes) sum += pe.waiting;
  return sum;
}

Tally Profile::of(Kind kind) const {
  Tally sum;
  for (const Routine& routine : routines) {
    if (routine.kind == kind) sum.add(routine.all);
  }
  return sum;
}

}  // namespace weft::report
