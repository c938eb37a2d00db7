// Point 9.3: compare_swap returns the old value whether it swapped or not and compares all bits of the value; set, swap
// and fetch on float and double copy bits: NaN payloads, signalling NaNs, -0.0, infinities and denormals survive.
#include "amo_ops.hpp"

using namespace spec;

namespace {

// Bit patterns go through memory only: a floating point register could change them.
template <class T, class Bits>
T from_bits(Bits bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

constexpr std::uint32_t kFloatBits[] = {0x80000000u, 0x7FC01234u, 0xFFC00001u, 0x7F800000u,
                                        0xFF800000u, 0x00000001u, 0x807FFFFFu, 0x7FA5A5A5u};
constexpr std::uint64_t kDoubleBits[] = {0x8000000000000000u, 0x7FF8000000001234u, 0xFFF8DEADBEEF0001u,
                                         0x7FF0000000000000u, 0xFFF0000000000000u, 0x0000000000000001u,
                                         0x800FFFFFFFFFFFFFu, 0x7FF4123456789ABCu};

template <class Ops, class Bits, class Form>
void bit_copies(Cell& cell, int pe, Form form, const Bits (&patterns)[8]) {
  using T = typename Ops::T;
  static_assert(sizeof(T) == sizeof(Bits));
  T* const word = cell.as<T>();
  for (int i = 0; i < 8; ++i) {
    const T value = from_bits<T>(patterns[i]), next = from_bits<T>(patterns[(i + 1) % 8]);
    Ops::set(form, word, value, pe);
    complete(form);
    expect_cell(cell, pe, value, Ops::kName, "set");
    const T fetched = Ops::fetch(form, word, pe);
    CHECK(std::memcmp(&fetched, &value, sizeof(T)) == 0, "%s: fetch changed pattern %d", Ops::kName, i);
    const T old = Ops::swap(form, word, next, pe);
    CHECK(std::memcmp(&old, &value, sizeof(T)) == 0, "%s: swap returned pattern %d changed", Ops::kName, i);
    expect_cell(cell, pe, next, Ops::kName, "swap");
    T later[2];
    Ops::fetch_nbi(form, &later[0], word, pe);
    complete(form);
    Ops::swap_nbi(form, &later[1], word, value, pe);
    complete(form);
    CHECK(std::memcmp(&later[0], &next, sizeof(T)) == 0, "%s: fetch_nbi changed pattern %d", Ops::kName, i);
    CHECK(std::memcmp(&later[1], &next, sizeof(T)) == 0, "%s: swap_nbi returned pattern %d changed", Ops::kName, i);
    expect_cell(cell, pe, value, Ops::kName, "swap_nbi");
  }
}

// Values that differ in a single bit, the highest and the lowest ones included, are different values.
template <class Ops, class Form>
void one_bit_off(Cell& cell, int pe, Form form) {
  using T = typename Ops::T;
  T* const word = cell.as<T>();
  const T value = static_cast<T>(0x123456789ABCDEF1u);
  Ops::set(form, word, value, pe);
  complete(form);
  for (unsigned bit = 0; bit < sizeof(T) * 8; ++bit) {
    const T other = static_cast<T>(static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << bit));
    CHECK(Ops::compare_swap(form, word, other, T{0}, pe) == value, "%s: old value, bit %u off", Ops::kName, bit);
    T fetched = T{0};
    Ops::compare_swap_nbi(form, &fetched, word, other, T{0}, pe);
    complete(form);
    CHECK(fetched == value, "%s: old value of nbi, bit %u off", Ops::kName, bit);
  }
  expect_cell(cell, pe, value, Ops::kName, "compare_swap with one bit off");
  CHECK(Ops::compare_swap(form, word, value, value, pe) == value, "%s: swap with itself", Ops::kName);
  CHECK(Ops::compare_swap(form, word, value, static_cast<T>(~value), pe) == value, "%s: success", Ops::kName);
  CHECK(Ops::compare_swap(form, word, value, T{0}, pe) == static_cast<T>(~value), "%s: failure", Ops::kName);
  expect_cell(cell, pe, static_cast<T>(~value), Ops::kName, "compare_swap");
}

}  // namespace

int main() {
  check_begin();
  for_all_cells([](Cell* cells, Peer kind, auto form) {
    const int pe = peer_of(kind, check_me);
    Cell& cell = cells[check_me];
    auto clean = [&] {
      Cell fresh;
      std::memset(static_cast<void*>(&fresh), kGuard, sizeof fresh);
      shmem_putmem(&cell, &fresh, sizeof fresh, pe);
      shmem_quiet();
    };
    STEP("float and double");
    clean();
    bit_copies<Ext_double>(cell, pe, form, kDoubleBits);
    clean();
    bit_copies<Ext_float>(cell, pe, form, kFloatBits);
    STEP("compare_swap");
    for_all_standard([&](auto ops) { clean(), one_bit_off<decltype(ops)>(cell, pe, form); });
  });
  return check_end();
}
