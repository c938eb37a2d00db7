// Point 8.4: iput and iget of all 24 types and 5 sizes. Strides count elements; what lies between them stays untouched.
#include "strided_rounds.hpp"

int main() { return spec::run_strided_program<false>(); }
