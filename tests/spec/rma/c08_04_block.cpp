// Point 8.4: ibput and ibget of all 24 types and 5 sizes. Strides count elements between the starts of two blocks and
// may equal the block size (then it is a contiguous copy); block size 1 is iput; what lies between stays untouched.
#include "strided_rounds.hpp"

int main() { return spec::run_strided_program<true>(); }
