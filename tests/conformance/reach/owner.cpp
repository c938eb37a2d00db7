#include "owner.hpp"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <new>

#include "fake_knem.hpp"

namespace weft::reach::test {

// At the end of the file, behind the arena.
struct Owner::Common {
  Card card;
  Place place;
  alignas(64) std::byte self[sizeof(Self)];  // so that its probe is in the file
};

Systems substitutes() {
  static const bool made = (make_knem(), true);
  (void)made;
  Systems systems;
  systems.xpmem_device = "/dev/null";
  systems.xpmem_library = WEFT_TEST_FAKE_XPMEM;
  systems.knem_device = "/dev/null";
  systems.knem_control = control_knem;
  return systems;
}

base::SingleCopy only(Way way) {
  switch (way) {
    case Way::kXpmem: return base::SingleCopy::kXpmem;
    case Way::kCma: return base::SingleCopy::kCma;
    case Way::kKnem: return base::SingleCopy::kKnem;
  }
  return base::SingleCopy::kNone;
}

std::byte pattern(std::uint64_t offset) { return static_cast<std::byte>((offset * 31 + offset / 251) & 0xff); }

Owner::Owner(base::SingleCopy choice) {
  (void)substitutes();
  const std::size_t bytes = kArena + sizeof(Common);
  file_ = ::memfd_create("reach", MFD_CLOEXEC);
  void* at = MAP_FAILED;
  if (file_ >= 0 && ::ftruncate(file_, static_cast<off_t>(bytes)) == 0 &&
      ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socket_) == 0) {
    at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  }
  if (at == MAP_FAILED) std::abort();
  arena_ = static_cast<std::byte*>(at);
  common_ = new (arena_ + kArena) Common{};
  for (std::size_t k = 0; k < kArena; ++k) arena_[k] = pattern(k);
  child_ = std::make_unique<weft::test::Child>(weft::test::Child::start([&] { serve(choice); }));
  char ready = 0;
  if (::read(socket_[0], &ready, 1) != 1) std::abort();
}

Owner::~Owner() {
  child_.reset();
  (void)::munmap(arena_, kArena + sizeof(Common));
  for (const int fd : {file_, socket_[0], socket_[1]}) (void)::close(fd);
}

void Owner::serve(base::SingleCopy choice) {
  (void)::close(socket_[0]);
  // Another address than the test's, where an access by mistake would find the right bytes.
  const std::size_t bytes = kArena + sizeof(Common);
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (at == MAP_FAILED || ::munmap(arena_, bytes) != 0) ::_exit(2);
  auto* arena = static_cast<std::byte*>(at);
  auto* common = std::launder(reinterpret_cast<Common*>(arena + kArena));
  auto* self = new (common->self) Self;
  self->open(choice, 0, substitutes());
  common->place = self->show(arena, kArena, true);
  self->show(&common->card);
  char answer = 1;
  while (::write(socket_[1], &answer, 1) == 1) {
    Ask what{};
    if (::read(socket_[1], &what, 1) != 1) break;
    answer = 1;
    switch (what) {
      case Ask::kUnmapSecondHalf: answer = ::munmap(arena + kArena / 2, kArena / 2) == 0; break;
      case Ask::kForbidWriting:
        answer = ::mprotect(arena, kArena, PROT_READ) == 0;
        common->place = self->show(arena, kArena, false);
        break;
      case Ask::kCheck:
        for (std::size_t k = 0; k < kArena; ++k) answer = answer != 0 && arena[k] == pattern(k);
        break;
      case Ask::kExit: ::_exit(0);
    }
  }
  ::_exit(0);
}

bool Owner::ask(Ask what) {
  char answer = 0;
  return ::write(socket_[0], &what, 1) == 1 && ::read(socket_[0], &answer, 1) == 1 && answer == 1;
}

const Card& Owner::card() const { return common_->card; }
Place Owner::place() const { return common_->place; }

void Owner::end() {
  const Ask exit = Ask::kExit;
  if (::write(socket_[0], &exit, 1) == 1) (void)child_->wait();
}

}  // namespace weft::reach::test
