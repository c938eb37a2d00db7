// In each program that the wrappers link, whatever it calls (they ask for this name): an OpenMP program needs an OpenMP
// library, by which oshrun knows it, also where `simd` is all that it has of it.
extern "C" {

int omp_get_max_threads();

// NOLINTNEXTLINE(readability-identifier-naming): as a name of C.
[[gnu::visibility("hidden")]] extern int (*const weft_omp_program)();
int (*const weft_omp_program)() = omp_get_max_threads;

}  // extern "C"
