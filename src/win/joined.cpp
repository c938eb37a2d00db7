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

// What is held back may be able to go. Changed by exchanges only: who takes it away has then seen all that those before
// him have set it for. It is taken away before the mutex is taken, so who adds something later finds the answers.
constinit std::atomic<bool> g_look = false;

enum class Sent : std::uint8_t {
  kNothing,  // there was none
  kTold,
  kBehind,      // one that is not answered
  kNoQuestion,  // too many of the process are under way
  kNoRoom,      // on the way to that PE
};

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
  /// Of one with rows.
  Sent tell(const Member& member, int origin) noexcept {
    unanswered_.store(1, std::memory_order_relaxed);
    const std::uint64_t token = far_questions().begin(member.pe, {}, *left_, false, 0, &unanswered_);
    if (token == 0) {
      unanswered_.store(0, std::memory_order_relaxed);
      return Sent::kNoQuestion;
    }
    const Question question = question_for(member, origin, token);
    // One alone needs nothing told of it.
    const std::size_t skipped = rows_ == 1 ? sizeof(FarRun) + sizeof(FarRow) : 0;
    const transport::Message message{kFarKind, &question, sizeof question, data_ + skipped,
                                     rows_ == 1 ? first_bytes_ : bytes_};
    if (job::node().network->tell(member.pe, message, pending_) == transport::Told::kAgain) {
      // Others may have room where this one waits for it.
      far_questions().take_back(token);
      unanswered_.store(0, std::memory_order_relaxed);
      return Sent::kNoRoom;
    }
    rows_ = 0;
    is_told_ = true;
    return Sent::kTold;
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
  Question question_for(const Member& member, int origin, std::uint64_t token) const noexcept {
    Question question{};
    question.token = token;
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

  // The network copies what is so short: nobody waits here until it has been read (pending_), but when a window ends.
  static_assert(kMostOfRows <= transport::kCopyBytes);
  alignas(64) std::byte data_[kMostOfRows];
  std::size_t bytes_ = 0;
  std::size_t first_bytes_ = 0;
  std::size_t rows_ = 0;
  std::size_t run_at_ = 0;
  FarRun run_{};
  std::uint64_t elements_ = 0;
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
      if (send() != Sent::kTold) {
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
    if (send() != Sent::kTold) {
      hold();
    }
    return true;
  }
  Sent send() noexcept {
    if (now().is_empty()) {
      is_wanted_ = false;
      return Sent::kNothing;
    }
    if (!may_go()) {
      return Sent::kBehind;  // its answer has somebody look again
    }
    const Sent sent = now().tell(member_, origin_);
    if (sent == Sent::kTold) {
      is_wanted_ = meets_other_ = false;
      filled_ ^= 1;
    } else {
      // Nothing says when there is room: each poll looks. Relaxed: what is here is under the mutex.
      (void)g_look.exchange(true, std::memory_order_relaxed);
    }
    return sent;
  }
  bool meets(const Span& span) const noexcept {
    return std::any_of(batches_.begin(), batches_.end(), [&](const Batch& each) {
      return !(each.is_empty() && each.is_answered()) && each.touched().meets(span);
    });
  }
  /// The data of none is read any more.
  bool is_over() const noexcept { return batches_[0].is_free() && batches_[1].is_free(); }

  /// Those that are held back and may go. True: one has been told.
  static bool send_all() noexcept {
    bool some_told = false;
    int full = -1;  // a PE on the way to which there is no room
    for (Joined** at = &first_held; *at != nullptr;) {
      Joined& each = **at;
      if (each.member_.pe == full) {
        at = &each.next_held_;
        continue;
      }
      const Sent sent = each.send();
      some_told = some_told || sent == Sent::kTold;
      if (sent == Sent::kNothing || sent == Sent::kTold) {
        take_out(at);
        continue;
      }
      if (sent == Sent::kNoQuestion) {
        break;
      }
      full = sent == Sent::kNoRoom ? each.member_.pe : full;
      at = &each.next_held_;
    }
    return some_told;
  }
  /// Somebody waits for those of a window.
  static void want(const UnderWay& of) noexcept {
    for (Joined* each = first_held; each != nullptr; each = each->next_held_) {
      each->is_wanted_ = each->is_wanted_ || (&each->under_way_ == &of && !each->now().is_empty());
    }
  }
  /// The window goes.
  static void forget(const JoinedOfAll& of) noexcept {
    for (Joined** at = &first_held; *at != nullptr;) {
      if (&(*at)->under_way_.joined == &of) {
        take_out(at);
      } else {
        at = &(*at)->next_held_;
      }
    }
  }

 private:
  Batch& now() noexcept { return batches_[filled_]; }
  Batch& other() noexcept { return batches_[filled_ ^ 1]; }

  bool may_go() noexcept {
    if (other().is_answered()) {
      return true;
    }
    if (!is_wanted_ || meets_other_) {
      return false;
    }
    meets_other_ = now().touched().meets(other().touched());
    return !meets_other_;
  }

  // At the end: who has waited longest gets the next question that is free.
  void hold() noexcept {
    if (!is_held_) {
      is_held_ = true;
      next_held_ = nullptr;
      *end_held = this;
      end_held = &next_held_;
    }
  }
  static void take_out(Joined** at) noexcept {
    Joined& out = **at;
    out.is_held_ = false;
    *at = out.next_held_;
    end_held = *at == nullptr ? at : end_held;
  }

  // Under the mutex. One that add() sends stays here, empty, until the next look.
  static constinit inline Joined* first_held = nullptr;
  static constinit inline Joined** end_held = &first_held;

  const Member& member_;
  int origin_;
  UnderWay& under_way_;
  Joined* next_held_ = nullptr;
  std::size_t filled_ = 0;
  bool is_wanted_ = false;    // at once, if its order lets it
  bool meets_other_ = false;  // and its order does not; that stays so, as more is only added
  bool is_held_ = false;      // it is in the list
  std::array<Batch, 2> batches_;
};

namespace {

// Goes on with what is held back when answers have come. One thread does it, and those who come meanwhile do not wait.
constinit progress::Poller g_poller{.what = []() noexcept {
  // Relaxed: a look only. Acquire: pairs with note_answer(), and so does, by the mutex, who holds one back after this.
  if (!g_look.load(std::memory_order_relaxed) || !g_look.exchange(false, std::memory_order_acquire)) {
    return false;
  }
  bool some_told = false;
  {
    const std::scoped_lock lock(g_mutex);
    some_told = Joined::send_all();
  }
  if (some_told) {
    // For who sleeps until there is room for one more: seq_cst, as pollers have to.
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  return some_told;
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
  Joined::want(under_way);
  (void)Joined::send_all();
}

// Release: what has been answered is seen by who takes this away.
void note_answer() noexcept { (void)g_look.exchange(true, std::memory_order_release); }

}  // namespace weft::win
