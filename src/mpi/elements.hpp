// The C types of predefined datatypes' elements (api/mpi/datatypes.def).
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::mpi {

// Types that are no part of C++; the parts of numbers that datatypes.def gives by their real type.
__extension__ using Int128 = __int128;
__extension__ using Real16 = __float128;

/// A complex number as C and Fortran lay it out, with no more than operations need.
template <class T>
struct Complex {
  T re;
  T im;
};

/// A value and an index, or what else two are.
template <class First, class Second>
struct Pair {
  First value;
  Second index;
};

}  // namespace weft::mpi
