// Messages of all sizes, from and to odd addresses, between each pair of PEs and with oneself: in turn and both at a
// time, blocking and not, in several pieces.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <thread>

#include "mail.hpp"

namespace {

namespace msg = weft::msg;

constexpr std::size_t kSizes[] = {0,
                                  1,
                                  7,
                                  8,
                                  9,
                                  31,
                                  32,
                                  33,
                                  63,
                                  64,
                                  65,
                                  100,
                                  1000,
                                  4063,
                                  4064,
                                  4065,
                                  4095,
                                  4096,
                                  4097,
                                  8191,
                                  8192,
                                  8193,
                                  16384,
                                  32767,
                                  32768,
                                  32769,
                                  65537,
                                  131071,
                                  131072,
                                  200'001,
                                  262'144,
                                  1'000'003,
                                  (4 << 20) - 1,
                                  4 << 20,
                                  (4 << 20) + 5};

// Every other run of so many bytes.
class Comb final : public msg::Layout {
 public:
  explicit Comb(std::size_t tooth) : tooth_(tooth) {}
  void pack(const void* at, std::uint64_t position, void* into, std::size_t bytes) const noexcept override {
    for (std::size_t k = 0; k < bytes; ++k) {
      static_cast<std::byte*>(into)[k] = static_cast<const std::byte*>(at)[place(position + k)];
    }
  }
  void unpack(void* at, std::uint64_t position, const void* from, std::size_t bytes) const noexcept override {
    for (std::size_t k = 0; k < bytes; ++k) {
      static_cast<std::byte*>(at)[place(position + k)] = static_cast<const std::byte*>(from)[k];
    }
  }
  std::size_t list(void* at, std::uint64_t position, std::uint64_t bytes, msg::Stretch* into,
                   std::size_t most) const noexcept override {
    std::size_t count = 0;
    while (tooth_ >= 1024 && bytes > 0 && count < most) {
      const std::size_t piece = std::min<std::uint64_t>(tooth_ - position % tooth_, bytes);
      into[count++] = {static_cast<std::byte*>(at) + place(position), piece};
      position += piece;
      bytes -= piece;
    }
    return count;
  }
  std::size_t place(std::uint64_t position) const { return position / tooth_ * 2 * tooth_ + position % tooth_; }
  std::size_t room(std::size_t bytes) const { return 2 * bytes + 2 * tooth_; }

