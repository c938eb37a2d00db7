// Datatypes: what moving their data costs beside a loop by hand, and what making one costs.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "rooms.hpp"
#include "type/cursor.hpp"
#include "type/make.hpp"

namespace weft::bench {
namespace {

using type::Kind;
using type::Problem;
using type::Ref;

constexpr type::Basic kChar{1, Kind::kCharacter, 1, 1, 1, false, "char"};
constexpr type::Basic kInt{2, Kind::kSigned, 4, 4, 4, false, "int"};
constexpr type::Basic kDouble{3, Kind::kReal, 8, 8, 8, false, "double"};

constexpr std::int64_t kDoubles = 8192;  // 64 KiB of data
constexpr std::int64_t kEvery = 4;       // of so many, one is data

struct Matrix {
  Matrix() : from(kDoubles * kEvery), to(kDoubles) {
    for (std::size_t k = 0; k < from.size(); ++k) from[k] = static_cast<double>(k);
  }
  std::vector<double> from;
  std::vector<double> to;
};

Ref column() {
  Problem problem;
  Ref made = type::make_vector(&problem, {kDoubles, 1, kEvery}, type::make_basic(kDouble));
  made->commit();
  return made;
}

void look_at(benchmark::State& state, const Matrix& matrix) {
  for (std::size_t k = 0; k < matrix.to.size(); ++k) {
    if (matrix.to[k] != static_cast<double>(k) * kEvery) return fail(state, "the row is not the column");
  }
}

// What a program would write, and what the others are to be compared with.
void pack_by_hand(benchmark::State& state) {
  Matrix matrix;
  for (auto _ : state) {
    for (std::size_t k = 0; k < kDoubles; ++k) matrix.to[k] = matrix.from[k * kEvery];
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * kDoubles * 8);
  look_at(state, matrix);
}
BENCHMARK(pack_by_hand)->Name("type/pack/by_hand");

void pack_vector(benchmark::State& state) {
  Matrix matrix;
  const Ref type = column();
  const type::Cursor cursor(*type, 1);
  for (auto _ : state) {
    cursor.pack(matrix.from.data(), 0, matrix.to.data(), cursor.bytes());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * kDoubles * 8);
  look_at(state, matrix);
}
BENCHMARK(pack_vector)->Name("type/pack/vector");

void unpack_vector(benchmark::State& state) {
  Matrix matrix;
  const std::vector<double> columns = matrix.from;
  const Ref type = column();
  const type::Cursor cursor(*type, 1);
  cursor.pack(columns.data(), 0, matrix.to.data(), cursor.bytes());
  std::memset(matrix.from.data(), 0, matrix.from.size() * sizeof(double));
  for (auto _ : state) {
    cursor.unpack(matrix.from.data(), 0, matrix.to.data(), cursor.bytes());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * kDoubles * 8);
  for (std::size_t k = 0; k < kDoubles; ++k) {
    if (matrix.from[k * kEvery] != columns[k * kEvery]) return fail(state, "the column is not the row");
  }
}
BENCHMARK(unpack_vector)->Name("type/unpack/vector");

// In pieces as messages have them, each begun anew.
void pack_pieces(benchmark::State& state) {
  Matrix matrix;
  const Ref type = column();
  const type::Cursor cursor(*type, 1);
  const auto piece = static_cast<std::size_t>(state.range(0));
  auto* into = reinterpret_cast<std::byte*>(matrix.to.data());
  for (auto _ : state) {
    for (std::size_t at = 0; at < cursor.bytes(); at += piece) {
      const std::size_t bytes = std::min<std::size_t>(piece, cursor.bytes() - at);
      cursor.pack(matrix.from.data(), at, into + at, bytes);
    }
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * kDoubles * 8);
  look_at(state, matrix);
}
BENCHMARK(pack_pieces)->Name("type/pack/pieces")->Arg(1000)->Arg(4096);

struct Particle {
  int kind;
  double place[3];
  char charge;
};

Ref particle() {
  Problem problem;
  const std::int64_t lengths[] = {1, 3, 1};
  const std::int64_t places[] = {offsetof(Particle, kind), offsetof(Particle, place), offsetof(Particle, charge)};
  const Ref types[] = {type::make_basic(kInt), type::make_basic(kDouble), type::make_basic(kChar)};
  Ref made = type::make_struct(&problem, lengths, places, types);
  made->commit();
  return made;
}

void pack_structs(benchmark::State& state) {
  const std::vector<Particle> from(2048, Particle{7, {1, 2, 3}, 'x'});
  const Ref type = particle();
  const type::Cursor cursor(*type, static_cast<std::int64_t>(from.size()));
  std::vector<char> to(cursor.bytes());
  for (auto _ : state) {
    cursor.pack(from.data(), 0, to.data(), to.size());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(to.size()));
  if (to.back() != 'x') fail(state, "the last member is not there");
}
BENCHMARK(pack_structs)->Name("type/pack/structs");

void make_and_commit(benchmark::State& state) {
  for (auto _ : state) {
    const Ref type = column();
    benchmark::DoNotOptimize(type.get());
  }
}
BENCHMARK(make_and_commit)->Name("type/make/vector");

}  // namespace
}  // namespace weft::bench
