// What a libweft_image.so says to libweft_omp.so that is older than the comparison of builds.
#include <stdint.h>

const void* weft_omp_image(void) {
  static const uint32_t table[64] = {4};
  return table;
}
