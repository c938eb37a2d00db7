// Pages that are sent before they are asked for. Who fetches a page again, since its home has announced it, will most
// likely want it when it is announced the next time: so it subscribes, and the home sends the contents with the next
// announcements. Who reads a page by a fault may want it again, and mostly does not where many are read once: such
// subscriptions have a small room of their own, the oldest one makes room for the next, and those of which something
// was used become like the others. Both sides are here, without threads: who uses them sees to that.
//
// What was sent counts as what the acquire would have fetched, under these conditions. A subscription begins with a
// fetch, whose contents have all that this PE has written to the page and sent home before; it ends when this PE writes
// the page or has contents of it that came another way. So what is sent under its number is as new as what is here.
// And it has all that its home has announced of the page as long as no later announcement of the home came without it.
// What a third PE has announced it need not have: who acquires that asks the home as before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <utility>

#include "dsm/protocol/notices.hpp"

namespace weft::dsm::protocol {

constexpr std::uint32_t end_of(Run run) noexcept {
  return run.pages > UINT32_MAX - run.first ? UINT32_MAX : run.first + run.pages;
}

/// Of a home: who wants which pages with their announcements. By PE and page.
class Subscribers {
 public:
  /// So often a page is sent; then who still wants it asks again, and subscribes.
  static constexpr std::uint8_t kPushes = 16;
  static constexpr std::size_t kMost = 16384;

  /// Behind the fetch, whose contents it has. Where there is no room the oldest one ends: who reads does not say that
  /// he has forgotten a page before he is sent it.
  void add(int pe, std::uint32_t first, std::uint32_t pages, std::uint64_t number) {
    for (std::uint32_t page = first; page < end_of({first, pages}); ++page) {
      if (const auto at = all_.find(key(pe, page)); at != all_.end()) {
        erase(at);
      } else if (all_.size() == kMost) {
        erase(all_.find(by_age_.begin()->second));
      }
      by_age_[++added_] = key(pe, page);
      all_[key(pe, page)] = {number, compared_, added_, kPushes};
    }
  }
  /// The home begins to compare its pages with their twins, which are then what is announced.
  void begin_comparing() { ++compared_; }
  /// Of a run that is announced: calls push(page, number, by_twin) for what the PE wants of it. False: not now.
  /// `by_twin`: it subscribed before the last comparisons began, so a twin has all that it has fetched.
  template <class Push>
  void each(int pe, Run run, Push&& push) {
    const auto end = all_.lower_bound(key(pe, end_of(run)));
    for (auto at = all_.lower_bound(key(pe, run.first)); at != end;) {
      const Wanted& wanted = at->second;
      const bool pushed = push(static_cast<std::uint32_t>(at->first), wanted.number, wanted.since < compared_);
      at = pushed && --at->second.left == 0 ? erase(at) : std::next(at);
    }
  }
  void forget(int pe, Run run) {
    const auto end = all_.lower_bound(key(pe, end_of(run)));
    for (auto at = all_.lower_bound(key(pe, run.first)); at != end;) {
      at = erase(at);
    }
  }
  /// The PE has not wanted what it was sent under that number; it may have subscribed anew.
  void refused(int pe, std::uint32_t page, std::uint64_t number) {
    if (const auto at = all_.find(key(pe, page)); at != all_.end() && at->second.number == number) {
      erase(at);
    }
  }
  bool empty() const noexcept { return all_.empty(); }

 private:
  struct Wanted {
    std::uint64_t number;
    std::uint64_t since;  // how often the home had begun to compare
    std::uint64_t age;    // its place in by_age_
    std::uint8_t left;
  };
  using All = std::map<std::uint64_t, Wanted>;
  All::iterator erase(All::iterator at) {
    by_age_.erase(at->second.age);
    return all_.erase(at);
  }
  static constexpr std::uint64_t key(int pe, std::uint32_t page) noexcept {
    return static_cast<std::uint64_t>(pe) << 32 | page;
  }
  All all_;
  std::map<std::uint64_t, std::uint64_t> by_age_;  // keys, the oldest one first
  std::uint64_t added_ = 0;
  std::uint64_t compared_ = 0;
};

/// Of who reads: what has been sent, and is not used yet.
template <std::size_t kBytes>
class Pushes {
 public:
  static constexpr std::size_t kMost = 4096;
  /// Of those by faults, besides.
  static constexpr std::size_t kMostByFault = 256;
  using Contents = std::array<std::byte, kBytes>;

  /// Before the pages are fetched: the number of the subscription; 0: there is none, as there is no room.
  std::uint64_t subscribe(std::uint32_t first, std::uint32_t pages) {
    forget({first, pages});
    if (all_.size() - by_fault_.size() + pages > kMost) {
      return 0;
    }
    ++number_;
    for (std::uint32_t page = first; page < first + pages; ++page) {
      all_[page].number = number_;
    }
    return number_;
  }
  /// The same of a page that may not be wanted again.
  std::uint64_t subscribe_by_fault(std::uint32_t page) {
    forget({page, 1});
    if (by_fault_.size() == kMostByFault) {
      forget({by_fault_.begin()->second, 1});
    }
    all_[page].number = ++number_;
    by_fault_[number_] = page;
    return number_;
  }
  void forget(Run run) {
    const auto end = all_.lower_bound(end_of(run));
    for (auto at = all_.lower_bound(run.first); at != end; at = all_.erase(at)) {
      by_fault_.erase(at->second.number);
    }
  }

  /// The PE has announced these pages, for the round-th time that it announces anything: what it has sent of them with
  /// earlier ones is old. Before who acquires can see the announcement.
  void announced(int pe, Run run, std::uint64_t round) {
    const auto end = all_.lower_bound(end_of(run));
    for (auto at = all_.lower_bound(run.first); at != end; ++at) {
      if (at->second.pe == pe && at->second.round < round) {
        at->second.pe = kNobody;
      }
    }
  }
  /// Room for contents that a PE has sent with its round-th announcement. Null: they are not wanted, or there is no
  /// memory.
  std::byte* place(int pe, std::uint32_t page, std::uint64_t number, std::uint64_t round) {
    const auto at = all_.find(page);
    if (at == all_.end() || at->second.number != number) {
      return nullptr;
    }
    Entry& entry = at->second;
    if (entry.contents == nullptr) {
      entry.contents.reset(new (std::nothrow) Contents);
    }
    entry.pe = entry.contents == nullptr ? kNobody : pe;
    entry.round = round;
    return entry.contents == nullptr ? nullptr : entry.contents->data();
  }
  /// The contents as that PE, which is the page's home, has announced them last, to be used; they stay. Null: it has
  /// not sent them.
  const std::byte* find(int pe, std::uint32_t page) {
    const auto at = all_.find(page);
    if (at == all_.end() || at->second.pe != pe) {
      return nullptr;
    }
    if (all_.size() - by_fault_.size() < kMost) {
      by_fault_.erase(at->second.number);  // it is wanted again
    }
    return at->second.contents->data();
  }
  bool empty() const noexcept { return all_.empty(); }

 private:
  static constexpr int kNobody = -1;
  struct Entry {
    std::uint64_t number = 0;
    std::uint64_t round = 0;
    int pe = kNobody;  // whose contents are here
    std::unique_ptr<Contents> contents;
  };
  std::map<std::uint32_t, Entry> all_;
  std::map<std::uint64_t, std::uint32_t> by_fault_;  // pages by their numbers, the oldest one first
  std::uint64_t number_ = 0;
};

}  // namespace weft::dsm::protocol
