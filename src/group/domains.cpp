#include "group/domains.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "job/node.hpp"

namespace weft::group {
namespace {

struct Free {
  void operator()(void* memory) const noexcept { std::free(memory); }
};

template <class T>
using Room = std::unique_ptr<T[], Free>;

template <class T>
Room<T> room_for(std::size_t count) noexcept {
  return Room<T>(static_cast<T*>(std::calloc(count, sizeof(T))));
}

// Seen once to find the domains and whether their members are evenly spaced, and once more for the tables of those
// where they are not. Members side by side on one node are seen together: of 128 PEs a few cards are looked at.
class Division {
 public:
  Division(const Members& members, const boot::PeerCard* cards, int n_nodes) noexcept
      : members_(members), cards_(cards), which_(room_for<int>(static_cast<std::size_t>(n_nodes))) {}

  /// False without memory.
  bool make() noexcept {
    for (int member = 0; which_ != nullptr && member < members_.size;) {
      run_ = run_from(member);
      if (!count_run(member)) {
        return false;
      }
      member += run_;
    }
    return which_ != nullptr && make_tables();
  }

  int count() const noexcept { return count_; }
  const Domain& domain(int k) const noexcept { return domains_[static_cast<std::size_t>(k)]; }
  // The caller's to free from then on.
  Domain* take_domains() noexcept { return domains_.release(); }
  int* take_tables() noexcept { return tables_.release(); }

 private:
  const boot::PeerCard& card(int member) const noexcept { return cards_[members_.pe(member)]; }

  // How many members from this one on are of one node, with all PEs between them. PEs of a node are numbered there in
  // the order of their numbers in the job, so where two are as far apart on the node as in the job, all between them
  // are there too.
  int run_from(int member) const noexcept {
    if (members_.table != nullptr || members_.stride <= 0) {
      return 1;
    }
    const boot::PeerCard& first = card(member);
    const std::int64_t left = members_.size - member;
    const auto holds = [&](std::int64_t count) noexcept {
      const boot::PeerCard& last = card(member + static_cast<int>(count) - 1);
      const std::int64_t distance = (count - 1) * members_.stride;
      return last.node == first.node && std::int64_t{last.local} - std::int64_t{first.local} == distance;
    };
    // As long as the last one, as a rule.
    std::int64_t least = run_ > 1 && run_ <= left && holds(run_) ? run_ : 1;
    std::int64_t more = 1;  // and one more is too long
    while (least + more <= left && holds(least + more)) {
      least += more;
      more *= 2;
    }
    for (more /= 2; more > 0; more /= 2) {
      if (least + more <= left && holds(least + more)) {
        least += more;
      }
    }
    return static_cast<int>(least);
  }

  bool count_run(int member) noexcept {
    if (run_ > 1 && which_[card(member).node] == 0) {
      if (count_ == room_ && !grow()) {
        return false;
      }
      at(count_++) = Domain{member, 1, run_, static_cast<int>(card(member).local), members_.stride};
      which_[card(member).node] = count_;
      return true;
    }
    for (int k = 0; k < run_; ++k) {
      if (!count(member + k)) {
        return false;
      }
    }
    return true;
  }

  bool count(int member) noexcept {
    const int local = static_cast<int>(card(member).local);
    int& which = which_[card(member).node];  // one more than the domain's number; 0 for none
    if (which == 0) {
      if (count_ == room_ && !grow()) {
        return false;
      }
      at(count_++) = Domain{member, 1, 1, local, 1};
      which = count_;
      return true;
    }
    Domain& domain = at(which - 1);
    if (domain.size == 1) {
      domain.step = member - domain.first;
      domain.local_step = local - domain.local;
    } else if (member != domain.first + domain.size * domain.step ||
               local != domain.local + domain.size * domain.local_step) {
      domain.step = 0;  // not evenly spaced: a mark until the tables are made
    }
    ++domain.size;
    return true;
  }

