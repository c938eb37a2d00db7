#include "dsm/batch.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "dsm/counts.hpp"
#include "dsm/notes.hpp"
#include "dsm/owed.hpp"
#include "dsm/questions.hpp"
#include "job/node.hpp"

namespace weft::dsm {
namespace {

// Pages in a row that are at home at one PE of this node, as long as they have no memory here. How many came. One alone
// takes no less than where it is stored to (record 0181).
std::uint32_t make_pages(std::uint32_t first, std::uint32_t most) noexcept {
  const int home = known_home(first);
  const Part* const there = part_of(home);
  if (most < 2 || there == nullptr || !page_maker().is_open()) {
    return 0;
  }
  std::uint32_t held = 0;
  while (held < std::min(most, kPagesOfMessage) && known_home(first + held) == home &&
         there->places.change(first + held, &Place::enter)) {
    there->marks.set(first + held++);
  }
  const std::size_t at = std::size_t{first} * kPageBytes;
  const auto came = static_cast<std::uint32_t>(
      page_maker().make(at, there->contents + at, std::size_t{held} * kPageBytes) / kPageBytes);
  for (std::uint32_t k = 0; k < held; ++k) {
    there->places.change(first + k, &Place::leave);
  }
  if (came > 0) {
    note_fetched(home, first, came);
  }
  return came;
}

}  // namespace

Batch::~Batch() { wait(); }

// Of those that are asked for together, what becomes of the ones behind so many.
Batch::Next Batch::next_behind(std::uint32_t pages, Next next) noexcept {
  return next == Next::kFirstPushed && pages > 0 ? Next::kAsked : next;
}

void Batch::fetch(std::uint32_t first, std::uint32_t pages, std::byte* into, Next next, bool is_new) noexcept {
  for (std::uint32_t k = 0; k < pages;) {
    const std::uint32_t page = first + k;
    if (const std::uint32_t made = is_new ? make_pages(page, pages - k) : 0; made > 0) {
      k += made;
      continue;
    }
    is_new = false;  // where one has memory already those behind it likely have, and each is tried with 63 more
    std::byte* const to = into + std::size_t{k} * kPageBytes;
    const int home = visit(page, [&](const Part& there, int pe) noexcept {
      there.marks.set(page);
      copy_words(to, there.contents + std::size_t{page} * kPageBytes, kPageBytes);
      note_fetched(pe, page, 1);
    });
    std::uint32_t run = 1;
    if (home >= 0) {
      while (k + run < pages && run < kPagesOfMessage && known_home(page + run) == home) {
        ++run;
      }
      ask_for(home, page, run, to, next_behind(k, next));
    }
    k += run;
  }
}

void Batch::ask_for(int pe, std::uint32_t first, std::uint32_t pages, std::byte* into, Next next) noexcept {
  wanted_.push_back({first, pages, into, next});
  left_.fetch_add(1, std::memory_order_relaxed);
  Question question{};
  question.first = first;
  question.count = pages;
  const std::uint32_t pushed = next == Next::kPushed ? pages : next == Next::kFirstPushed ? 1 : 0;
  if (pushed > 0) {
    question.a = next == Next::kPushed ? subscribe(first, pushed) : subscribe_by_fault(first);
    question.b = pushed;
  }
  if (pushed < pages) {
    unsubscribe(first + pushed, pages - pushed);
  }
  ask(pe, kFetch, question, {}, {into, std::uint64_t{pages} * kPageBytes, &wanted_.back().reply}, left_, pending_);
  note_fetched(pe, first, pages);
}

// False: all have come. Else those from some page on have not, and the first of these have gone to one PE, or are on
// their way.
bool Batch::go_on(const Wanted& wanted) noexcept {
  const auto came = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted.reply.a, wanted.pages));
  if (came == wanted.pages) {
    return false;
  }
  const auto gone = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(std::max<std::uint64_t>(wanted.reply.b >> 16, 1), wanted.pages - came));
  for (std::uint32_t k = 0; k < gone; ++k) {
    learn_home(wanted.first + came + k, static_cast<std::uint16_t>(wanted.reply.b));
  }
  fetch(wanted.first + came, wanted.pages - came, wanted.into + std::size_t{came} * kPageBytes,
        next_behind(came, wanted.next));
  return true;
}

