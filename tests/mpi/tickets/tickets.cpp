// Two ranks, of which one looks for the ticket of a message in the memory that they share: to see where in the stage a
// message begins, or to write over it while the message is under way, as a program that writes past the end of an array
// does. usage: tickets WHAT
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "msg/hub.hpp"
#include "tests/mpi/local/check.h"

namespace {

using weft::msg::Answer;
using weft::msg::Ticket;
using weft::msg::ToldPlace;

enum { kBytes = 1 << 20, kTag = 3 };
constexpr std::uint32_t kPieces = 64;  // of 16 KiB
constexpr int kBlocks = 64;

int g_rank = -1;
std::string g_what;

// Of what is mapped shared and is there.
template <typename T>
T* one_in(std::byte* at, std::size_t bytes, const std::function<bool(const T&)>& is_it) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> there(bytes / page);
  if (::mincore(at, bytes, there.data()) != 0) return nullptr;
  for (std::size_t k = 0; k < bytes; k += alignof(T)) {
    const std::size_t last = (k + sizeof(T) - 1) / page;
    if (last >= there.size() || (there[k / page] & 1) == 0 || (there[last] & 1) == 0) continue;
    auto* const one = reinterpret_cast<T*>(at + k);
    if (is_it(*one)) return one;
  }
  return nullptr;
}

template <typename T>
T& one_that(const std::function<bool(const T&)>& is_it) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0;
    unsigned long end = 0;
    char how[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, how) != 3 || std::strcmp(how, "rw-s") != 0) continue;
    T* const found = one_in(reinterpret_cast<std::byte*>(begin), end - begin, is_it);
    if (found != nullptr) return *found;
  }
  std::fprintf(stderr, "there is no such ticket\n");
  std::exit(3);
}

Ticket& ticket_that(const std::function<bool(const Ticket&)>& is_it) { return one_that<Ticket>(is_it); }

