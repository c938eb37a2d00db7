#include "mpi/datatypes.hpp"

#include "mpi/elements.hpp"

#pragma GCC diagnostic ignored "-Wpedantic"  // __int128 and __float128 of the table

namespace weft::mpi {
namespace {

struct Predefined {
  MPI_Datatype handle;
  ElementClass element;
  std::size_t size;
  std::size_t extent;
};

// The table gives a complex type's parts.
template <class T>
constexpr std::size_t size_of(ElementClass element) {
  return element == ElementClass::kComplex ? sizeof(Complex<T>) : sizeof(T);
}

Datatype* g_all = nullptr;

}  // namespace

void set_up_datatypes() noexcept {
  const Predefined all[] = {
#define WEFT_MPI_DATATYPE(name, value, kind, type) \
  {name, ElementClass::kind, size_of<type>(ElementClass::kind), size_of<type>(ElementClass::kind)},
#define WEFT_MPI_PAIR(name, value, kind, first, second) \
  {name, ElementClass::kind, sizeof(first) + sizeof(second), sizeof(Pair<first, second>)},
#include "api/mpi/datatypes.def"
  };
  g_all = new Datatype[sizeof all / sizeof all[0]];
  Datatype* next = g_all;
  for (const Predefined& each : all) {
    next->number = number_of(each.handle);
    next->element = each.element;
    next->size = each.size;
    next->extent = each.extent;
    set_predefined(HandleKind::kDatatype, next->number, next);
    ++next;
  }
}

MPI_Aint aint_add(MPI_Aint base, MPI_Aint disp) noexcept {
  // Addresses have no sign: nothing overflows.
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(disp));
}

MPI_Aint aint_diff(MPI_Aint addr1, MPI_Aint addr2) noexcept {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(addr1) - static_cast<std::uintptr_t>(addr2));
}

int get_address(const void* location, MPI_Aint* address) noexcept {
  *address = reinterpret_cast<MPI_Aint>(location);
  return MPI_SUCCESS;
}

}  // namespace weft::mpi