 private:
  std::size_t tooth_;
};

std::uint64_t seed_of(int from, int to, std::size_t size) {
  return static_cast<std::uint64_t>(from) << 48 | static_cast<std::uint64_t>(to) << 36 | size;
}

// Data at an odd address, in a row of bytes that nothing else may change.
struct Buffer {
  explicit Buffer(std::size_t count) : bytes(count + 24, std::byte{0x5a}), size(count) {}
  std::byte* at() { return bytes.data() + 11; }
  msg::Data data() { return {at(), size, nullptr}; }
  bool holds(const std::vector<std::byte>& wanted) {
    bool same = size == wanted.size() && (size == 0 || std::memcmp(at(), wanted.data(), size) == 0);
    for (std::size_t k = 0; k < 11; ++k) {
      same = same && bytes[k] == std::byte{0x5a} && bytes[bytes.size() - 1 - k] == std::byte{0x5a};
    }
    return same;
  }
  std::vector<std::byte> bytes;
  std::size_t size;
};

Buffer filled(int to, std::size_t size) {
  Buffer made(size);
  const auto wanted = mail::bytes_of(seed_of(mail::me(), to, size), size);
  if (size > 0) {
    std::memcpy(made.at(), wanted.data(), size);
  }
  return made;
}

void in_turn(int other, std::size_t size) {
  Buffer in(size);
  Buffer out = filled(other, size);
  const auto receive = [&] {
    const msg::Status status = mail::me() % 2 == 0 ? msg::receive(mail::from(other, 3), in.data())
                                                   : msg::receive(mail::from(-1, msg::kAnyTag), in.data());
    mail::need(status.bytes == size && status.source == other && status.tag == 3 && status.fault == msg::Fault::kNone,
               "a status is not right");
  };
  if (mail::me() < other) {
    mail::need(msg::send(mail::to(other, 3), out.data(),
                         size % 2 == 0 ? msg::Mode::kStandard : msg::Mode::kSynchronous) == msg::Fault::kNone,
               "a send has failed");
    receive();
  } else {
    receive();
    (void)msg::send(mail::to(other, 3), out.data());
  }
  mail::need(in.holds(mail::bytes_of(seed_of(other, mail::me(), size), size)), "what came is not what was sent");
}

// Also to oneself.
void both_at_a_time(int other, std::size_t size) {
  Buffer in(size + 3);
  Buffer out = filled(other, size);
  msg::Request sending;
  msg::Request receiving;
  msg::start_send(sending, mail::to(other, 4), out.data(), size % 3 == 0 ? msg::Mode::kSynchronous : msg::Mode::kReady);
  msg::start_receive(receiving, mail::from(other, 4), in.data());
  while (!msg::test(sending)) {
    std::this_thread::yield();  // with more PEs than processors somebody else has to run
  }
  msg::wait(receiving);
  in.size = size;
  mail::need(receiving.status.bytes == size, "another length came");
  const auto wanted = mail::bytes_of(seed_of(other, mail::me(), size), size);
  mail::need(size == 0 || std::memcmp(in.at(), wanted.data(), size) == 0, "what came is not what was sent");
  // Cut short.
  if (size > 0) {
    Buffer little(size / 2);
    msg::start_receive(receiving, mail::from(other, 5), little.data());
    (void)msg::send_receive(mail::to(other, 5), out.data(), mail::from(other, 6), {});
    msg::wait(receiving);
    mail::need(receiving.status.fault == msg::Fault::kTruncated && receiving.status.bytes == size / 2,
               "a message that is too long does not say so");
    mail::need(little.holds({wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(size / 2)}),
               "what fits of a message is not here, or more");
  }
}

// `cut`: the other side's messages of both_at_a_time().
void answer_cut(int other, std::size_t size) {
  if (size > 0) {
    (void)msg::send(mail::to(other, 6), {});
  }
}

void in_pieces(int other, std::size_t size, std::size_t tooth) {
  const Comb comb(tooth);
  const auto out = mail::bytes_of(seed_of(mail::me(), other, size), size);
  std::vector<std::byte> spread(comb.room(size));
  std::vector<std::byte> got(comb.room(size), std::byte{0x77});
  for (std::size_t k = 0; k < size; ++k) {
    spread[comb.place(k)] = out[k];
  }
  msg::Request receiving;
  msg::start_receive(receiving, mail::from(other, 7), {got.data(), size, &comb});
  (void)msg::send(mail::to(other, 7), {spread.data(), size, &comb});
  msg::wait(receiving);
  const auto wanted = mail::bytes_of(seed_of(other, mail::me(), size), size);
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < size; ++k) {
    wrong += got[comb.place(k)] == wanted[k] ? 0 : 1;
    got[comb.place(k)] = std::byte{0x77};
  }
  for (const std::byte left : got) {
    wrong += left == std::byte{0x77} ? 0 : 1;
  }
  mail::need(wrong == 0, "a message in pieces is not what was sent, or lies elsewhere");
}

void with(int other, std::size_t size) {
  if (other != mail::me()) {
    in_turn(other, size);
  }
  answer_cut(other, size);
  both_at_a_time(other, size);
  if (other != mail::me()) {
    in_pieces(other, size, size % 2 == 0 ? 1024 : 24);
  }
}

}  // namespace

int main() {
  mail::begin();
  const int n = mail::n_pes();
  for (const std::size_t size : kSizes) {
    // Each with each: in round r those whose numbers have the sum r.
    for (int round = 0; round < n; ++round) {
      with((round + n - mail::me()) % n, size);
      mail::meet();
    }
  }
  mail::need(msg::unexpected_bytes() == 0, "something is left that nobody has received");
  mail::end();
  std::printf("PE %d of %d is done\n", mail::me(), n);
  return 0;
}