void Batch::diff(std::uint32_t page, const std::byte* from, const Changes& changes) noexcept {
  const int home = visit(
      page,
      [&](const Part& there, int pe) noexcept {
        apply(there.contents + std::size_t{page} * kPageBytes, from, changes);
        note_sent(pe, page, changes);
      },
      true);
  if (home >= 0) {
    std::byte coded[kMostDiffBytes];
    pack(home, page, {coded, encode(from, changes, coded)});
    note_sent(home, page, changes);
  }
}

void Batch::pack(int pe, std::uint32_t page, std::span<const std::byte> coded) noexcept {
  const std::size_t bytes = sizeof page + coded.size();
  const auto open = std::find_if(parcels_.rbegin(), parcels_.rend(), [&](const Parcel& each) {
    return each.pe == pe && each.gone.empty() && each.data.size() + bytes <= kParcelBytes;
  });
  if (open == parcels_.rend()) {
    send_full(pe);
  }
  Parcel& parcel = open != parcels_.rend() ? *open : parcels_.emplace_back(Parcel{pe});
  if (parcel.pages++ == 0) {
    parcel.data.reserve(kParcelBytes);
  }
  const auto* const number = reinterpret_cast<const std::byte*>(&page);
  parcel.data.insert(parcel.data.end(), number, number + sizeof page);
  parcel.data.insert(parcel.data.end(), coded.begin(), coded.end());
}

// So that it is on its way, and made use of there, while the next one fills.
void Batch::send_full(int pe) noexcept {
  bool sent = false;
  for (Parcel& each : parcels_) {
    if (each.pe == pe && each.gone.empty()) {
      send(each);
      sent = true;
    }
  }
  if (sent) {
    look_at_network();
  }
}

void Batch::send(Parcel& parcel) noexcept {
  left_.fetch_add(1, std::memory_order_relaxed);
  parcel.gone.resize(parcel.pages);
  Question question{};
  std::memcpy(&question.first, parcel.data.data(), sizeof question.first);  // for people
  question.count = parcel.pages;
  ask(parcel.pe, kDiff, question, {parcel.data.data(), parcel.data.size()},
      {reinterpret_cast<std::byte*>(parcel.gone.data()), parcel.pages * sizeof(std::uint16_t), &parcel.reply}, left_,
      pending_);
}

// False: all changes are where they belong. Else some pages have gone, or are on their way.
bool Batch::go_on(const Parcel& parcel) noexcept {
  if (parcel.reply.a == 0) {
    return false;
  }
  std::span<const std::byte> data(parcel.data);
  for (std::uint32_t k = 0; k < parcel.pages; ++k) {
    std::uint32_t page = 0;
    std::memcpy(&page, data.data(), sizeof page);
    const std::size_t bytes = length_of_coded(data.subspan(sizeof page));
    const std::span<const std::byte> coded = data.subspan(sizeof page, bytes);
    data = data.subspan(sizeof page + bytes);
    if (parcel.gone[k] == 0) {
      continue;
    }
    learn_home(page, parcel.gone[k]);
    const int home = visit(
        page,
        [&](const Part& there, int /*pe*/) noexcept {
          apply_coded(there.contents + std::size_t{page} * kPageBytes, coded);
        },
        true);
    if (home >= 0) {
      pack(home, page, coded);
    }
  }
  return true;
}

// False: it has gone, or goes.
bool Batch::put_page(const ToPush& page, Sent& sent, Pushed& into) noexcept {
  const Part& own = *part_of(g.me);
  if (!own.places.change(page.page, &Place::enter)) {
    return false;
  }
  const std::byte* from = sent.announced(page.page, page.by_twin);
  if (from == nullptr) {
    // As what is fetched: whatever is written behind that is announced.
    own.marks.set(page.page);
    from = own.contents + std::size_t{page.page} * kPageBytes;
  }
  into.contents.resize(into.contents.size() + kPageBytes);
  copy_words(into.contents.data() + into.contents.size() - kPageBytes, from, kPageBytes);
  own.places.change(page.page, &Place::leave);
  return true;
}

