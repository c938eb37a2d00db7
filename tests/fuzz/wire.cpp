// What comes over a connection to the TCP leaf of a PE. The first byte says from whom: from a PE of the job, which has
// greeted as it should before and then lost its senses, or from a stranger. "lent key" stands for the key of the memory
// that the PE has lent, and "old key!" for that of memory which it has taken back.
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "fuzz.hpp"
#include "transport/tcp/proof.hpp"
#include "transport/tcp/socket.hpp"
#include "transport/tcp/tcp.hpp"

namespace {

using namespace weft::transport;
using namespace weft::transport::tcp;
using weft::boot::JobHeader;
using weft::fuzz::must;

constexpr int kPes = 2;
constexpr std::size_t kMost = 32768;  // of an input: what sockets take without anybody reading

bool g_gone = false;
bool g_refused = false;

JobHeader* job() {
  static const auto made = [] {
    void* at =
        ::mmap(nullptr, weft::boot::control_bytes(1, kPes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(at != MAP_FAILED, "there is memory for a job");
    auto* job = static_cast<JobHeader*>(at);
    job->n_pes = 1;
    job->job_pes = job->n_nodes = kPes;
    job->key[0] = 0x1234;
    job->key[1] = 0x5678;
    return job;
  }();
  return made;
}

// What it is told goes to a block of its own, or to nowhere where that is not long enough; and is answered.
int g_placed = 0;
int g_under_way = 0;
constexpr std::uint64_t kPlace = 4096;

Landing place(void* /*self*/, const Arrival& arrival, Answerer& /*answerer*/) noexcept {
  must(arrival.pe == 1 && arrival.kind == 0 && !arrival.is_answer,
       "a message says who tells it, and of what kind it is");
  must(arrival.head_bytes <= kMostHead && arrival.bytes <= kMostData, "lengths are bounded");
  must(g_under_way++ == 0, "messages of a connection come one after another");
  ++g_placed;
  auto* made = arrival.bytes == 0 || arrival.bytes > kPlace ? nullptr : new std::byte[arrival.bytes];
  return {made, made};
}
void lost(void* /*self*/, const Arrival& arrival) noexcept {
  --g_under_way;
  delete[] static_cast<std::byte*>(arrival.landing.cookie);
}
void arrived(void* self, const Arrival& arrival, Answerer& answerer) noexcept {
  must(answerer.answer({0, arrival.head, arrival.head_bytes, arrival.landing.at,
                        arrival.landing.at != nullptr ? arrival.bytes : 0}),
       "each message has an answer");
  lost(self, arrival);
}

// A PE, and a connection to it. Each input has its own, so that it does the same whichever came before.
class Pe {
 public:
  Pe() {
    kinds_.add(0, {place, arrived, lost, nullptr});
    must(static_cast<bool>(network_.prepare()), "the leaf gets ready");
    // Blocks of their own, behind which AddressSanitizer watches.
    must(static_cast<bool>(network_.open(weft::boot::peer_card(job(), 0))), "the leaf opens");
    const auto lent = network_.lend({heap_.get(), kHeap});
    must(static_cast<bool>(lent), "the leaf lends");
    key_ = lent->key;
    const auto old = network_.lend({statics_.get(), kStatics});
    must(static_cast<bool>(old), "the leaf lends again");
    old_key_ = old->key;
    network_.take_back(*old);
    const Addresses there = read_card(*weft::boot::peer_card(job(), 0));
    const SocketAddress to(there.list[0], there.port);
    fd_ = ::socket(there.list[0].family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    must(fd_ >= 0 && ::connect(fd_, to.get(), to.bytes) == 0, "the leaf is there");
    // Thousands of connections a second must not stay behind in TIME_WAIT.
    const linger at_once{1, 0};
    (void)::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  Pe(const Pe&) = delete;
  Pe& operator=(const Pe&) = delete;
  ~Pe() { (void)::close(fd_); }

  void greet() {
    Challenge challenge{};
    Welcome welcome{};
    must(hear(&challenge), "who comes is challenged");
    Hello hello{1, 0, {{7}}, {}};
    hello.proof = prove(job()->key, Role::kCaller, {hello.from, hello.to, challenge.nonce, hello.nonce});
    must(::send(fd_, &hello, sizeof hello, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof hello), "a hello is sent");
    must(hear(&welcome), "who knows the key is welcome");
  }
  /// Says this and nothing more, and listens until the leaf closes.
  void say(std::string_view with_names) {
    std::string bytes(with_names);
    for (const auto& [name, key] : {std::pair<const char*, std::uint64_t>{"lent key", key_}, {"old key!", old_key_}}) {
      for (std::size_t at = bytes.find(name); at != std::string::npos; at = bytes.find(name, at + sizeof key)) {
        std::memcpy(bytes.data() + at, &key, sizeof key);
      }
    }
    (void)::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    (void)::shutdown(fd_, SHUT_WR);
    constexpr int kLooks = 10'000;
    static std::array<char, 65536> heard;
    bool closed = false;
    for (int looks = 0; looks < kLooks && !closed; ++looks) {
      network_.progress();
      const ssize_t came = ::recv(fd_, heard.data(), heard.size(), MSG_DONTWAIT);
      closed = came == 0 || (came < 0 && errno != EAGAIN);
    }
    must(closed, "who has said all is let go");
  }
  bool touched() const { return is_touched(heap_.get(), kHeap) || g_placed != 0; }
  bool touched_what_was_taken_back() const { return is_touched(statics_.get(), kStatics); }

 private:
  static bool is_touched(const std::byte* at, std::size_t bytes) {
    return std::any_of(at, at + bytes, [](std::byte byte) { return byte != std::byte{0}; });
  }
  static constexpr std::size_t kHeap = 512;
  static constexpr std::size_t kStatics = 64;

  template <class T>
  bool hear(T* what) {
    for (int looks = 0; looks < 1000; ++looks) {
      network_.progress();
      if (::recv(fd_, what, sizeof *what, MSG_PEEK | MSG_DONTWAIT) == static_cast<ssize_t>(sizeof *what)) {
        return ::recv(fd_, what, sizeof *what, MSG_DONTWAIT) == static_cast<ssize_t>(sizeof *what);
      }
    }
    return false;
  }

  std::unique_ptr<std::byte[]> heap_ = std::make_unique<std::byte[]>(kHeap);
  std::unique_ptr<std::byte[]> statics_ = std::make_unique<std::byte[]>(kStatics);
  Kinds kinds_;
  Tcp network_{{job(), 0,
                [](const char* operation, int, const char* why) noexcept {
                  weft::fuzz::must_be_a_line(operation);
                  weft::fuzz::must_be_a_line(why);
                },
                []() noexcept {}, [](int pe) noexcept { g_gone = pe == 1; },
                [](int pe, const char* what) noexcept {
                  must(pe == 1, "who is refused is named");
                  weft::fuzz::must_be_a_line(what);
                  g_refused = true;
                },
                &kinds_}};
  std::uint64_t key_ = 0;
  std::uint64_t old_key_ = 0;
  int fd_ = -1;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kMost) return 0;
  weft::fuzz::Bytes bytes(data, size);
  const bool stranger = bytes.below(2) == 1;
  g_gone = g_refused = false;
  g_placed = g_under_way = 0;
  Pe pe;
  if (!stranger) pe.greet();
  pe.say(bytes.rest());
  must(!pe.touched_what_was_taken_back(), "what was taken back is not touched");
  must(g_under_way == 0, "a message that came in part is forgotten");
  must(!stranger || (!pe.touched() && !g_gone && !g_refused), "a stranger reaches nothing and ends nobody");
  return 0;
}
