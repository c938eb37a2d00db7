#include "mpi/type_contents.hpp"

#include <vector>

#include "mpi/errors.hpp"
#include "type/make.hpp"

namespace weft::mpi {
namespace {

// By type::Made.
constexpr int kCombiners[] = {MPI_COMBINER_NAMED,    MPI_COMBINER_DUP,           MPI_COMBINER_CONTIGUOUS,
                              MPI_COMBINER_VECTOR,   MPI_COMBINER_HVECTOR,       MPI_COMBINER_INDEXED,
                              MPI_COMBINER_HINDEXED, MPI_COMBINER_INDEXED_BLOCK, MPI_COMBINER_HINDEXED_BLOCK,
                              MPI_COMBINER_STRUCT,   MPI_COMBINER_SUBARRAY,      MPI_COMBINER_DARRAY,
                              MPI_COMBINER_RESIZED};

/// What a program gets of it; numbers as the standard spells them.
struct Given {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<int> integers;
  const std::vector<std::int64_t>* addresses = nullptr;
  const std::vector<std::int64_t>* counts = nullptr;
  const std::vector<type::Ref>* types = nullptr;
};

int distribution(std::int64_t deal) noexcept {
  switch (static_cast<type::Deal>(deal)) {
    case type::Deal::kBlock: return MPI_DISTRIBUTE_BLOCK;
    case type::Deal::kCyclic: return MPI_DISTRIBUTE_CYCLIC;
    case type::Deal::kNone: break;
  }
  return MPI_DISTRIBUTE_NONE;
}

// Arrays have values among their integers that the room `type` numbers on its own.
void spell_array(const type::Contents& contents, std::vector<int>* integers) noexcept {
  integers->back() = integers->back() == static_cast<int>(type::Order::kC) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  if (contents.made != type::Made::kDarray) {
    return;
  }
  const auto dimensions = static_cast<std::size_t>((*integers)[2]);
  const std::size_t first = contents.form == type::Form::kLarge ? 3 : 3 + dimensions;
  for (std::size_t k = first; k < first + dimensions; ++k) {
    (*integers)[k] = distribution((*integers)[k]);
    int& argument = (*integers)[k + dimensions];
    argument = argument == type::kDefaultArgument ? MPI_DISTRIBUTE_DFLT_DARG : argument;
  }
}

Given given(const Datatype& datatype) {
  const type::Contents& contents = datatype.type->contents();
  static const std::vector<std::int64_t> no_numbers;
  static const std::vector<type::Ref> no_types;
  Given made;
  made.addresses = &no_numbers;
  made.counts = &no_numbers;
  made.types = &no_types;
  if (datatype.f90 != 0) {
    made.combiner = datatype.f90;
    if (datatype.f90 != MPI_COMBINER_F90_INTEGER) {
      made.integers.push_back(datatype.precision);
    }
    made.integers.push_back(datatype.range);
    return made;
  }
  made.combiner = kCombiners[static_cast<std::size_t>(contents.made)];
  made.addresses = &contents.addresses;
  made.counts = &contents.counts;
  made.types = &contents.types;
  for (const std::int64_t number : contents.integers) {
    made.integers.push_back(static_cast<int>(number));
  }
  if (contents.made == type::Made::kSubarray || contents.made == type::Made::kDarray) {
    spell_array(contents, &made.integers);
  }
  return made;
}

int raise_large() noexcept {
  return raise(nullptr, MPI_ERR_TYPE, "datatype: was made with large counts, which this function cannot give back");
}

// 0, or the call's result: the array is too short or null.
int check_room(std::size_t needed, MPI_Count most, const void* array, const char* argument) noexcept {
  if (most < 0 || static_cast<std::size_t>(most) < needed) {
    return raise(nullptr, MPI_ERR_ARG, "%s: has room for %lld, and there are %zu", argument,
                 static_cast<long long>(most), needed);
  }
  return needed > 0 && array == nullptr ? raise(nullptr, MPI_ERR_ARG, "%s: is null", argument) : MPI_SUCCESS;
}

template <class To, class From>
void copy(const std::vector<From>& from, To* to) noexcept {
  // check_room() lets an array be null where nothing goes into it.
  for (std::size_t k = 0; to != nullptr && k < from.size(); ++k) {
    to[k] = static_cast<To>(from[k]);
  }
}

int give_types(const std::vector<type::Ref>& types, MPI_Datatype* into) noexcept {
  for (std::size_t k = 0; k < types.size(); ++k) {
    if (const int code = give_part(types[k], into + k); code != MPI_SUCCESS) {
      return code;
    }
  }
  return MPI_SUCCESS;
}

}  // namespace

int type_get_envelope(const Datatype& datatype, int* num_integers, int* num_addresses, int* num_datatypes,
                      int* combiner) noexcept {
  const Given made = given(datatype);
  if (!made.counts->empty()) {
    return raise_large();
  }
  *num_integers = static_cast<int>(made.integers.size());
  *num_addresses = static_cast<int>(made.addresses->size());
  *num_datatypes = static_cast<int>(made.types->size());
  *combiner = made.combiner;
  return MPI_SUCCESS;
}

int type_get_envelope(const Datatype& datatype, MPI_Count* num_integers, MPI_Count* num_addresses,
                      MPI_Count* num_large_counts, MPI_Count* num_datatypes, int* combiner) noexcept {
  const Given made = given(datatype);
  *num_integers = static_cast<MPI_Count>(made.integers.size());
  *num_addresses = static_cast<MPI_Count>(made.addresses->size());
  *num_large_counts = static_cast<MPI_Count>(made.counts->size());
  *num_datatypes = static_cast<MPI_Count>(made.types->size());
  *combiner = made.combiner;
  return MPI_SUCCESS;
}

int type_get_contents(const Datatype& datatype, int max_integers, int max_addresses, int max_datatypes,
                      int* array_of_integers, MPI_Aint* array_of_addresses, MPI_Datatype* array_of_datatypes) noexcept {
  if (!given(datatype).counts->empty()) {
    return raise_large();
  }
  return type_get_contents(datatype, MPI_Count{max_integers}, MPI_Count{max_addresses}, MPI_Count{0},
                           MPI_Count{max_datatypes}, array_of_integers, array_of_addresses, nullptr,
                           array_of_datatypes);
}

int type_get_contents(const Datatype& datatype, MPI_Count max_integers, MPI_Count max_addresses,
                      MPI_Count max_large_counts, MPI_Count max_datatypes, int* array_of_integers,
                      MPI_Aint* array_of_addresses, MPI_Count* array_of_large_counts,
                      MPI_Datatype* array_of_datatypes) noexcept {
  const Given made = given(datatype);
  if (made.combiner == MPI_COMBINER_NAMED) {
    return raise(nullptr, MPI_ERR_TYPE, "datatype: %s is predefined and made of nothing", text_of(datatype).c_str());
  }
  int wrong = check_room(made.integers.size(), max_integers, array_of_integers, "array_of_integers");
  wrong = wrong != MPI_SUCCESS
              ? wrong
              : check_room(made.addresses->size(), max_addresses, array_of_addresses, "array_of_addresses");
  wrong = wrong != MPI_SUCCESS
              ? wrong
              : check_room(made.counts->size(), max_large_counts, array_of_large_counts, "array_of_large_counts");
  wrong = wrong != MPI_SUCCESS
              ? wrong
              : check_room(made.types->size(), max_datatypes, array_of_datatypes, "array_of_datatypes");
  if (wrong != MPI_SUCCESS) {
    return wrong;
  }
  copy(made.integers, array_of_integers);
  copy(*made.addresses, array_of_addresses);
  copy(*made.counts, array_of_large_counts);
  return give_types(*made.types, array_of_datatypes);
}

}  // namespace weft::mpi
