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

extern "C" void weft_omp_affinity_(void* const* first, void* const* second, const std::int64_t* lower,
                                   const std::int64_t* begin, const std::int64_t* step) {
  weft_omp_affinity(*first, *second, *lower, *begin, *step);
}

// Of Fortran: arguments are references, and behind them stand the lengths of texts, which end with a zero as well.
extern "C" void weft_omp_map_array_(const char* file, const std::int64_t* line, const char* text, void* const* at,
                                    const std::int64_t* bits, const std::int64_t* dimensions,
                                    const std::int64_t* extents, void* const* with, const std::int64_t* with_bits,
                                    const std::int64_t* with_dimensions, const std::int64_t* with_extents) {
  const auto described = [](void* const* place, const std::int64_t* size, const std::int64_t* n,
                            const std::int64_t* counts) {
    weft_omp_array array{*place, static_cast<unsigned long long>(*size) / 8, static_cast<unsigned long long>(*n), {}};
    for (std::int64_t k = 0; k < *n && k < WEFT_OMP_MOST_DIMENSIONS; ++k) {
      array.extents[k] = static_cast<unsigned long long>(counts[k]);
    }
    return array;
  };
  const weft_omp_mapping mapping{WEFT_OMP_MAPPING_MAGIC,
                                 file,
                                 static_cast<unsigned long long>(*line),
                                 text,
                                 1,
                                 described(at, bits, dimensions, extents),
                                 described(with, with_bits, with_dimensions, with_extents)};
  weft_omp_map(&mapping);
}