  bool make_tables() noexcept {
    std::size_t rows = 0;
    for (int k = 0; k < count_; ++k) {
      rows += at(k).step == 0 ? static_cast<std::size_t>(at(k).size) : 0;
    }
    if (rows == 0) {
      return true;
    }
    tables_ = room_for<int>(2 * rows);
    if (tables_ == nullptr) {
      return false;
    }
    int* const tables = tables_.get();
    int* next = tables;
    for (int k = 0; k < count_; ++k) {
      Domain& domain = at(k);
      if (domain.step == 0) {
        domain.members = next;
        domain.locals = next + domain.size;
        next += 2 * domain.size;
        domain.size = 0;  // counted again as the tables fill
      }
    }
    for (int member = 0; member < members_.size; ++member) {
      Domain& domain = at(which_[card(member).node] - 1);
      if (domain.members != nullptr) {
        tables[domain.members - tables + domain.size] = member;
        tables[domain.locals - tables + domain.size] = static_cast<int>(card(member).local);
        ++domain.size;
      }
    }
    return true;
  }

  bool grow() noexcept {
    room_ = room_ == 0 ? 8 : 2 * room_;
    void* more = std::realloc(domains_.get(), static_cast<std::size_t>(room_) * sizeof(Domain));
    if (more == nullptr) {
      return false;
    }
    (void)domains_.release();
    domains_.reset(static_cast<Domain*>(more));
    return true;
  }

  Domain& at(int k) noexcept { return domains_[static_cast<std::size_t>(k)]; }

  const Members& members_;
  const boot::PeerCard* cards_;
  Room<int> which_;
  Room<Domain> domains_;
  Room<int> tables_;
  int count_ = 0;
  int room_ = 0;
  int run_ = 1;  // of the members that were counted last
};

bool are_in_order(const Domain* domains, int count) noexcept {
  int next = 0;
  for (int k = 0; k < count; ++k) {
    if (domains[k].first != next || !domains[k].is_run()) {
      return false;
    }
    next += domains[k].size;
  }
  return true;
}

}  // namespace

int Domain::seat(int member) const noexcept {
  if (members == nullptr) {
    return Members{first, step, size}.find(member);
  }
  const int* at = std::lower_bound(members, members + size, member);
  return at == members + size || *at != member ? -1 : static_cast<int>(at - members);
}

int Span::find(int member) const noexcept {
  int domain = 0;
  while (domains[domain].seat(member) < 0) {
    ++domain;
  }
  return domain;
}

bool divide(const Members& members, int me, const boot::PeerCard* cards, int n_nodes, Seats* seats) noexcept {
  Division division(members, cards, n_nodes);
  if (!division.make()) [[unlikely]] {
    return false;
  }
  const int number = members.find(me);
  int mine = 0;
  while (division.domain(mine).seat(number) < 0) {
    ++mine;
  }
  *seats = {division.domain(mine), division.domain(mine).seat(number)};
  if (division.count() == 1) {
    seats->tables = division.take_tables();
    return true;
  }
  auto* const span = new (std::nothrow) Span{.members = members, .mine = mine, .count = division.count()};
  if (span == nullptr) [[unlikely]] {
    return false;
  }
  span->domains = division.take_domains();
  span->tables = division.take_tables();
  span->in_order = are_in_order(span->domains, span->count);
  seats->span = span;
  return true;
}

bool seats_of(const Members& members, Seats* seats) noexcept {
  const job::Node& here = job::node();
  if (here.job->n_nodes > 1) {
    return divide(members, here.me, boot::peer_card(here.job, 0), static_cast<int>(here.job->n_nodes), seats);
  }
  // PEs of a job of one node have the same numbers on the node.
  const int* locals = members.table == nullptr ? nullptr : members.table->pes();
  *seats = {{0, 1, members.size, members.start, members.stride, nullptr, locals}, members.find(here.me)};
  return true;
}

void delete_seats(const Span* span, int* tables) noexcept {
  std::free(tables);
  if (span != nullptr) {
    std::free(span->domains);
    std::free(span->tables);
    delete span;
  }
}

}  // namespace weft::group