// In messages by two copies.
void round_the_stage() {
  constexpr int kTurns = 40;
  constexpr int kLeast = 40'000;  // more than comes unasked
  std::vector<char> data(2 * (kLeast + kTurns * 1000));
  std::uint32_t next = 0;
  int turns_begun_anew = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    // Every third one in parts, whose pieces are smaller.
    const int blocks = (kLeast + turn * 976) / 8;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    GOOD(MPI_Type_vector(blocks, 8, turn % 3 == 2 ? 16 : 8, MPI_CHAR, &type));
    GOOD(MPI_Type_commit(&type));
    if (g_rank == 0) {
      for (std::size_t k = 0; k < data.size(); ++k) data[k] = static_cast<char>(k * 7 + k / 251 + turn);
      GOOD(MPI_Send(data.data(), 1, type, 1, kTag, MPI_COMM_WORLD));
      const Ticket& ticket = ticket_that([&](const Ticket& t) {
        return t.wanted == 8U * static_cast<unsigned>(blocks) && t.from == 0 && t.stage != 0;
      });
      const std::uint32_t each = 1U << ticket.piece;
      const std::uint32_t begin = ticket.stage_begin;
      if (turn > 0) CHECK(begin == (next + each - 1) / each * each % weft::msg::kStageBytes);
      const auto count = static_cast<std::uint32_t>(ticket.filled.load());
      CHECK(count == (8U * static_cast<unsigned>(blocks) + each - 1) / each);
      turns_begun_anew += begin + count * each > weft::msg::kStageBytes ? 1 : 0;
      next = (begin + count * each) % weft::msg::kStageBytes;
    } else {
      std::fill(data.begin(), data.end(), 0);
      GOOD(MPI_Recv(data.data(), 1, type, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      const int step = turn % 3 == 2 ? 16 : 8;
      for (int block = 0; block < blocks; ++block) {
        for (int k = block * step; k < block * step + step; ++k) {
          const auto sent = static_cast<char>(k * 7 + k / 251 + turn);
          CHECK(data[static_cast<std::size_t>(k)] == (k < block * step + 8 ? sent : 0));
        }
      }
    }
    GOOD(MPI_Type_free(&type));
  }
  if (g_rank == 0) CHECK(turns_begun_anew > 3);  // some have pieces on both sides of its end
}

// By two copies always: from the second message of a size on the sender has brought it before it was asked to. What
// comes behind one that had no room is whole.
void unasked() {
  constexpr int kLength = 20'000;
  constexpr std::uint64_t kCount = ((kLength - 1) >> weft::msg::kPieceUnasked) + 1;
  std::vector<char> data(kLength);
  for (int turn = 0; turn < 6; ++turn) {
    if (g_rank == 0) {
      for (std::size_t k = 0; k < data.size(); ++k) data[k] = static_cast<char>(k * 7 + k / 251 + turn);
      GOOD(MPI_Send(data.data(), kLength, MPI_CHAR, 1, kTag, MPI_COMM_WORLD));
      if (turn == 0) continue;
      (void)ticket_that([&](const Ticket& t) {
        return t.begun == weft::msg::kPieceUnasked && t.filled.load() == kCount && t.stage != 0;
      });
    } else {
      const int room = turn == 3 ? 5000 : kLength;
      std::fill(data.begin(), data.end(), 0);
      const int error = MPI_Recv(data.data(), room, MPI_CHAR, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK((error == MPI_SUCCESS) == (room == kLength));
      for (std::size_t k = 0; k < data.size(); ++k) {
        CHECK(data[k] == (k < static_cast<std::size_t>(room) ? static_cast<char>(k * 7 + k / 251 + turn) : 0));
      }
    }
  }
}

// Whether ranks may read each other's memory here; both have the same answer.
bool may_read() {
  static const char mine = 1;
  std::uint64_t told[2] = {static_cast<std::uint64_t>(::getpid()), reinterpret_cast<std::uint64_t>(&mine)};
  std::uint64_t other[2] = {};
  GOOD(MPI_Sendrecv(told, sizeof told, MPI_BYTE, 1 - g_rank, kTag, other, sizeof other, MPI_BYTE, 1 - g_rank, kTag,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  char read = 0;
  const iovec here = {&read, 1};
  const iovec there = {reinterpret_cast<void*>(other[1]), 1};
  int can = ::syscall(SYS_process_vm_readv, static_cast<pid_t>(other[0]), &here, 1, &there, 1, 0) == 1 ? 1 : 0;
  GOOD(MPI_Allreduce(MPI_IN_PLACE, &can, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
  return can != 0;
}

// Of messages both ways at a time each rank tells the other what it has found, once both ways have been tried.
void found() {
  constexpr int kLength = 8192;
  if (!may_read()) return;  // then there is one way only
  std::vector<char> out(kLength, static_cast<char>(g_rank));
  std::vector<char> in(kLength);
  const auto told = [](const Ticket& t) {
    return weft::msg::Found::of(t.from).is_known() && t.answer.load() == static_cast<std::uint32_t>(Answer::kNone) &&
           t.place.is_sound() && t.place.place().bytes == kLength;
  };
  // What tickets there are goes on being used, so some say what was found last.
  for (int turn = 0; turn < 8 * weft::msg::Costs::kTries; ++turn) {
    GOOD(MPI_Sendrecv(out.data(), kLength, MPI_CHAR, 1 - g_rank, kTag, in.data(), kLength, MPI_CHAR, 1 - g_rank, kTag,
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK(in[0] == 1 - g_rank && in[kLength - 1] == 1 - g_rank);
  }
  (void)ticket_that(told);
}

// In blocks, whose sender tells which they are; it writes over that before they are received.
void in_blocks() {
  constexpr int kBlock = kBytes / kBlocks;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  GOOD(MPI_Type_vector(kBlocks, kBlock, 2 * kBlock, MPI_CHAR, &type));
  GOOD(MPI_Type_commit(&type));
  std::vector<char> data(std::size_t{2} * kBytes, static_cast<char>(g_rank));
  if (g_rank == 0) {
    MPI_Request request = MPI_REQUEST_NULL;
    GOOD(MPI_Isend(data.data(), 1, type, 1, kTag, MPI_COMM_WORLD, &request));
    Ticket& ticket = ticket_that([&](const Ticket& t) {
      return t.place.place().address == reinterpret_cast<std::uint64_t>(data.data()) && t.n_ranges == kBlocks;
    });
    if (g_what == "blocks") {
      struct List {
        weft::reach::Range ranges[kBlocks];
      };
      List& list = one_that<List>([&](const List& l) {
        const auto* const last = &l.ranges[kBlocks - 1];
        return l.ranges[0].bytes == kBlock && last->offset == (kBlocks - 1) * 2ULL * kBlock && last->bytes == kBlock;
      });
      list.ranges[1].offset -= 8;
    }
    if (g_what == "whole") ticket.n_ranges = ticket.packs = 0;
    GOOD(MPI_Send(nullptr, 0, MPI_CHAR, 1, kTag + 1, MPI_COMM_WORLD));
    GOOD(MPI_Wait(&request, MPI_STATUS_IGNORE));
  } else {
    GOOD(MPI_Recv(nullptr, 0, MPI_CHAR, 0, kTag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    GOOD(MPI_Recv(data.data(), kBytes, MPI_CHAR, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  }
  GOOD(MPI_Type_free(&type));
}

// How far the two are: what the receiver has done to the ticket, that the sender waits for.
enum Far : int { kNotYet, kWrittenOver, kReceived };
std::atomic<int>* g_far = nullptr;
std::uint64_t g_address = 0;  // of the sender's data

void write_over(Ticket& ticket) {
  const auto claims = [&](std::uint64_t receivers, std::uint64_t senders) {
    ticket.claims.store(receivers | senders << 32);
  };
  // The receiver has taken the first half, and reads it.
  if (g_what == "nobody") claims(40, kPieces - 40);
  if (g_what == "less") claims(16, 0);
  if (g_what == "written") {
    claims(32, 32);
    ticket.written.store(33);
  }
  if (g_what == "place") {
    std::memset(static_cast<void*>(&ticket.place), 0x20, sizeof ticket.place);
    claims(16, kPieces - 16);
    ticket.written.store(std::uint64_t{1} << 63);  // so that it is read once more
  }
  if (g_what == "target") {
    std::memset(static_cast<void*>(&ticket.target), 0x20, sizeof ticket.target / 2);
    g_far->store(kWrittenOver);
    for (;;) ::sched_yield();  // until the sender has ended the job
  }
}

void under_way() {
  MPI_Win window = MPI_WIN_NULL;
  MPI_Aint size = 0;
  int unit = 0;
  GOOD(MPI_Win_allocate_shared(sizeof *g_far, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &g_far, &window));
  GOOD(MPI_Win_shared_query(window, 0, &size, &unit, &g_far));
  std::vector<char> data(kBytes, static_cast<char>(g_rank));
  auto address = reinterpret_cast<std::uint64_t>(data.data());
  if (g_rank == 0) {
    MPI_Request request = MPI_REQUEST_NULL;
    g_far->store(kNotYet);
    GOOD(MPI_Send(&address, sizeof address, MPI_BYTE, 1, kTag, MPI_COMM_WORLD));
    GOOD(MPI_Isend(data.data(), kBytes, MPI_BYTE, 1, kTag, MPI_COMM_WORLD, &request));
    while (g_far->load() == kNotYet) ::sched_yield();
    GOOD(MPI_Wait(&request, MPI_STATUS_IGNORE));
  } else {
    GOOD(MPI_Recv(&address, sizeof address, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    g_address = address;
    GOOD(MPI_Recv(data.data(), kBytes, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    g_far->store(kReceived);
  }
  GOOD(MPI_Win_free(&window));
}

}  // namespace

// The call of the system stands here. At its first large piece the ticket is written over.
extern "C" ssize_t process_vm_readv(pid_t pid, const struct iovec* ours, unsigned long n_ours,
                                    const struct iovec* theirs, unsigned long n_theirs, unsigned long flags) {
  const ssize_t came = ::syscall(SYS_process_vm_readv, pid, ours, n_ours, theirs, n_theirs, flags);
  if (came < 0 && (errno == EPERM || errno == ENOSYS)) {
    const int why = errno;
    std::printf("nobody may read here\n");
    errno = why;
  }
  if (came > 64 && g_address != 0) {
    const std::uint64_t address = std::exchange(g_address, 0);
    write_over(ticket_that([&](const Ticket& t) {
      // The place is told in the head too, wherever that lies.
      return t.place.place().address == address && t.place.place().bytes == kBytes && t.place.is_sound() &&
             t.answer.load() == static_cast<std::uint32_t>(Answer::kTogether);
    }));
  }
  return came;
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  g_what = argv[1];
  begin();
  GOOD(MPI_Comm_rank(MPI_COMM_WORLD, &g_rank));
  if (g_what == "round") {
    round_the_stage();
  } else if (g_what == "unasked") {
    GOOD(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    unasked();
  } else if (g_what == "found") {
    found();
  } else if (g_what == "blocks" || g_what == "whole") {
    in_blocks();
  } else {
    under_way();
  }
  return end();
}
