// Point 10.1: put_signal and put_signal_nbi of every type name, size and the mem forms: whoever sees the signal sees
// all of its data; bytes beside data and signal stay untouched; nelems 0 still delivers the signal (2.9). The receiver
// waits for the signal alone. In a ring, and to oneself; heap and static; both operators; both forms.
#include "signal_ops.hpp"

#include <initializer_list>

using namespace spec;

namespace {

constexpr std::size_t kCounts[] = {0, 1, 5, 64, 257};
constexpr std::size_t kBytes = 16 * 1024;

// One receiver's room: data and signal, in one place. `next` counts the signals that came.
struct Room {
  alignas(64) unsigned char data[2][kBytes];
  std::uint64_t guard_low;
  std::uint64_t signal[2];
  std::uint64_t guard_high;
  std::uint64_t ready;  // how many rounds the receiver of our data is through with
};
Room g_static_room;
constexpr std::uint64_t kGuardWord = 0xA5A5A5A5A5A5A5A5u;

std::uint64_t seed_of(int from, int type, std::size_t n, std::uint64_t round) {
  return static_cast<std::uint64_t>(from) * 1000003u + static_cast<unsigned>(type) * 997u + n * 31u + round;
}

void wait_for(std::uint64_t* signal, std::uint64_t value) {
  CHECK(shmem_signal_wait_until(signal, SHMEM_CMP_EQ, value) == value, "signal_wait_until EQ returns its value");
}

// Each PE sends to `to` and receives from `from`; the two halves of the room alternate, so that a signal which came
// before its data would show old data of two rounds ago.
template <class Form>
void ring(Room* room, int to, int from, Form form) {
  std::uint64_t round = 0, sum[2] = {0, 0};
  std::memset(static_cast<void*>(room), kGuard, sizeof *room);
  room->signal[0] = room->signal[1] = room->ready = 0;
  shmem_barrier_all();
  int type = 0;
  for_all_signals([&](auto ops) {
    using Ops = decltype(ops);
    using T = typename Ops::T;
    ++type;
    Private<T> source(257);
    for (const std::size_t n : kCounts)
      for (const bool nbi : {false, true}) {
        const std::size_t half = ++round % 2;
        std::uint64_t* const signal = &room->signal[half];
        T* const target = reinterpret_cast<T*>(room->data[half] + 64);
        const int op = round % 3 ? SHMEM_SIGNAL_ADD : SHMEM_SIGNAL_SET;
        const std::uint64_t previous = sum[half];
        sum[half] += round * 3;
        for (std::size_t i = 0; i < n; ++i) source[i] = value_of<T>(seed_of(check_me, type, n, round), i);
        const std::uint64_t value = op == SHMEM_SIGNAL_SET ? sum[half] : sum[half] - previous;
        // the receiver is through with what lay in this half
        shmem_signal_wait_until(&room->ready, SHMEM_CMP_GE, round > 2 ? round - 2 : 0);
        if (nbi)
          Ops::put_nbi(form, target, source, n, signal, value, op, to);
        else
          Ops::put(form, target, source, n, signal, value, op, to);
        wait_for(signal, sum[half]);
        // from the end: what a signal that runs ahead would miss is what is written last
        for (std::size_t i = n; i-- > 0;)
          if (!(target[i] == value_of<T>(seed_of(from, type, n, round), i))) {
            CHECK(false, "%s%s of %zu: the signal came before element %zu", Ops::kName, nbi ? " nbi" : "", n, i);
            break;
          }
        CHECK(guards_intact(target, n * sizeof(T)), "%s of %zu wrote beside its data", Ops::kName, n);
        CHECK(room->guard_low == kGuardWord && room->guard_high == kGuardWord, "%s beside the signal", Ops::kName);
        std::memset(room->data[half], kGuard, 64 + n * sizeof(T) + 64);
        if constexpr (std::is_same_v<Form, Plain>)
          shmem_quiet();
        else
          shmem_ctx_quiet(form);
        shmem_signal_add(&room->ready, 1, from);
      }
  });
  shmem_barrier_all();
}

}  // namespace

int main() {
  check_begin();
  auto* const heap = static_cast<Room*>(shmem_align(64, sizeof(Room)));
  shmem_ctx_t ctx = SHMEM_CTX_INVALID;
  REQUIRE(heap != nullptr && shmem_ctx_create(0, &ctx) == 0, "cannot set up");
  for (Room* const room : {heap, &g_static_room}) {
    STEP("ring");
    ring(room, check_right(1), check_right(-1), Plain{});
    ring(room, check_right(1), check_right(-1), ctx);
    STEP("self");
    ring(room, check_me, check_me, Plain{});
    ring(room, check_me, check_me, ctx);
  }
  shmem_ctx_destroy(ctx);
  shmem_free(heap);
  return check_end();
}
