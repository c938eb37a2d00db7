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

bool Profile::has_calls() const {
  return std::any_of(pes.begin(), pes.end(), [](const Pe& pe) { return pe.threads > 0; });
}

double PagesOfPe::waited() const {
  double sum = 0;
  for (const double each : times) sum += each;
  return sum;
}

bool SharedPages::by_pages() const {
  return std::any_of(pes.begin(), pes.end(), [](const PagesOfPe& pe) { return pe.by_pages; });
}

}  // namespace weft::report
