#include "group/domains.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "base/lines.hpp"
#include "job/node.hpp"

namespace weft::group {
namespace {

[[noreturn, gnu::cold]] void fail_for_memory(int members) noexcept {
  base::fail(job::current_call(), "no memory for the list of nodes that %d PEs are on", members);
}

struct Free {
  void operator()(void* memory) const noexcept { std::free(memory); }
};

template <class T>
T* room_for(std::size_t count, int members) noexcept {
  T* room = static_cast<T*>(std::calloc(count, sizeof(T)));
  if (room == nullptr) {
    fail_for_memory(members);
  }
  return room;
}

// Seen once to find the domains and whether their members are evenly spaced, and once more for the tables of those
// where they are not.
class Division {
 public:
  Division(const Members& members, const boot::PeerCard* cards, int n_nodes) noexcept
      : members_(members), cards_(cards), which_(room_for<int>(static_cast<std::size_t>(n_nodes), members.size)) {
    for (int member = 0; member < members.size; ++member) {
      count(member);
    }
    make_tables();
  }

  int count() const noexcept { return count_; }
  Domain* domains() const noexcept { return domains_; }
  int* tables() const noexcept { return tables_; }

 private:
  const boot::PeerCard& card(int member) const noexcept { return cards_[members_.pe(member)]; }

  void count(int member) noexcept {
    const int local = static_cast<int>(card(member).local);
    int& which = which_.get()[card(member).node];  // one more than the domain's number; 0 for none
    if (which == 0) {
      if (count_ == room_) {
        grow();
      }
      domains_[count_++] = Domain{member, 1, 1, local, 1};
      which = count_;
      return;
    }
    Domain& domain = domains_[which - 1];
    if (domain.size == 1) {
      domain.step = member - domain.first;
      domain.local_step = local - domain.local;
    } else if (member != domain.first + domain.size * domain.step ||
               local != domain.local + domain.size * domain.local_step) {
      domain.step = 0;  // not evenly spaced: a mark until the tables are made
    }
    ++domain.size;
  }

  void make_tables() noexcept {
    std::size_t rows = 0;
    for (int k = 0; k < count_; ++k) {
      rows += domains_[k].step == 0 ? static_cast<std::size_t>(domains_[k].size) : 0;
    }
    if (rows == 0) {
      return;
    }
    tables_ = room_for<int>(2 * rows, members_.size);
    int* next = tables_;
    for (int k = 0; k < count_; ++k) {
      Domain& domain = domains_[k];
      if (domain.step == 0) {
        domain.members = next;
        domain.locals = next + domain.size;
        next += 2 * domain.size;
        domain.size = 0;  // counted again as the tables fill
      }
    }
    for (int member = 0; member < members_.size; ++member) {
      Domain& domain = domains_[which_.get()[card(member).node] - 1];
      if (domain.members != nullptr) {
        tables_[domain.members - tables_ + domain.size] = member;
        tables_[domain.locals - tables_ + domain.size] = static_cast<int>(card(member).local);
        ++domain.size;
      }
    }
  }

  void grow() noexcept {
    room_ = room_ == 0 ? 8 : 2 * room_;
    void* more = std::realloc(domains_, static_cast<std::size_t>(room_) * sizeof(Domain));
    if (more == nullptr) {
      fail_for_memory(members_.size);
    }
    domains_ = static_cast<Domain*>(more);
  }

  const Members& members_;
  const boot::PeerCard* cards_;
  std::unique_ptr<int, Free> which_;
  // The caller's to free.
  Domain* domains_ = nullptr;
  int* tables_ = nullptr;
  int count_ = 0;
  int room_ = 0;
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

Seats divide(const Members& members, int me, const boot::PeerCard* cards, int n_nodes) noexcept {
  const Division division(members, cards, n_nodes);
  if (division.count() == 0) {
    __builtin_unreachable();  // this PE is a member
  }
  Span span{.members = members, .count = division.count(), .domains = division.domains(), .tables = division.tables()};
  const int number = members.find(me);
  span.mine = span.find(number);
  span.in_order = are_in_order(span.domains, span.count);
  Seats seats{span.domains[span.mine], span.domains[span.mine].seat(number)};
  if (span.count == 1) {
    std::free(span.domains);
    seats.tables = span.tables;
    return seats;
  }
  seats.span = new (std::nothrow) Span(span);
  if (seats.span == nullptr) {
    fail_for_memory(members.size);
  }
  return seats;
}

Seats seats_of(const Members& members) noexcept {
  const job::Node& here = job::node();
  if (here.job->n_nodes > 1) {
    return divide(members, here.me, boot::peer_card(here.job, 0), static_cast<int>(here.job->n_nodes));
  }
  // PEs of a job of one node have the same numbers on the node.
  const int* locals = members.table == nullptr ? nullptr : members.table->pes();
  return {{0, 1, members.size, members.start, members.stride, nullptr, locals}, members.find(here.me)};
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
