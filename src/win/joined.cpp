#include "win/joined.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <new>

#include "job/node.hpp"
#include "progress/work.hpp"
#include "transport/questions.hpp"
#include "win/far.hpp"
#include "win/far_asked.hpp"
#include "win/far_waits.hpp"
#include "win/far_wire.hpp"
#include "win/touched.hpp"
#include "win/waits.hpp"

namespace weft::win {
namespace {

// Of all that follows here. Taken by pollers too; messages are told under it, which never waits, and nothing else is.
constinit std::mutex g_mutex;

// One message.
class Batch {
 public:
  /// It may be filled from the beginning: the one that was in it has come, and been answered.
  bool is_free() const noexcept {
    // Acquire: pairs with the answer's arrival.
    return unanswered_.load(std::memory_order_acquire) == 0 && pending_.done();
  }
  bool is_answered() const noexcept { return unanswered_.load(std::memory_order_acquire) == 0; }
  bool is_empty() const noexcept { return rows_ == 0; }
  const Touched& touched() const noexcept { return touched_; }

  bool has_room_for(const FarChange& change) const noexcept {
    return (rows_ != 0 && continues(change) ? 0 : sizeof(FarRun)) + sizeof(FarRow) + in_run(change.bytes) <=
           sizeof data_ - bytes_;
  }
  void add(const FarChange& change, const Span& span, UnderWay& under_way) noexcept {
    if (rows_ == 0) {
      left_ = &under_way.unanswered.begin();
    }
    if (rows_ == 0 || !continues(change)) {
      run_ = {change.op, change.element, 0};
      run_at_ = bytes_;
      bytes_ += sizeof run_;
    }
    ++run_.rows;
    std::memcpy(data_ + run_at_, &run_, sizeof run_);
    const FarRow row{change.address, change.count};
    std::memcpy(data_ + bytes_, &row, sizeof row);
    std::memcpy(data_ + bytes_ + sizeof row, change.with, change.bytes);
    // So that nothing is sent that nobody has written.
    std::memset(data_ + bytes_ + sizeof row + change.bytes, 0, in_run(change.bytes) - change.bytes);
    bytes_ += sizeof row + in_run(change.bytes);
    ++rows_;
    elements_ += change.count;
    if (change.order != Order::kNone) {
      touched_.add(span);
    }
    first_bytes_ = rows_ == 1 ? change.bytes : first_bytes_;
  }
  /// False: there is no room now.
  bool tell(const Member& member, int origin) noexcept {
    if (token_ == 0) {
      unanswered_.store(1, std::memory_order_relaxed);
      token_ = far_questions().begin(member.pe, {}, *left_, false, 0, &unanswered_);
      if (token_ == 0) {
        unanswered_.store(0, std::memory_order_relaxed);
        return false;
      }
    }
    const Question question = question_for(member, origin);
    // One alone needs nothing told of it.
    const std::size_t skipped = rows_ == 1 ? sizeof(FarRun) + sizeof(FarRow) : 0;
    const transport::Message message{kFarKind, &question, sizeof question, data_ + skipped,
                                     rows_ == 1 ? first_bytes_ : bytes_};
    if (job::node().network->tell(member.pe, message, pending_) == transport::Told::kAgain) {
      return false;
    }
    token_ = 0;
    rows_ = 0;
    is_told_ = true;
    return true;
  }
  /// Before the first one is added.
  void clear() noexcept {
    bytes_ = elements_ = 0;
    touched_.clear();
    is_told_ = false;
  }
  /// It has been told since it was filled.
  bool is_told() const noexcept { return is_told_; }

 private:
  bool continues(const FarChange& change) const noexcept {
    return run_.op == change.op && run_.element == change.element;
  }
  Question question_for(const Member& member, int origin) const noexcept {
    Question question{};
    question.token = token_;
    question.line = member.beyond().line_place;
    question.origin = static_cast<std::uint32_t>(origin);
    question.count = elements_;
    question.has_data = 1;
    if (rows_ == 1) {
      FarRow row;
      std::memcpy(&row, data_ + sizeof(FarRun), sizeof row);
      question.asks = Asks::kChange;
      question.address = row.address;
      question.op = run_.op;
      question.element = run_.element;
    } else {
      question.asks = Asks::kChangeMany;
      question.address = rows_;
    }
    return question;
  }

  alignas(64) std::byte data_[kMostOfRows];
  std::size_t bytes_ = 0;
  std::size_t first_bytes_ = 0;
  std::size_t rows_ = 0;
  std::size_t run_at_ = 0;
  FarRun run_{};
  std::uint64_t elements_ = 0;
  std::uint64_t token_ = 0;
  Unanswered::Left* left_ = nullptr;
  bool is_told_ = false;
  std::atomic<std::uint32_t> unanswered_ = 0;
  transport::Pending pending_;
  Touched touched_;
};

}  // namespace

// Of a member. Two messages by turns: one is filled while the other one is under way.
class Joined {
 public:
  Joined(const Member& member, int origin, UnderWay& under_way) noexcept
      : member_(member), origin_(origin), under_way_(under_way) {}

