/* What weft-ompcc and weft-omp++ make of `#pragma omni mapping(...)`: sources with such directives include it by
 * themselves. Not for programs to use. */
#ifndef WEFT_OMP_DIRECTIVES_H
#define WEFT_OMP_DIRECTIVES_H
#pragma GCC system_header

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_OMP_MAPPING_MAGIC 0x57656674614d6170ULL
#define WEFT_OMP_MOST_DIMENSIONS 15

struct weft_omp_array {
  const void* at;
  unsigned long long element; /* bytes */
  unsigned long long dimensions;
  unsigned long long extents[WEFT_OMP_MOST_DIMENSIONS];
};

struct weft_omp_mapping {
  unsigned long long magic;
  const char* file;
  unsigned long long line;
  const char* text; /* of the directive: one array, and what it is aligned with */
  unsigned long long columns;
  struct weft_omp_array array, with;
};

/* Outside of regions: the array is where it says from now on. */
void weft_omp_map(const struct weft_omp_mapping* mapping);

/* Of the loop that comes next: its iterations have to do with elements begin, begin + step and so on of an array;
 * number lower lies at first, the next one at second. */
void weft_omp_affinity(const void* first, const void* second, long long lower, long long begin, long long step);

#ifdef __cplusplus
}
extern "C++" {
template <class T>
struct weft_omp_is_array {
  static constexpr bool value = false;
};
template <class T, __SIZE_TYPE__ n>
struct weft_omp_is_array<T[n]> {
  static constexpr bool value = true;
};
}
#define WEFT_OMP_IS_ARRAY(x) weft_omp_is_array<__typeof__(x)>::value
#define WEFT_OMP_ASSERT(holds, text) static_assert(holds, text)
#else
/* Only arrays become something else where they are values. */
#define WEFT_OMP_IS_ARRAY(x) (!__builtin_types_compatible_p(__typeof__(x), __typeof__((0, x))))
#define WEFT_OMP_ASSERT(holds, text) _Static_assert(holds, text)
#endif

#if defined(__has_attribute) && !defined(__clang__)
#if __has_attribute(retain)
#define WEFT_OMP_KEPT used, retain
#endif
#endif
#ifndef WEFT_OMP_KEPT
#define WEFT_OMP_KEPT used
#endif
/* libweft_image.so looks for the section by its name. */
#define WEFT_OMP_STATIC \
  static struct weft_omp_mapping __attribute__((WEFT_OMP_KEPT, section("weft_omp_maps"), aligned(8)))

#define WEFT_OMP_EXTENT(x) (sizeof(x) / sizeof((x)[0]))
#define WEFT_OMP_NUMBER(x) ((unsigned long long)(x))

#endif
