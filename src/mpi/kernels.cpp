// The loops of predefined operations. Which datatypes each has is MPI 5.0, sections 6.9.2 and 6.9.4, by their classes.
#include <array>
#include <type_traits>

#include "mpi/elements.hpp"
#include "mpi/ops.hpp"

#pragma GCC diagnostic ignored "-Wpedantic"  // __int128 and __float128 of the table

namespace weft::mpi {
namespace {

// std::is_integral does not count 128 bits where extensions are off.
template <class T>
inline constexpr bool kIsIntegral = std::is_integral_v<T> || std::is_same_v<T, Int128>;

// Signed ones go round as unsigned ones do: what a sum that does not fit is, is nobody's surprise then.
template <class T>
using Round = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

template <class T>
T plus(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<Round<T>>(a) + static_cast<Round<T>>(b));
  } else {
    return a + b;
  }
}

template <class T>
T times(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    // In at least unsigned: short values would become signed ones that overflow.
    using Wide = std::common_type_t<Round<T>, unsigned>;
    return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
  } else {
    return a * b;
  }
}

template <class T>
Complex<T> plus(Complex<T> a, Complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
Complex<T> times(Complex<T> a, Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// Each is `with` op `into`.
struct Sum {
  template <class T>
  static T of(T a, T b) {
    return plus(a, b);
  }
};
struct Product {
  template <class T>
  static T of(T a, T b) {
    return times(a, b);
  }
};
struct Least {
  template <class T>
  static T of(T a, T b) {
    return a < b ? a : b;
  }
};
struct Most {
  template <class T>
  static T of(T a, T b) {
    return b < a ? a : b;
  }
};
struct BitAnd {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct BitOr {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct BitXor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct And {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a != T{} && b != T{});
  }
};
struct Or {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a != T{} || b != T{});
  }
};
struct Xor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>((a != T{}) != (b != T{}));
  }
};
// Of equal values the lower index.
struct LeastAt {
  template <class T>
  static T of(T a, T b) {
    return a.value < b.value || (!(b.value < a.value) && a.index < b.index) ? a : b;
  }
};
struct MostAt {
  template <class T>
  static T of(T a, T b) {
    return b.value < a.value || (!(a.value < b.value) && a.index < b.index) ? a : b;
  }
};

template <class How, class T>
void loop(const void* with, void* into, std::size_t count) noexcept {
  const auto* from = static_cast<const T*>(with);
  auto* to = static_cast<T*>(into);
  for (std::size_t k = 0; k < count; ++k) {
    to[k] = How::of(from[k], to[k]);
  }
}

// In the order of their values from MPI_SUM on; some values are none.
constexpr Number kFirst = 0x21;
constexpr std::size_t kOps = 0x39 - kFirst + 1;
using Kernels = std::array<Kernel, kOps>;

constexpr Kernel& at(Kernels& kernels, Number op) { return kernels[op - kFirst]; }

template <class T>
constexpr void add_arithmetic(Kernels& kernels) {
  at(kernels, 0x21) = loop<Sum, T>;
  at(kernels, 0x24) = loop<Product, T>;
}
template <class T>
constexpr void add_ordered(Kernels& kernels) {
  at(kernels, 0x22) = loop<Least, T>;
  at(kernels, 0x23) = loop<Most, T>;
}
template <class T>
constexpr void add_bits(Kernels& kernels) {
  at(kernels, 0x28) = loop<BitAnd, T>;
  at(kernels, 0x29) = loop<BitOr, T>;
  at(kernels, 0x2a) = loop<BitXor, T>;
}
template <class T>
constexpr void add_logical(Kernels& kernels) {
  at(kernels, 0x30) = loop<And, T>;
  at(kernels, 0x31) = loop<Or, T>;
  at(kernels, 0x32) = loop<Xor, T>;
}

template <class T, ElementClass element>
constexpr Kernels kernels_of() {
  Kernels kernels{};
  if constexpr (element == ElementClass::kComplex) {
    add_arithmetic<Complex<T>>(kernels);
  } else if constexpr (element == ElementClass::kReal) {
    add_arithmetic<T>(kernels);
    add_ordered<T>(kernels);
  } else if constexpr (element == ElementClass::kInteger || element == ElementClass::kAddress) {
    static_assert(kIsIntegral<T>);
    add_arithmetic<T>(kernels);
    add_ordered<T>(kernels);
    add_bits<T>(kernels);
    // The standard's table has these for C's own integers only; programs are used to them for MPI_AINT and its like.
    add_logical<T>(kernels);
  } else if constexpr (element == ElementClass::kByte) {
    add_bits<T>(kernels);
  } else if constexpr (element == ElementClass::kLogical) {
    add_logical<T>(kernels);
  }
  return kernels;
}

template <class T>
constexpr Kernels kernels_of_pair() {
  Kernels kernels{};
  at(kernels, 0x38) = loop<LeastAt, T>;
  at(kernels, 0x39) = loop<MostAt, T>;
  return kernels;
}

template <ElementClass kind, class First, class Second>
constexpr Kernels kernels_of_two() {
  // Not all pairs of the table are pairs to operations.
  return kind == ElementClass::kPair ? kernels_of_pair<Pair<First, Second>>() : Kernels{};
}

template <class T, ElementClass kind>
inline constexpr Kernels kOfOne = kernels_of<T, kind>();
template <ElementClass kind, class First, class Second>
inline constexpr Kernels kOfTwo = kernels_of_two<kind, First, Second>();

struct Entry {
  Number datatype;
  const Kernels* kernels;
};
constexpr Entry kEntries[] = {
#define WEFT_MPI_DATATYPE(name, value, kind, type) {value, &kOfOne<type, ElementClass::kind>},
#define WEFT_MPI_PAIR(name, value, kind, first, second) {value, &kOfTwo<ElementClass::kind, first, second>},
#include "api/mpi/datatypes.def"
};

// MPI 5.0, appendix A.1.1: datatypes have the values from 0x200 to 0x2ff.
constexpr Number kFirstDatatype = 0x200;
using ByDatatype = std::array<const Kernels*, 0x100>;
constexpr ByDatatype by_datatype() {
  ByDatatype all{};
  for (const Entry& entry : kEntries) {
    all[entry.datatype - kFirstDatatype] = entry.kernels;
  }
  // The standard has no operations for it, other MPIs do, and programs use them: record 0065.
  constexpr Number kChar = 0x243;
  all[kChar - kFirstDatatype] = &kOfOne<char, ElementClass::kInteger>;
  return all;
}
constexpr ByDatatype kByDatatype = by_datatype();

}  // namespace

Kernel kernel_of(const Op& op, const Datatype& datatype) noexcept {
  const std::size_t index = op.number - kFirst;
  // Those that Fortran asked for are predefined ones under another handle.
  const Number number = datatype.f90 != 0 ? datatype.type->basic()->id : datatype.number;
  const std::size_t at = number - kFirstDatatype;
  if (index >= kOps || at >= kByDatatype.size() || kByDatatype[at] == nullptr) {
    return nullptr;
  }
  return (*kByDatatype[at])[index];
}

}  // namespace weft::mpi
