// What a libweft_omp.so of another build says to libweft_image.so.
#ifdef BUILD
const char* weft_omp_build(void) { return BUILD; }
#else
int weft_omp_of_before;
#endif
