#include "dsm/notes.hpp"

#include <unistd.h>

#include "dsm/questions.hpp"
#include "dsm/waits.hpp"

namespace weft::dsm {
namespace {

struct For {
  std::uintptr_t at = 0;           // of an access; 0: there is none
  std::uintptr_t instruction = 0;  // that made it
  bool beside = false;
};
[[gnu::tls_model("initial-exec")]] constinit thread_local For t_for;

// Of an access the very address, not only its page's.
std::uint64_t address_told(const About& about) noexcept {
  const std::uint64_t of_access = t_for.at == 0 ? kNowhere : offset_in_range(t_for.at, 1);
  if (about.offset != kNowhere && of_access != kNowhere && of_access / kPageBytes == about.offset / kPageBytes) {
    return t_for.at;
  }
  return about.offset == kNowhere ? 0 : address_of(about.offset);
}

job::PagesTold told(int pe, const About& about) noexcept {
  return {.what = about.what, .pe = pe, .address = address_told(about)};
}

}  // namespace

std::uintptr_t address_of(std::uint64_t offset) noexcept {
  for (int k = 0; k < g.n_windows; ++k) {
    const Window& window = g.windows[k];
    if (offset >= window.offset && offset - window.offset < window.bytes) {
      return window.at + (offset - window.offset);
    }
  }
  return g.base + offset;
}

ForAccess::ForAccess(std::uintptr_t at, std::uintptr_t instruction) noexcept
    : at_before_(t_for.at), instruction_before_(t_for.instruction) {
  t_for.at = at;
  t_for.instruction = instruction;
}

ForAccess::~ForAccess() {
  t_for.at = at_before_;
  t_for.instruction = instruction_before_;
}

void goes_on_beside() noexcept { t_for.beside = true; }
bool is_beside() noexcept { return t_for.beside; }

int PagesNote::begin(std::uint64_t /*detail*/) const noexcept {
  using boot::PagesFor;
  const PagesFor whose = t_for.beside ? PagesFor::kBeside : t_for.at != 0 ? PagesFor::kAccess : PagesFor::kCall;
  // One behind the instruction, as what a call returns to is behind the call.
  const void* const site = t_for.at != 0 ? reinterpret_cast<const void*>(t_for.instruction + 1) : nullptr;
  const int place = job::begin_wait(
      {.why = boot::Waiting::kPages, .compare = static_cast<std::uint32_t>(whose), .start = ::gettid(), .site = site});
  looked(place, 0);
  return place;
}

// Of several questions another one may be the last that is open.
void PagesNote::looked(int place, std::uint64_t /*waited_ns*/) const noexcept {
  if (left_ == nullptr) {
    job::note_pages(place, told(pe_, about_));
  } else if (const transport::Questions::Open open = open_question(*left_); open.pe >= 0) {
    job::note_pages(place, told(open.pe, about_of(open.about)));
  }
  job::looked_in_vain(place);
}

void PagesNote::end(int place) const noexcept { job::end_wait(place); }

}  // namespace weft::dsm
