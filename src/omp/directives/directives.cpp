// libweft_omp_directives.a, in each program whose sources have directives of Weft: finds what they call where the
// program runs with Weft, and does nothing where it does not.
#include <dlfcn.h>

#include <atomic>
#include <cstdint>

#include "weft/omp_directives.h"

namespace {

using Map = void(const weft_omp_mapping*);
using Affinity = void(const void*, const void*, std::int64_t, std::int64_t, std::int64_t);

// Relaxed: the same whoever looks.
constinit std::atomic<Map*> g_map = nullptr;
constinit std::atomic<Affinity*> g_affinity = nullptr;

template <class Function>
Function* find(std::atomic<Function*>& known, const char* name, Function* nothing) noexcept {
  Function* found = known.load(std::memory_order_relaxed);
  if (found == nullptr) {
    found = reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
    found = found != nullptr ? found : nothing;
    known.store(found, std::memory_order_relaxed);
  }
  return found;
}

// Of Fortran: where it lies, bits of an element, how many dimensions it has, and their extents.
weft_omp_array described(const std::int64_t* numbers) noexcept {
  const auto dimensions = static_cast<unsigned long long>(numbers[2]);
  weft_omp_array array{
      reinterpret_cast<const void*>(numbers[0]), static_cast<unsigned long long>(numbers[1]) / 8, dimensions, {}};
  for (unsigned k = 0; k < dimensions && k < WEFT_OMP_MOST_DIMENSIONS; ++k) {
    array.extents[k] = static_cast<unsigned long long>(numbers[3 + k]);
  }
  return array;
}

}  // namespace

extern "C" void weft_omp_map(const weft_omp_mapping* mapping) {
  find<Map>(g_map, "weft_omp_map_array", [](const weft_omp_mapping*) {})(mapping);
}

extern "C" void weft_omp_affinity(const void* first, const void* second, long long lower, long long begin,
                                  long long step) {
  find<Affinity>(g_affinity, "weft_omp_affinity_of_loop",
                 [](const void*, const void*, std::int64_t, std::int64_t, std::int64_t) {})(first, second, lower, begin,
                                                                                            step);
}

// Of Fortran: arguments are references, and behind them stand the lengths of texts, which end with a zero as well.
// NOLINTBEGIN(readability-identifier-naming): gfortran's names.
extern "C" void weft_omp_affinity_(void* const* first, void* const* second, const std::int64_t* lower,
                                   const std::int64_t* begin, const std::int64_t* step) {
  weft_omp_affinity(*first, *second, *lower, *begin, *step);
}

extern "C" void weft_omp_map_array_(const char* file, const std::int64_t* line, const char* text,
                                    const std::int64_t* array, const std::int64_t* with) {
  const weft_omp_mapping mapping{
      WEFT_OMP_MAPPING_MAGIC, file, static_cast<unsigned long long>(*line), text, 1, described(array), described(with)};
  weft_omp_map(&mapping);
}
// NOLINTEND(readability-identifier-naming)
