/// Collectives of C++ programs (9.10) that take any trivially copyable type. Programs include <weft/shmem.hpp>.
///
/// Every PE of the team calls, in the same order. `dest` is the same symmetric object on all of them and has to be
/// ready on all of them, `source` only on the PE that calls. On return `dest` of this PE is complete and `source` may
/// be used again; nothing is said about other PEs. All return 0. The reductions and scans, sum_reduce() and its kin,
/// are in routines.hpp and take the types of the specification's table, std::complex<float> and <double> for sum and
/// prod.
#pragma once

#include <weft/cxx/elements.hpp>
#include <weft/cxx/team.hpp>

namespace shmem {
namespace detail {

/// The unsigned type that elements without a routine of their own are made of.
template <class T>
using part = std::conditional_t<alignof(T) == 1, std::uint8_t,
                                std::conditional_t<alignof(T) == 2, std::uint16_t,
                                                   std::conditional_t<alignof(T) == 4, std::uint32_t, std::uint64_t>>>;
template <class T>
inline constexpr std::size_t parts = sizeof(T) / sizeof(part<T>);

/// A strided exchange of elements is one of their first parts, one of their second parts, and so on: each is as far
/// from the next element's as the elements are.
template <class T>
int alltoalls_of_parts(shmem_team_t team, T* dest, const T* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
                       std::size_t nelems) {
  auto* to = reinterpret_cast<part<T>*>(dest);
  const auto* from = reinterpret_cast<const part<T>*>(source);
  constexpr auto kParts = static_cast<std::ptrdiff_t>(parts<T>);
  for (std::size_t i = 0; i < parts<T>; ++i) {
    const int status = typed::alltoalls(team, to + i, from + i, dst * kParts, sst * kParts, nelems);
    if (status != 0) return status;
  }
  return 0;
}

}  // namespace detail

/// Waits for all PEs of the team. Stores are visible afterwards; puts are not completed (9.10.3).
WEFT_CXX int sync(const team& members) { return shmem_team_sync(members.get()); }

/// `nelems` elements of `source` on PE `PE_root` of the team become `dest` on all of its PEs, that one too (9.10.7).
template <class T>
WEFT_CXX int broadcast(const team& members, T* dest, const detail::same<T>* source, std::size_t nelems, int PE_root) {
  detail::check_element<T>();
  if constexpr (is_stdrma<T>) {
    return typed::broadcast(members.get(), dest, source, nelems, PE_root);
  } else {
    return shmem_broadcastmem(members.get(), dest, source, detail::bytes<T>(nelems), PE_root);
  }
}

/// `dest` becomes the elements of all PEs, one PE after the other; each gives as many as it says (9.10.8).
template <class T>
WEFT_CXX int collect(const team& members, T* dest, const detail::same<T>* source, std::size_t nelems) {
  detail::check_element<T>();
  if constexpr (is_stdrma<T>) {
    return typed::collect(members.get(), dest, source, nelems);
  } else {
    return shmem_collectmem(members.get(), dest, source, detail::bytes<T>(nelems));
  }
}

/// collect() where all PEs give as many (9.10.8).
template <class T>
WEFT_CXX int fcollect(const team& members, T* dest, const detail::same<T>* source, std::size_t nelems) {
  detail::check_element<T>();
  if constexpr (is_stdrma<T>) {
    return typed::fcollect(members.get(), dest, source, nelems);
  } else {
    return shmem_fcollectmem(members.get(), dest, source, detail::bytes<T>(nelems));
  }
}

/// Block i of `nelems` elements goes to PE i of the team, where it becomes the block of this PE's number (9.10.5).
template <class T>
WEFT_CXX int alltoall(const team& members, T* dest, const detail::same<T>* source, std::size_t nelems) {
  detail::check_element<T>();
  if constexpr (is_stdrma<T>) {
    return typed::alltoall(members.get(), dest, source, nelems);
  } else {
    return shmem_alltoallmem(members.get(), dest, source, detail::bytes<T>(nelems));
  }
}

/// alltoall() of elements that lie `sst` apart here and come to lie `dst` apart there (9.10.6).
template <class T>
WEFT_CXX int alltoalls(const team& members, T* dest, const detail::same<T>* source, std::ptrdiff_t dst,
                       std::ptrdiff_t sst, std::size_t nelems) {
  detail::check_element<T>();
  if constexpr (is_stdrma<T>) {
    return typed::alltoalls(members.get(), dest, source, dst, sst, nelems);
  } else {
    return detail::alltoalls_of_parts<T>(members.get(), dest, source, dst, sst, nelems);
  }
}

}  // namespace shmem
