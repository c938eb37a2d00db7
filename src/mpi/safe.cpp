#include "mpi/safe.hpp"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "base/lines.hpp"
#include "mpi/calls.hpp"
#include "mpi/communicators.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/requests.hpp"
#include "os/executable.hpp"
#include "os/where.hpp"
#include "type/elements.hpp"

namespace weft::mpi {
namespace {

bool g_goes_on = false;

struct Book {
  std::mutex mutex;
  std::map<std::pair<HandleKind, Number>, job::Entered> made;
};
Book& book() noexcept {
  static Book& only = *new Book;
  return only;
}

// "in main at solver.c:88", or the address.
struct Place {
  explicit Place(const void* site) noexcept {
    char found[200];
    const auto at = reinterpret_cast<std::uintptr_t>(site);
    if (at != 0 && os::tell_place(at, found, sizeof found)) {
      (void)std::snprintf(text, sizeof text, "in %s", found);
    } else {
      (void)std::snprintf(text, sizeof text, "at %p", site);
    }
  }
  char text[220];
};

const char* name_of(job::CallNumber call) noexcept { return api::mpi::call_name(static_cast<api::mpi::Call>(call)); }

// What this call returns to; where a tool stands between, it knows better than the call.
job::Entered this_call() noexcept { return {job::t_entered.call, job::site_in_program()}; }

constexpr std::uint64_t kFirstSum = 0xcbf29ce484222325;
constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;

std::uint64_t sum_of_piece(const std::byte* at, std::size_t bytes, std::uint64_t sum) noexcept {
  for (; bytes >= sizeof sum; at += sizeof sum, bytes -= sizeof sum) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    sum = (sum ^ word) * kStep;
    sum ^= sum >> 29;
  }
  for (; bytes > 0; ++at, --bytes) {
    sum = (sum ^ static_cast<std::uint64_t>(*at)) * kStep;
  }
  return sum;
}

std::uint64_t sum_of(const msg::Data& data) noexcept {
  if (data.layout == nullptr) {
    return sum_of_piece(static_cast<const std::byte*>(data.at), static_cast<std::size_t>(data.bytes), kFirstSum);
  }
  std::array<std::byte, 4096> piece;
  std::uint64_t sum = kFirstSum;
  for (std::uint64_t done = 0; done < data.bytes;) {
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), data.bytes - done));
    data.layout->pack(data.at, done, piece.data(), bytes);
    sum = sum_of_piece(piece.data(), bytes, sum);
    done += bytes;
  }
  return sum;
}

// The message of it that sends; null: none does.
const msg::Request* sending(const Request& request) noexcept {
  if (request.nobody) {
    return nullptr;
  }
  return request.does == Request::Does::kSend   ? &request.message
         : request.does == Request::Does::kBoth ? &request.other->message
                                                : nullptr;
}

}  // namespace

void begin_checks(const base::Options& options) noexcept {
  g_checks = options.debug.check;
  g_goes_on = options.debug.carry_on;
  if (g_checks) {
    (void)os::find_where();
  }
}

void report(const char* format, ...) noexcept {
  char text[800];
  va_list args;
  va_start(args, format);
  (void)std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (!g_goes_on) {
    base::fail(job::current_call(), "%s", text);
  }
  base::say(job::current_call(), "%s (called %s)", text, Place(this_call().site).text);
}

std::uint64_t sum_of_bytes(const void* at, std::size_t bytes) noexcept {
  return sum_of_piece(static_cast<const std::byte*>(at), bytes, kFirstSum) | 1;
}

std::uint64_t told_site() noexcept {
  const auto site = reinterpret_cast<std::uintptr_t>(job::site_in_program());
  const os::Executable program = os::find_executable();
  return site >= program.bias && site < program.highest ? site - program.bias : 0;
}

ToldPlace::ToldPlace(std::uint64_t site) noexcept {
  char found[200];
  if (site != 0 && os::tell_place(os::find_executable().bias + site, found, sizeof found)) {
    (void)std::snprintf(text, sizeof text, " in %s", found);
  }
}

std::uint32_t signature_of_row(const type::Datatype& type, MPI_Count count) noexcept {
  return type.signature().repeated(count).brief();
}

void check_types(const type::Datatype& type, const msg::Status& received) noexcept {
  if (received.signature == 0 || received.cancelled || received.fault != msg::Fault::kNone || type.signature().any) {
    return;
  }
  // None: the message ends within an element, which no message of these types does.
  const auto expected = type::signature_of(type, static_cast<std::int64_t>(received.bytes));
  if (!expected || expected->brief() != received.signature) {
    report(
        "the message of rank %d with tag %d, %llu bytes, was sent as other datatypes than it is received as; the "
        "datatypes of a send and its receive have the same basic ones in the same order",
        received.source, received.tag, static_cast<unsigned long long>(received.bytes));
  }
}

void note_sends(Request& request, const msg::Data& data) noexcept {
  if (sending(request) != nullptr) {
    request.started.reset(new (std::nothrow) StartedSend{this_call(), sum_of(data)});
  }
}

void check_completed(const Request& request) noexcept {
  const bool receives = request.does == Request::Does::kReceive || request.does == Request::Does::kBoth;
  if (receives && !request.nobody) {
    check_types(*request.type, request.message.status);
  }
  const msg::Request* const message = sending(request);
  if (message == nullptr || request.started == nullptr || message->status.cancelled ||
      sum_of(message->data) == request.started->sum) {
    return;
  }
  report(
      "the memory of the message of %llu bytes with tag %d that %s sends was written before the send was complete "
      "(it was started %s); until then it belongs to the request",
      static_cast<unsigned long long>(message->data.bytes), message->tag, name_of(request.started->by.call),
      Place(request.started->by.site).text);
}

void note_made(HandleKind kind, Number number) noexcept {
  const std::scoped_lock lock(book().mutex);
  book().made[{kind, number}] = this_call();
}

void tell_of_leftovers() noexcept {
  std::map<std::pair<job::CallNumber, const void*>, std::pair<HandleKind, int>> left;
  {
    const std::scoped_lock lock(book().mutex);
    for (const auto& [handle, by] : book().made) {
      const bool told = handle.first == HandleKind::kRequest || handle.first == HandleKind::kDatatype ||
                        handle.first == HandleKind::kComm || handle.first == HandleKind::kWin;
      if (told && find_object(handle.first, handle.second) != nullptr) {
        auto& tally = left[{by.call, by.site}];
        tally = {handle.first, tally.second + 1};
      }
    }
  }
  for (const auto& [by, tally] : left) {
    const bool is_request = tally.first == HandleKind::kRequest;
    const char* const what = is_request                         ? "request"
                             : tally.first == HandleKind::kComm ? "communicator"
                             : tally.first == HandleKind::kWin  ? "window"
                                                                : "datatype";
    base::say(job::current_call(), "note: %d %s%s that %s made %s %s never %s", tally.second, what,
              tally.second == 1 ? "" : "s", name_of(by.first), Place(by.second).text,
              tally.second == 1 ? "was" : "were", is_request ? "completed or freed" : "freed");
  }
}

}  // namespace weft::mpi
