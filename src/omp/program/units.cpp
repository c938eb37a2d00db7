// These stand before libgfortran's.
#include "omp/program/units.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>

#include "base/lines.hpp"
#include "dsm/heap.hpp"
#include "dsm/order.hpp"
#include "job/node.hpp"
#include "omp/program/program.hpp"
#include "omp/program/real.hpp"

namespace weft::omp::program {
namespace {

// What all statements begin with, as compilers and libgfortran have it from the first version on.
struct Statement {
  std::int32_t flags;
  std::int32_t unit;
  const char* file;
  std::int32_t line;
};
constexpr std::int32_t kFailed = 3;  // of the flags

// Of one process, which alone writes it; the name is a constant of the program, at one address in all.
struct Unit {
  std::int32_t number;
  std::int32_t line;
  const char* file;  // null: no unit
};
constexpr int kUnits = 256;
using Units = std::array<Unit, kUnits>;
constinit Units* g_units = nullptr;  // of all processes, in shared memory
constinit std::mutex g_mutex;        // for this one's

Units& own() noexcept { return g_units[job::node().me]; }

Unit* find(Units& units, std::int32_t number) noexcept {
  Unit* const found = std::find_if(
      units.begin(), units.end(), [number](const Unit& unit) { return unit.file != nullptr && unit.number == number; });
  return found != units.end() ? found : nullptr;
}

// Standard ones are every process's, and text that is written or read has a number below 0.
bool is_watched(const Statement& statement) noexcept {
  constexpr std::int32_t kLastOfText = -9;
  const std::int32_t unit = statement.unit;
  return g_units != nullptr && unit != 0 && unit != 5 && unit != 6 && (unit > 0 || unit < kLastOfText);
}

void note(const Statement& statement) noexcept {
  Unit* unit = find(own(), statement.unit);
  for (Unit& each : own()) {
    unit = unit == nullptr && each.file == nullptr ? &each : unit;
  }
  if (unit != nullptr) {
    *unit = {statement.unit, statement.line, statement.file};
  }
}

// A unit that nobody has opened is by its first use.
void check(const char* what, const Statement& statement) noexcept {
  if (!is_watched(statement)) {
    return;
  }
  const std::scoped_lock guard(g_mutex);
  if (find(own(), statement.unit) != nullptr) {
    return;
  }
  for (int process = 0; process < job::node().n_pes; ++process) {
    if (const Unit* const theirs = find(g_units[process], statement.unit); theirs != nullptr) {
      base::fail(
          what,
          "%s:%d: a thread of process %d uses unit %d, which a thread of process %d has opened at %s:%d; units are "
          "of one process: let the threads that use it open it, or the one that opened it do all",
          statement.file, statement.line, job::node().me, statement.unit, process, theirs->file, theirs->line);
    }
  }
  note(statement);
}

using Transfer = void(Statement*);

}  // namespace

void begin_units() noexcept {
  const job::Node& node = job::node();
  g_units = static_cast<Units*>(
      dsm::from(0, node.me == 0 ? dsm::allocate_zeros(static_cast<std::size_t>(node.n_pes) * sizeof(Units)) : nullptr));
}

}  // namespace weft::omp::program

#pragma GCC visibility push(default)
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): libgfortran's names.

void _gfortran_st_open(weft::omp::program::Statement* statement) {
  using namespace weft::omp::program;
  real<Transfer>("_gfortran_st_open")(statement);
  // Only now: a new number may be chosen there.
  if ((statement->flags & kFailed) == 0 && is_watched(*statement)) {
    const std::scoped_lock guard(g_mutex);
    note(*statement);
  }
}
void _gfortran_st_close(weft::omp::program::Statement* statement) {
  using namespace weft::omp::program;
  if (is_watched(*statement)) {
    const std::scoped_lock guard(g_mutex);
    if (Unit* const unit = find(own(), statement->unit); unit != nullptr) {
      unit->file = nullptr;
    }
  }
  real<Transfer>("_gfortran_st_close")(statement);
}
void _gfortran_st_write(weft::omp::program::Statement* statement) {
  using namespace weft::omp::program;
  check("write", *statement);
  static auto* const write = real<Transfer>("_gfortran_st_write");
  write(statement);
}
void _gfortran_st_read(weft::omp::program::Statement* statement) {
  using namespace weft::omp::program;
  check("read", *statement);
  static auto* const read = real<Transfer>("_gfortran_st_read");
  read(statement);
}

// NOLINTEND(readability-identifier-naming)
}  // extern "C"
#pragma GCC visibility pop
