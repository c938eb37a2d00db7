// The rounds of point 8.4, for the strided (block size 1) and the block-strided routines alike.
#ifndef WEFT_TESTS_SPEC_STRIDED_ROUNDS_HPP
#define WEFT_TESTS_SPEC_STRIDED_ROUNDS_HPP

#include "rma_ops.hpp"

namespace spec {

// Strides count elements between the starts of two blocks.
struct Shape {
  std::size_t dst, sst, bsize, nblocks;
  std::size_t extent(std::size_t stride) const { return nblocks * bsize == 0 ? 0 : (nblocks - 1) * stride + bsize; }
};

constexpr Shape kStridedShapes[] = {{1, 1, 1, 0}, {1, 1, 1, 1}, {9, 7, 1, 1}, {1, 1, 1, 20},
                                    {2, 1, 1, 9}, {1, 3, 1, 9}, {3, 2, 1, 9}, {7, 7, 1, 5}};
constexpr Shape kBlockShapes[] = {{1, 1, 1, 6}, {3, 2, 1, 6}, {3, 3, 3, 4}, {5, 3, 3, 4}, {3, 5, 3, 4},
                                  {8, 9, 4, 3}, {6, 6, 6, 1}, {6, 6, 6, 0}, {1, 1, 0, 4}, {20, 33, 17, 3}};

template <bool kBlocked>
constexpr auto& shapes_of() {
  if constexpr (kBlocked)
    return kBlockShapes;
  else
    return kStridedShapes;
}

// The elements that belong to a block have the source's value, all others keep the guard bytes.
template <class T>
void expect_scattered(const T* seen, const Shape& s, std::uint64_t seed, const char* name, const char* where) {
  unsigned char untouched[sizeof(T)];
  std::memset(untouched, kGuard, sizeof untouched);
  const std::size_t extent = s.extent(s.dst);
  for (std::size_t i = 0; i < extent; ++i) {
    const std::size_t block = i / s.dst, in_block = i % s.dst;
    const bool right = in_block < s.bsize ? seen[i] == value_of<T>(seed, block * s.sst + in_block)
                                          : std::memcmp(seen + i, untouched, sizeof(T)) == 0;
    if (right) continue;
    CHECK(false, "%s, %s: element %zu is wrong (dst %zu, sst %zu, bsize %zu, %zu blocks)", name, where, i, s.dst, s.sst,
          s.bsize, s.nblocks);
    break;
  }
  CHECK(guards_intact(seen, extent * sizeof(T)),
        "%s, %s: bytes outside were written (dst %zu, sst %zu, bsize %zu, %zu blocks)", name, where, s.dst, s.sst,
        s.bsize, s.nblocks);
}

template <bool kBlocked, class Ops, class Form, class T>
void scatter(Form form, T* dest, const T* source, const Shape& s, int pe) {
  const auto dst = static_cast<std::ptrdiff_t>(s.dst), sst = static_cast<std::ptrdiff_t>(s.sst);
  if constexpr (kBlocked)
    Ops::ibput(form, dest, source, dst, sst, s.bsize, s.nblocks, pe);
  else
    Ops::iput(form, dest, source, dst, sst, s.nblocks, pe);
}
template <bool kBlocked, class Ops, class Form, class T>
void gather(Form form, T* dest, const T* source, const Shape& s, int pe) {
  const auto dst = static_cast<std::ptrdiff_t>(s.dst), sst = static_cast<std::ptrdiff_t>(s.sst);
  if constexpr (kBlocked)
    Ops::ibget(form, dest, source, dst, sst, s.bsize, s.nblocks, pe);
  else
    Ops::iget(form, dest, source, dst, sst, s.nblocks, pe);
}

// Calls visit(Ops, shape, type number) for every name that has strided forms.
template <bool kBlocked, class F>
void for_all_shapes(F&& visit) {
  int type = 0;
  for_all_rma([&](auto ops) {
    ++type;
    if constexpr (decltype(ops)::kHasStrided)
      for (const Shape& shape : shapes_of<kBlocked>()) visit(ops, shape, type);
  });
}

template <bool kBlocked, class Form>
void put_round(const Place& place, Peer kind, Form form) {
  place.clear();
  shmem_barrier_all();
  const int to = peer_of(kind, check_me);
  Walker walk(place.part(check_me), kPartBytes);
  for_all_shapes<kBlocked>([&](auto ops, const Shape& s, int type) {
    using T = typename decltype(ops)::T;
    Private<T> source(s.extent(s.sst), seed_of(check_me, to, type));
    scatter<kBlocked, decltype(ops)>(form, walk.take<T>(s.extent(s.dst)), source.get(), s, to);
    for (std::size_t i = 0; i < s.extent(s.sst); ++i) source[i] = T{};
  });
  complete(form);
  shmem_sync_all();
  for (int from = 0; from < check_n; ++from) {
    if (peer_of(kind, from) != check_me) continue;
    Walker seen(place.part(from), kPartBytes);
    char where[64];
    std::snprintf(where, sizeof where, "from PE %d, %s, %s", from, place.name, name_of(kind));
    for_all_shapes<kBlocked>([&](auto ops, const Shape& s, int type) {
      using T = typename decltype(ops)::T;
      expect_scattered(seen.take<T>(s.extent(s.dst)), s, seed_of(from, check_me, type), decltype(ops)::kName, where);
    });
  }
  shmem_barrier_all();
}

template <bool kBlocked, class Form>
void get_round(const Place& place, Peer kind, Form form) {
  Private<unsigned char> bytes(kPartBytes);
  Walker own(place.part(0), kPartBytes);
  for_all_shapes<kBlocked>([&](auto ops, const Shape& s, int type) {
    using T = typename decltype(ops)::T;
    T* const data = own.take<T>(s.extent(s.sst));
    for (std::size_t i = 0; i < s.extent(s.sst); ++i) data[i] = value_of<T>(seed_of(check_me, 0, type), i);
  });
  std::memset(bytes, kGuard, kPartBytes);
  shmem_barrier_all();
  const int from = peer_of(kind, check_me);
  char where[64];
  std::snprintf(where, sizeof where, "get from PE %d, %s, %s", from, place.name, name_of(kind));
  Walker walk(place.part(0), kPartBytes), mine(bytes, kPartBytes);
  for_all_shapes<kBlocked>([&](auto ops, const Shape& s, int type) {
    using T = typename decltype(ops)::T;
    T* const dest = mine.take<T>(s.extent(s.dst));
    gather<kBlocked, decltype(ops)>(form, dest, walk.take<T>(s.extent(s.sst)), s, from);
    expect_scattered(dest, s, seed_of(from, 0, type), decltype(ops)::kName, where);
  });
  shmem_barrier_all();
}

template <bool kBlocked>
int run_strided_program() {
  check_begin();
  STEP("strided puts");
  for_all_rounds([](const Place& place, Peer kind, auto form) { put_round<kBlocked>(place, kind, form); });
  STEP("strided gets");
  for_all_rounds([](const Place& place, Peer kind, auto form) { get_round<kBlocked>(place, kind, form); });
  return check_end();
}

}  // namespace spec

#endif