  /// False: there is no room now.
  bool add(const FarChange& change, const Span& span) noexcept {
    if (!now().is_empty() && !now().has_room_for(change)) {
      is_wanted_ = true;
      if (!send()) {
        return false;
      }
    }
    if (now().is_told()) {
      if (!now().is_free()) {
        return false;
      }
      now().clear();
    }
    now().add(change, span, under_way_);
    if (!send()) {
      hold();
    }
    return true;
  }
  /// False: it is held back, as it comes behind one that is not answered, or as there is no room.
  bool send() noexcept {
    if (now().is_empty()) {
      return true;
    }
    const bool may_go = other().is_answered() || (is_wanted_ && !now().touched().meets(other().touched()));
    if (!may_go || !now().tell(member_, origin_)) {
      return false;
    }
    is_wanted_ = false;
    filled_ ^= 1;
    return true;
  }
  bool meets(const Span& span) const noexcept {
    return std::any_of(batches_.begin(), batches_.end(), [&](const Batch& each) {
      return !(each.is_empty() && each.is_answered()) && each.touched().meets(span);
    });
  }
  /// The data of none is read any more.
  bool is_over() const noexcept { return batches_[0].is_free() && batches_[1].is_free(); }

  /// Those that are held back.
  static void send_all(const UnderWay* of) noexcept {
    Joined** at = &first_held_;
    while (*at != nullptr) {
      Joined& each = **at;
      if (of != nullptr) {
        each.is_wanted_ = each.is_wanted_ || &each.under_way_ == of;
      }
      if (each.send()) {
        each.is_held_ = false;
        *at = each.next_held_;
      } else {
        at = &each.next_held_;
      }
    }
    // Relaxed: under the mutex nobody else stores.
    some_held_.store(first_held_ != nullptr, std::memory_order_relaxed);
  }
  /// The window goes.
  static void forget(const JoinedOfAll& of) noexcept {
    for (Joined** at = &first_held_; *at != nullptr;) {
      Joined& each = **at;
      if (&each.under_way_.joined == &of) {
        *at = each.next_held_;
      } else {
        at = &each.next_held_;
      }
    }
    some_held_.store(first_held_ != nullptr, std::memory_order_relaxed);
  }
  static bool some_are_held() noexcept { return some_held_.load(std::memory_order_relaxed); }

 private:
  Batch& now() noexcept { return batches_[filled_]; }
  Batch& other() noexcept { return batches_[filled_ ^ 1]; }

  void hold() noexcept {
    if (!is_held_) {
      is_held_ = true;
      next_held_ = first_held_;
      first_held_ = this;
    }
    some_held_.store(true, std::memory_order_relaxed);
    // seq_cst, as the poller's: either it finds that one is held, or the look behind it that the answer is here.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (other().is_answered()) {
      send_all(nullptr);
    }
  }

  // Under the mutex. Stored also by who sends one from this list elsewhere: it stays there, empty, until the next look.
  static constinit inline Joined* first_held_ = nullptr;
  static constinit inline std::atomic<bool> some_held_ = false;

  const Member& member_;
  int origin_;
  UnderWay& under_way_;
  std::array<Batch, 2> batches_;
  std::size_t filled_ = 0;
  bool is_wanted_ = false;  // at once, if its order lets it
  bool is_held_ = false;    // it is in the list
  Joined* next_held_ = nullptr;
};

namespace {

// Goes on with what is held back when answers have come.
constinit progress::Poller g_poller{.what = []() noexcept {
  // seq_cst: as in hold(), behind what has come.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (Joined::some_are_held()) {
    const std::scoped_lock lock(g_mutex);
    Joined::send_all(nullptr);
  }
  return false;
}};

}  // namespace

JoinedOfAll::JoinedOfAll() noexcept = default;

JoinedOfAll::~JoinedOfAll() {
  const std::scoped_lock lock(g_mutex);
  Joined::forget(*this);
  of_.clear();
}

void JoinedOfAll::make(int members) {
  of_.resize(static_cast<std::size_t>(members));
  progress::add_poller(g_poller);
}

void JoinedOfAll::await() const noexcept {
  wait_far([&] {
    const std::scoped_lock lock(g_mutex);
    return std::all_of(of_.begin(), of_.end(), [](const auto& each) { return each == nullptr || each->is_over(); });
  });
}

bool join_far(const Member& member, int origin, const FarChange& change, UnderWay& under_way) noexcept {
  const Span span{member.rank, change.address, change.address + change.reach};
  Joined* joined = nullptr;
  {
    const std::scoped_lock lock(g_mutex);
    std::unique_ptr<Joined>& made = under_way.joined.of_[static_cast<std::size_t>(member.rank)];
    if (made == nullptr) {
      made.reset(new (std::nothrow) Joined(member, origin, under_way));
    }
    joined = made.get();
    if (joined == nullptr || joined->add(change, span)) {
      return joined != nullptr;
    }
  }
  wait_far(WaitTold(member, boot::OfWindow::kElements, nullptr), [&] {
    const std::scoped_lock lock(g_mutex);
    return joined->add(change, span);
  });
  return true;
}

bool joined_meet(const Member& member, const Span& span, UnderWay& under_way) noexcept {
  const std::scoped_lock lock(g_mutex);
  const std::unique_ptr<Joined>& joined = under_way.joined.of_[static_cast<std::size_t>(member.rank)];
  return joined != nullptr && joined->meets(span);
}

void send_joined(UnderWay& under_way) noexcept {
  const std::scoped_lock lock(g_mutex);
  Joined::send_all(&under_way);
}

}  // namespace weft::win
