// The constructors of datatypes. Numbers are int in a function and MPI_Count in its large-count twin, of which there is
// one body each: by the numbers' type it is known which of them was called.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "mpi/datatypes.hpp"
#include "mpi/errors.hpp"
#include "type/make.hpp"

namespace weft::mpi {

/// int or MPI_Count.
template <class N>
inline constexpr type::Form kForm = std::is_same_v<N, int> ? type::Form::kSmall : type::Form::kLarge;

/// The program's numbers as 64 bits; empty where there are none.
template <class N>
std::vector<std::int64_t> numbers(MPI_Count count, const N* from) {
  return count > 0 ? std::vector<std::int64_t>(from, from + count) : std::vector<std::int64_t>();
}

/// 0, or the call's result: an array of so many elements is null.
int check_array(MPI_Count count, const void* array, const char* argument) noexcept;

struct ArrayOrder {
  bool known = false;
  type::Order order{};
};
ArrayOrder order_of(int order) noexcept;

template <class N>
int type_contiguous(N count, const Datatype& oldtype, MPI_Datatype* newtype) noexcept {
  type::Problem problem{};
  return give_type(type::make_contiguous(&problem, count, oldtype.type, kForm<N>), problem, newtype);
}

template <class N>
int type_vector(N count, N blocklength, N stride, const Datatype& oldtype, MPI_Datatype* newtype) noexcept {
  type::Problem problem{};
  return give_type(type::make_vector(&problem, {count, blocklength, stride}, oldtype.type, kForm<N>), problem, newtype);
}

template <class N>
int type_create_hvector(N count, N blocklength, MPI_Count stride, const Datatype& oldtype,
                        MPI_Datatype* newtype) noexcept {
  type::Problem problem{};
  return give_type(type::make_hvector(&problem, {count, blocklength, stride}, oldtype.type, kForm<N>), problem,
                   newtype);
}

/// type::make_indexed or make_hindexed.
using Scatter = type::Ref (*)(type::Problem*, type::Numbers, type::Numbers, const type::Ref&, type::Form) noexcept;

template <class N, class D>
int scatter(Scatter make, MPI_Count count, const N* lengths, const D* displacements, const Datatype& oldtype,
            MPI_Datatype* newtype) noexcept {
  int wrong = check_array(count, lengths, "array_of_blocklengths");
  wrong = wrong != MPI_SUCCESS ? wrong : check_array(count, displacements, "array_of_displacements");
  if (wrong != MPI_SUCCESS) {
    return wrong;
  }
  type::Problem problem{};
  type::Ref made = make(&problem, numbers(count, lengths), numbers(count, displacements), oldtype.type, kForm<N>);
  return give_type(std::move(made), problem, newtype);
}

template <class N>
int type_indexed(N count, const N* lengths, const N* displacements, const Datatype& oldtype,
                 MPI_Datatype* newtype) noexcept {
  return scatter(type::make_indexed, count, lengths, displacements, oldtype, newtype);
}
template <class N>
int type_create_hindexed(N count, const N* lengths, const MPI_Count* displacements, const Datatype& oldtype,
                         MPI_Datatype* newtype) noexcept {
  return scatter(type::make_hindexed, count, lengths, displacements, oldtype, newtype);
}

template <class N>
int type_create_indexed_block(N count, N blocklength, const N* displacements, const Datatype& oldtype,
                              MPI_Datatype* newtype) noexcept {
  if (const int wrong = check_array(count, displacements, "array_of_displacements"); wrong != MPI_SUCCESS) {
    return wrong;
  }
  type::Problem problem{};
  type::Ref made =
      type::make_indexed_block(&problem, blocklength, numbers(count, displacements), oldtype.type, kForm<N>);
  return give_type(std::move(made), problem, newtype);
}
template <class N>
int type_create_hindexed_block(N count, N blocklength, const MPI_Count* displacements, const Datatype& oldtype,
                               MPI_Datatype* newtype) noexcept {
  if (const int wrong = check_array(count, displacements, "array_of_displacements"); wrong != MPI_SUCCESS) {
    return wrong;
  }
  type::Problem problem{};
  type::Ref made =
      type::make_hindexed_block(&problem, blocklength, numbers(count, displacements), oldtype.type, kForm<N>);
  return give_type(std::move(made), problem, newtype);
}

/// Of handles; false, with the call's result, where one is none.
bool types_of(MPI_Count count, const MPI_Datatype* handles, std::vector<type::Ref>* types, int* result) noexcept;

template <class N>
int type_create_struct(N count, const N* lengths, const MPI_Count* displacements, const MPI_Datatype* types,
                       MPI_Datatype* newtype) noexcept {
  int wrong = check_array(count, lengths, "array_of_blocklengths");
  wrong = wrong != MPI_SUCCESS ? wrong : check_array(count, displacements, "array_of_displacements");
  wrong = wrong != MPI_SUCCESS ? wrong : check_array(count, types, "array_of_types");
  std::vector<type::Ref> refs;
  if (wrong != MPI_SUCCESS || !types_of(count, types, &refs, &wrong)) {
    return wrong;
  }
  type::Problem problem{};
  type::Ref made = type::make_struct(&problem, numbers(count, lengths), numbers(count, displacements), refs, kForm<N>);
  return give_type(std::move(made), problem, newtype);
}

int type_create_resized(const Datatype& oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype* newtype) noexcept;
int type_create_resized_large(const Datatype& oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype* newtype) noexcept;

template <class N>
int type_create_subarray(int ndims, const N* sizes, const N* subsizes, const N* starts, int order,
                         const Datatype& oldtype, MPI_Datatype* newtype) noexcept {
  const ArrayOrder known = order_of(order);
  if (ndims < 1 || !known.known) {
    return ndims < 1 ? raise(nullptr, MPI_ERR_ARG, "ndims: %d is not positive", ndims)
                     : raise(nullptr, MPI_ERR_ARG, "order: %d is no order of arrays", order);
  }
  int wrong = check_array(ndims, sizes, "array_of_sizes");
  wrong = wrong != MPI_SUCCESS ? wrong : check_array(ndims, subsizes, "array_of_subsizes");
  wrong = wrong != MPI_SUCCESS ? wrong : check_array(ndims, starts, "array_of_starts");
  if (wrong != MPI_SUCCESS) {
    return wrong;
  }
  const std::vector<std::int64_t> all[] = {numbers(ndims, sizes), numbers(ndims, subsizes), numbers(ndims, starts)};
  type::Problem problem{};
  type::Ref made = type::make_subarray(&problem, {all[0], all[1], all[2], known.order}, oldtype.type, kForm<N>);
  return give_type(std::move(made), problem, newtype);
}

/// The arguments of MPI_Type_create_darray but the sizes of the array, which are int or MPI_Count.
struct DarrayArguments {
  int size;
  int rank;
  int ndims;
  const int* distribs;
  const int* dargs;
  const int* psizes;
  int order;
};
int make_darray(const DarrayArguments& arguments, std::vector<std::int64_t> global_sizes, type::Form form,
                const Datatype& oldtype, MPI_Datatype* newtype) noexcept;

template <class N>
int type_create_darray(int size, int rank, int ndims, const N* gsizes, const int* distribs, const int* dargs,
                       const int* psizes, int order, const Datatype& oldtype, MPI_Datatype* newtype) noexcept {
  if (const int wrong = check_array(ndims, gsizes, "array_of_gsizes"); wrong != MPI_SUCCESS) {
    return wrong;
  }
  return make_darray({size, rank, ndims, distribs, dargs, psizes, order}, numbers(ndims, gsizes), kForm<N>, oldtype,
                     newtype);
}

int type_create_f90_complex(int p, int r, MPI_Datatype* newtype) noexcept;
int type_create_f90_integer(int r, MPI_Datatype* newtype) noexcept;
int type_create_f90_real(int p, int r, MPI_Datatype* newtype) noexcept;
int type_match_size(int typeclass, int size, MPI_Datatype* datatype) noexcept;
int type_get_value_index(const Datatype& value_type, const Datatype& index_type, MPI_Datatype* pair_type) noexcept;

}  // namespace weft::mpi
