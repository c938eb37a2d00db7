// Datatypes by what Fortran asks for, by size, and of pairs.
#include <map>
#include <mutex>
#include <tuple>

#include "mpi/type_make.hpp"

namespace weft::mpi {
namespace {

// One for each request: programs get the same one again, and none of them is freed.
struct Asked {
  std::mutex mutex;
  std::map<std::tuple<int, int, int>, MPI_Datatype> made;
};
Asked& asked() noexcept {
  static Asked& made = *new Asked;
  return made;
}

struct Real {
  int digits;
  int range;
  MPI_Datatype real;
  MPI_Datatype complex;
};
// In ascending order. What is wider than C's long double has 16 bytes.
const Real kReals[] = {
    {6, 37, MPI_REAL4, MPI_COMPLEX8}, {15, 307, MPI_REAL8, MPI_COMPLEX16}, {33, 4931, MPI_REAL16, MPI_COMPLEX32}};

struct Integer {
  int range;
  MPI_Datatype type;
};
const Integer kIntegers[] = {
    {2, MPI_INTEGER1}, {4, MPI_INTEGER2}, {9, MPI_INTEGER4}, {18, MPI_INTEGER8}, {38, MPI_INTEGER16}};

int give(int combiner, int precision, int range, MPI_Datatype like, MPI_Datatype* newtype) noexcept {
  const std::scoped_lock lock(asked().mutex);
  const std::tuple key{combiner, precision, range};
  if (const auto found = asked().made.find(key); found != asked().made.end()) {
    *newtype = found->second;
    return MPI_SUCCESS;
  }
  const Datatype& basic = *find<Datatype>(like);
  if (const int code = give_type(basic.type, type::Problem::kNone, newtype); code != MPI_SUCCESS) {
    return code;
  }
  Datatype& made = *find<Datatype>(*newtype);
  made.f90 = combiner;
  made.precision = precision;
  made.range = range;
  made.element = basic.element;
  asked().made.emplace(key, *newtype);
  return MPI_SUCCESS;
}

int give_real(int combiner, int p, int r, MPI_Datatype* newtype) noexcept {
  for (const Real& each : kReals) {
    if ((p == MPI_UNDEFINED || p <= each.digits) && (r == MPI_UNDEFINED || r <= each.range)) {
      return give(combiner, p, r, combiner == MPI_COMBINER_F90_REAL ? each.real : each.complex, newtype);
    }
  }
  return raise(nullptr, MPI_ERR_ARG, "p: there is no real number of %d digits and a range of %d", p, r);
}

int raise_size(int size) noexcept {
  return raise(nullptr, MPI_ERR_ARG, "size: there is no such datatype of %d bytes", size);
}

struct Sized {
  int typeclass;
  int size;
  MPI_Datatype type;
};
const Sized kSized[] = {
    {MPI_TYPECLASS_REAL, 2, MPI_REAL2},         {MPI_TYPECLASS_REAL, 4, MPI_REAL4},
    {MPI_TYPECLASS_REAL, 8, MPI_REAL8},         {MPI_TYPECLASS_REAL, 16, MPI_REAL16},
    {MPI_TYPECLASS_COMPLEX, 4, MPI_COMPLEX4},   {MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8},
    {MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16}, {MPI_TYPECLASS_COMPLEX, 32, MPI_COMPLEX32},
    {MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1},   {MPI_TYPECLASS_INTEGER, 2, MPI_INTEGER2},
    {MPI_TYPECLASS_INTEGER, 4, MPI_INTEGER4},   {MPI_TYPECLASS_INTEGER, 8, MPI_INTEGER8},
    {MPI_TYPECLASS_INTEGER, 16, MPI_INTEGER16}, {MPIX_TYPECLASS_LOGICAL, 1, MPI_LOGICAL1},
    {MPIX_TYPECLASS_LOGICAL, 2, MPI_LOGICAL2},  {MPIX_TYPECLASS_LOGICAL, 4, MPI_LOGICAL4},
    {MPIX_TYPECLASS_LOGICAL, 8, MPI_LOGICAL8},  {MPIX_TYPECLASS_LOGICAL, 16, MPI_LOGICAL16},
};

struct ValueIndex {
  MPI_Datatype value;
  MPI_Datatype index;
  MPI_Datatype pair;
};
const ValueIndex kPairs[] = {
    {MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},     {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
    {MPI_LONG, MPI_INT, MPI_LONG_INT},       {MPI_INT, MPI_INT, MPI_2INT},
    {MPI_SHORT, MPI_INT, MPI_SHORT_INT},     {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
    {MPI_REAL, MPI_REAL, MPI_2REAL},         {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
    {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER}};

}  // namespace

int type_create_f90_real(int p, int r, MPI_Datatype* newtype) noexcept {
  return give_real(MPI_COMBINER_F90_REAL, p, r, newtype);
}

int type_create_f90_complex(int p, int r, MPI_Datatype* newtype) noexcept {
  return give_real(MPI_COMBINER_F90_COMPLEX, p, r, newtype);
}

int type_create_f90_integer(int r, MPI_Datatype* newtype) noexcept {
  for (const Integer& each : kIntegers) {
    if (r <= each.range) {
      return give(MPI_COMBINER_F90_INTEGER, 0, r, each.type, newtype);
    }
  }
  return raise(nullptr, MPI_ERR_ARG, "r: there is no integer of %d digits", r);
}

int type_match_size(int typeclass, int size, MPI_Datatype* datatype) noexcept {
  bool is_class = false;
  for (const Sized& each : kSized) {
    is_class = is_class || each.typeclass == typeclass;
    if (each.typeclass == typeclass && each.size == size) {
      *datatype = each.type;
      return MPI_SUCCESS;
    }
  }
  return is_class ? raise_size(size) : raise(nullptr, MPI_ERR_ARG, "typeclass: %d is none", typeclass);
}

int type_get_value_index(const Datatype& value_type, const Datatype& index_type, MPI_Datatype* pair_type) noexcept {
  *pair_type = MPI_DATATYPE_NULL;
  for (const ValueIndex& each : kPairs) {
    if (each.value == handle_of(value_type) && each.index == handle_of(index_type)) {
      *pair_type = each.pair;
    }
  }
  return MPI_SUCCESS;
}

}  // namespace weft::mpi
