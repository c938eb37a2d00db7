#include "group/domains.hpp"

#include <cstdlib>
#include <memory>
#include <new>

#include "base/report.hpp"
#include "job/node.hpp"

namespace weft::group {
namespace {

[[noreturn, gnu::cold]] void fail_for_memory(int members) noexcept {
  base::fail(job::current_call(), "no memory for the list of nodes that %d PEs are on", members);
}

struct Free {
  void operator()(void* memory) const noexcept { std::free(memory); }
};

// The domains found so far, and for each node the last one that began there.
class Division {
 public:
  Division(const Members& members, int n_nodes) noexcept
      : members_(members.size), last_(static_cast<int*>(std::calloc(static_cast<std::size_t>(n_nodes), sizeof(int)))) {
    if (last_ == nullptr) {
      fail_for_memory(members_);
    }
  }

  void add(int member, const boot::PeerCard& card) noexcept {
    int& last = last_.get()[card.node];  // one more than its number; 0 for none
    if (last > 0 && goes_on(domains_[last - 1], member, static_cast<int>(card.local))) {
      return;
    }
    if (count_ == room_) {
      grow();
    }
    domains_[count_++] = Domain{member, 1, 1, static_cast<int>(card.local), 1};
    last = count_;
  }

  int count() const noexcept { return count_; }
  Domain* domains() const noexcept { return domains_; }

 private:
  static bool goes_on(Domain& domain, int member, int local) noexcept {
    if (domain.size == 1) {
      domain.step = member - domain.first;
      domain.local_step = local - domain.local;
    } else if (member != domain.member(domain.size) || local != domain.local + domain.size * domain.local_step) {
      return false;
    }
    ++domain.size;
    return true;
  }

  void grow() noexcept {
    room_ = room_ == 0 ? 8 : 2 * room_;
    void* more = std::realloc(domains_, static_cast<std::size_t>(room_) * sizeof(Domain));
    if (more == nullptr) {
      fail_for_memory(members_);
    }
    domains_ = static_cast<Domain*>(more);
  }

  int members_;
  std::unique_ptr<int, Free> last_;
  Domain* domains_ = nullptr;  // the caller's to free
  int count_ = 0;
  int room_ = 0;
};

bool are_in_order(const Domain* domains, int count) noexcept {
  int next = 0;
  for (int k = 0; k < count; ++k) {
    if (domains[k].first != next || (domains[k].size > 1 && domains[k].step != 1)) {
      return false;
    }
    next += domains[k].size;
  }
  return true;
}

}  // namespace

int Span::find(int member) const noexcept {
  int domain = 0;
  while (domains[domain].seat(member) < 0) {
    ++domain;
  }
  return domain;
}

Seats divide(const Members& members, int me, const boot::PeerCard* cards, int n_nodes) noexcept {
  Division division(members, n_nodes);
  for (int member = 0; member < members.size; ++member) {
    division.add(member, cards[members.pe(member)]);
  }
  Span span{.members = members, .count = division.count(), .domains = division.domains()};
  const int number = members.find(me);
  span.mine = span.find(number);
  span.in_order = are_in_order(span.domains, span.count);
  Seats seats{span.domains[span.mine], span.domains[span.mine].seat(number), nullptr};
  if (span.count == 1) {
    std::free(span.domains);
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
  return {{0, 1, members.size, members.start, members.stride}, members.find(here.me), nullptr};
}

void delete_span(const Span* span) noexcept {
  if (span != nullptr) {
    std::free(span->domains);
    delete span;
  }
}

}  // namespace weft::group
