#include "operations.hpp"
#include "types.h"

#include <algorithm>

namespace suite {
namespace {

// clang-format off
#define TEAM_MOVER(NAME, T)                                                                                          \
  Mover{#NAME, sizeof(T),                                                                                            \
        [](const Who& w, void* d, const void* s, std::size_t n, int root, long*) {                                   \
          return shmem_##NAME##_broadcast(w.team, static_cast<T*>(d), static_cast<const T*>(s), n, root); },         \
        [](const Who& w, void* d, const void* s, std::size_t n, long*) {                                             \
          return shmem_##NAME##_collect(w.team, static_cast<T*>(d), static_cast<const T*>(s), n); },                 \
        [](const Who& w, void* d, const void* s, std::size_t n, long*) {                                             \
          return shmem_##NAME##_fcollect(w.team, static_cast<T*>(d), static_cast<const T*>(s), n); },                \
        [](const Who& w, void* d, const void* s, std::size_t n, long*) {                                             \
          return shmem_##NAME##_alltoall(w.team, static_cast<T*>(d), static_cast<const T*>(s), n); },                \
        [](const Who& w, void* d, const void* s, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t n, long*) {     \
          return shmem_##NAME##_alltoalls(w.team, static_cast<T*>(d), static_cast<const T*>(s), dst, sst, n); }},

#define ACTIVE_MOVER(BITS)                                                                                           \
  Mover{#BITS, BITS / 8,                                                                                             \
        [](const Who& w, void* d, const void* s, std::size_t n, int root, long* p) {                                 \
          shmem_broadcast##BITS(d, s, n, root, w.start, w.log_stride, w.size(), p); return 0; },                     \
        [](const Who& w, void* d, const void* s, std::size_t n, long* p) {                                           \
          shmem_collect##BITS(d, s, n, w.start, w.log_stride, w.size(), p); return 0; },                             \
        [](const Who& w, void* d, const void* s, std::size_t n, long* p) {                                           \
          shmem_fcollect##BITS(d, s, n, w.start, w.log_stride, w.size(), p); return 0; },                            \
        [](const Who& w, void* d, const void* s, std::size_t n, long* p) {                                           \
          shmem_alltoall##BITS(d, s, n, w.start, w.log_stride, w.size(), p); return 0; },                            \
        [](const Who& w, void* d, const void* s, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t n, long* p) {   \
          shmem_alltoalls##BITS(d, s, dst, sst, n, w.start, w.log_stride, w.size(), p); return 0; }},
// clang-format on

Mover mem_mover() {
  return {"mem",
          1,
          [](const Who& w, void* d, const void* s, std::size_t n, int root, long*) {
            return shmem_broadcastmem(w.team, d, s, n, root);
          },
          [](const Who& w, void* d, const void* s, std::size_t n, long*) { return shmem_collectmem(w.team, d, s, n); },
          [](const Who& w, void* d, const void* s, std::size_t n, long*) { return shmem_fcollectmem(w.team, d, s, n); },
          [](const Who& w, void* d, const void* s, std::size_t n, long*) { return shmem_alltoallmem(w.team, d, s, n); },
          [](const Who& w, void* d, const void* s, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t n, long*) {
            return shmem_alltoallsmem(w.team, d, s, dst, sst, n);
          }};
}

std::string text_of(const char* operation, const Who& who, const Mover& mover, std::size_t count) {
  return std::string(operation) + " " + mover.name + " x " + std::to_string(count) + " over " + who.name;
}

Step step_of(const std::string& what, const Mover& mover, std::size_t source_bytes, std::uint64_t seed, int me) {
  Step step;
  step.what = what;
  step.element = mover.element;
  step.source_bytes = source_bytes;
  step.fill = [seed, me, source_bytes](void* source) { fill_bytes(source, seed, me, source_bytes); };
  return step;
}

// Block `block` of a strided buffer: what `sender` has under `seed`.
void put_block(void* buffer, std::size_t block, std::size_t stride, std::uint64_t seed, int sender, std::size_t count,
               std::size_t element) {
  std::vector<unsigned char> packed(count * element);
  fill_bytes(packed.data(), seed, sender, packed.size());
  unsigned char* const at = static_cast<unsigned char*>(buffer) + block * count * stride * element;
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(at + i * stride * element, packed.data() + i * element, element);
  }
}

}  // namespace

const std::vector<Mover>& team_movers() {
  static const std::vector<Mover> all = {SPEC_RMA_TYPES(TEAM_MOVER) mem_mover()};
  return all;
}

const std::vector<Mover>& active_movers() {
  static const std::vector<Mover> all = {ACTIVE_MOVER(32) ACTIVE_MOVER(64)};
  return all;
}

Step broadcast_step(const Who& who, const Mover& mover, std::size_t count, int root, std::uint64_t seed) {
  const std::size_t bytes = count * mover.element;
  Step step =
      step_of(text_of("broadcast", who, mover, count) + " from " + std::to_string(root), mover, bytes, seed, who.me);
  step.dest_bytes = bytes;
  // Over an active set the root's target is left alone, over a team it is written.
  if (!who.active || who.me != root) {
    step.expect = [=](void* dest) { fill_bytes(dest, seed, root, bytes); };
  } else {
    step.expect = [](void*) {};
  }
  step.call = [&who, &mover, count, root](void* dest, const void* source, long* psync) {
    return mover.broadcast(who, dest, source, count, root, psync);
  };
  return step;
}

Step collect_step(const Who& who, const Mover& mover, const std::vector<std::size_t>& counts, std::uint64_t seed) {
  const std::size_t mine = counts[static_cast<std::size_t>(who.me)];
  Step step = step_of(text_of("collect", who, mover, mine), mover, mine * mover.element, seed, who.me);
  for (std::size_t count : counts) {
    step.dest_bytes += count * mover.element;
    step.source_room = std::max(step.source_room, count * mover.element);
  }
  step.expect = [counts, seed, element = mover.element](void* dest) {
    unsigned char* at = static_cast<unsigned char*>(dest);
    for (std::size_t k = 0; k < counts.size(); ++k) {
      fill_bytes(at, seed, static_cast<int>(k), counts[k] * element);
      at += counts[k] * element;
    }
  };
  step.call = [&who, &mover, mine](void* dest, const void* source, long* psync) {
    return mover.collect(who, dest, source, mine, psync);
  };
  return step;
}

Step fcollect_step(const Who& who, const Mover& mover, std::size_t count, std::uint64_t seed) {
  const std::vector<std::size_t> counts(who.pes.size(), count);
  Step step = collect_step(who, mover, counts, seed);
  step.what = text_of("fcollect", who, mover, count);
  step.call = [&who, &mover, count](void* dest, const void* source, long* psync) {
    return mover.fcollect(who, dest, source, count, psync);
  };
  return step;
}

Step alltoall_step(const Who& who, const Mover& mover, std::size_t count, std::uint64_t seed) {
  Step step = alltoalls_step(who, mover, count, 1, 1, seed);
  step.what = text_of("alltoall", who, mover, count);
  step.call = [&who, &mover, count](void* dest, const void* source, long* psync) {
    return mover.alltoall(who, dest, source, count, psync);
  };
  return step;
}

Step alltoalls_step(const Who& who, const Mover& mover, std::size_t count, std::ptrdiff_t dst, std::ptrdiff_t sst,
                    std::uint64_t seed) {
  const std::size_t element = mover.element;
  const std::size_t n = who.pes.size();
  const std::size_t to = static_cast<std::size_t>(dst);
  const std::size_t from = static_cast<std::size_t>(sst);
  const auto reach = [&](std::size_t stride) { return count == 0 ? 0 : ((count * n - 1) * stride + 1) * element; };
  Step step = step_of(text_of("alltoalls", who, mover, count) + " from every " + std::to_string(sst) + " to every " +
                          std::to_string(dst),
                      mover, reach(from), seed, who.me);
  step.dest_bytes = reach(to);
  step.fill = [=, bytes = step.source_bytes, me = who.me](void* source) {
    std::memset(source, 0x77, bytes);
    for (std::size_t k = 0; k < n; ++k) put_block(source, k, from, seed * n + k, me, count, element);
  };
  step.expect = [=, me = static_cast<std::size_t>(who.me)](void* dest) {
    for (std::size_t k = 0; k < n; ++k) put_block(dest, k, to, seed * n + me, static_cast<int>(k), count, element);
  };
  step.call = [&who, &mover, count, dst, sst](void* dest, const void* source, long* psync) {
    return mover.alltoalls(who, dest, source, dst, sst, count, psync);
  };
  return step;
}

}  // namespace suite