void Batch::push(int pe, std::span<const Run> runs, std::uint64_t round, Sent& sent) noexcept {
  std::vector<ToPush> wanted;
  find_subscribed(pe, runs, &wanted);
  for (std::size_t begin = 0, end = 0; begin < wanted.size(); begin = end) {
    Pushed& message = pushed_.emplace_back(Pushed{pe, wanted[begin]});
    for (end = begin;
         end < wanted.size() && end - begin < kPagesOfMessage && wanted[end].number == wanted[begin].number &&
         wanted[end].page - wanted[begin].page == end - begin && put_page(wanted[end], sent, message);
         ++end) {
    }
    if (end == begin) {
      ++end;
      pushed_.pop_back();
      continue;
    }
    left_.fetch_add(1, std::memory_order_relaxed);
    Question question{};
    question.first = wanted[begin].page;
    question.count = static_cast<std::uint32_t>(end - begin);
    question.a = wanted[begin].number;
    question.b = round;
    ask(pe, kPush, question, {message.contents.data(), message.contents.size()}, {nullptr, 0, &message.reply}, left_,
        pending_);
  }
}

// What the other one has answered.
void Batch::note_refused(const Pushed& pushed) noexcept {
  for (std::uint64_t left = pushed.reply.a; left != 0; left &= left - 1) {
    const auto k = static_cast<std::uint32_t>(std::countr_zero(left));
    if (k < pushed.contents.size() / kPageBytes) {
      dsm::note_refused(pushed.pe, {pushed.first.page + k, pushed.first.number});
    }
  }
}

void Batch::announce(const std::vector<Run>& runs, std::uint64_t round, int owed_to, Batch& pushes,
                     Sent& sent) noexcept {
  static_assert(sizeof(Run) == sizeof(std::uint64_t));
  runs_.resize(runs.size());
  std::memcpy(runs_.data(), runs.data(), runs.size() * sizeof(Run));
  for (int pe = 0; pe < g.n_pes; ++pe) {
    if (job::g_node.here(pe) >= 0) {
      continue;
    }
    pushes.push(pe, runs, round, sent);
    if (is_owed_to(owed_to, pe)) {
      continue;
    }
    for (std::size_t at = 0; at < runs_.size(); at += kRunsOfMessage) {
      left_.fetch_add(1, std::memory_order_relaxed);
      const std::size_t now = std::min(kRunsOfMessage, runs_.size() - at);
      Question question{};
      question.first = runs[at].first;  // for people
      question.b = round;
      ask(pe, kNotices, question, {runs_.data() + at, now * sizeof(std::uint64_t)}, {}, left_, pending_);
    }
  }
}

void Batch::take(int pe, std::uint32_t first, std::uint32_t pages, std::byte* into, transport::Reply* given) noexcept {
  left_.fetch_add(1, std::memory_order_relaxed);
  Question question{};
  question.first = first;
  question.count = pages;
  ask(pe, kTake, question, {}, {into, std::uint64_t{pages} * kPageBytes, given}, left_, pending_);
}

void Batch::wait() noexcept {
  // Mostly all homes are on this node.
  const bool asked =
      !wanted_.empty() || !parcels_.empty() || !pushed_.empty() || left_.load(std::memory_order_acquire) != 0;
  for (bool again = asked || !pending_.done(); again;) {
    for (Parcel& parcel : parcels_) {
      if (parcel.gone.empty()) {
        send(parcel);
      }
    }
    // Acquire: pairs with answered().
    if (left_.load(std::memory_order_acquire) != 0 || !pending_.done()) {
      wait_until([&] { return left_.load(std::memory_order_acquire) == 0 && pending_.done(); }, PagesNote(left_));
    }
    const std::list<Wanted> wanted = std::exchange(wanted_, {});
    const std::list<Parcel> parcels = std::exchange(parcels_, {});
    for (const Pushed& each : std::exchange(pushed_, {})) {
      note_refused(each);
    }
    again = false;
    for (const Wanted& each : wanted) {
      again = go_on(each) || again;
    }
    for (const Parcel& each : parcels) {
      again = go_on(each) || again;
    }
  }
}

}  // namespace weft::dsm
