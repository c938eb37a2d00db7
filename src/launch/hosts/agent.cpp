#include "launch/hosts/agent.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "launch/hosts/errand.hpp"
#include "launch/hosts/feed.hpp"
#include "launch/hosts/link.hpp"
#include "launch/hosts/mirror.hpp"
#include "launch/hosts/pe_end.hpp"
#include "launch/hosts/preparation.hpp"
#include "launch/hosts/relay.hpp"
#include "launch/hosts/tree.hpp"
#include "launch/processes/bindings.hpp"
#include "launch/processes/crew.hpp"
#include "launch/processes/replaced.hpp"
#include "launch/processes/signals.hpp"
#include "launch/processes/starter.hpp"
#include "launch/rules/limits.hpp"
#include "launch/streams/input.hpp"
#include "launch/streams/poller.hpp"
#include "launch/tree/between.hpp"
#include "launch/tree/cards.hpp"
#include "os/clock.hpp"
#include "os/futex.hpp"
#include "os/process.hpp"

namespace weft::launch::hosts {
namespace {

constexpr std::uint64_t kMs = 1'000'000;  // ns
// Between looks at the neighbours in the tree, and at what PEs do not tell by a signal.
constexpr std::uint64_t kLook = 100 * kMs;
// The records of more PEs go to oshrun less often, as they are what it has to read. Never that we live: oshrun gives up
// an agent that is silent.
constexpr int kPesPerLook = 128;
// Whose processes are looked at each time.
constexpr int kPesPerTurn = 8;
// How long PEs are started before a look at those that run.
constexpr std::uint64_t kTurnTime = 20 * kMs;
// How long the agents below may take to leave, and what PEs left behind to die.
constexpr std::uint64_t kPartingTime = 2500 * kMs;
constexpr int kLeftoverMs = 1000;

class Agent {
 public:
  int run() {
    if (!signals_.open() || !poller_.valid()) return 1;
    poller_.add(signals_.descriptor(), EPOLLIN, streams::About::kSignals);
    os::adopt_orphans();
    // Whoever has started us had itself told so; the end of the link tells us. To be killed as well would take us from
    // the midst of leave(): guards of agents below have been ended there, and what they watched over is not gone yet.
    (void)::prctl(PR_SET_PDEATHSIG, 0);
    if (!take_link()) return 1;
    while (!leaving_) turn();
    return leave();
  }

 private:
  enum class Stage : std::uint8_t { kNew, kReady, kStarting, kRunning };
  // The link to oshrun, or to the agent that started us; its children have other numbers.
  static constexpr std::uint32_t kUp = UINT32_MAX;

  // PEs, and what else we start, must not get hold of it.
  bool take_link() {
    const int in = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    const int out = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (in < 0 || out < 0 || null < 0) return false;
    (void)::dup2(null, STDIN_FILENO);
    (void)::dup2(null, STDOUT_FILENO);
    (void)::close(null);
    up_.open(in, out, os::now_ns());
    return true;
  }

  void turn() {
    std::array<epoll_event, 64> events;
    const int came = poller_.wait(events.data(), static_cast<int>(events.size()), timeout());
    const std::uint64_t now = os::now_ns();
    bool signalled = false;
    for (int i = 0; i < came; ++i) signalled |= take_event(events[static_cast<std::size_t>(i)]);
    // After the output: what a PE wrote before it ended comes before the news of its end.
    if (signalled) take_signals();
    while (const std::optional<Frame> frame = up_.next()) obey(*frame, now);
    place_.pass_up(now);
    if (!up_.problem().empty()) give_up("cannot read what it is told: " + up_.problem());
    if (!up_.is_open()) abandon_all();
    if (stage_ == Stage::kStarting) start_some();
    if (input_) {
      if (const auto look = input_->next_look(); look && now >= *look) input_->look(now);
    }
    if (now >= last_look_ + kLook) look(now);
    if (now >= last_news_ + news_interval_) tell_news(now);
    if (finishing_ && (tree_.all_gone() || now >= finishing_since_ + kPartingTime)) leaving_ = true;
  }

  // True: signals have come, which are taken last.
  bool take_event(const epoll_event& event) {
    const std::uint32_t which = streams::Poller::which(event);
    switch (streams::Poller::about(event)) {
      case streams::About::kSignals: return true;
      case streams::About::kOutput: relay_->readable(which); break;
      case streams::About::kInput: input_->pipe_writable(static_cast<int>(which)); break;
      case streams::About::kTerminal: input_->readable(); break;
      case streams::About::kFeed: took_input(feed_.writable()); break;
      case streams::About::kLinkIn: which == kUp ? up_.readable() : tree_.readable(which); break;
      case streams::About::kLinkOut: which == kUp ? up_.writable() : tree_.writable(which); break;
      case streams::About::kLinkErr: tree_.errors_readable(which); break;
      case streams::About::kSink: break;
    }
    return false;
  }

  int timeout() const {
    if (stage_ == Stage::kStarting) return 0;
    const std::uint64_t now = os::now_ns();
    std::uint64_t next = std::min(last_look_ + kLook, last_news_ + news_interval_);
    if (input_) next = std::min(next, input_->next_look().value_or(next));
    return next <= now ? 0 : static_cast<int>((next - now) / kMs + 1);
  }

  void look(std::uint64_t now) {
    last_look_ = now;
    tell_replaced(now);
    look_at_processes();
    if (killed_) {
      for (const int local : crew_->held()) tell_end(pe_of(local), SIGKILL);
    }
    if (const std::optional<std::uint64_t> silent = place_.look(now, kLook)) {
      give_up("has heard nothing of oshrun for " + std::to_string(*silent / (1000 * kMs)) + " s (--link-timeout)");
    }
  }

  void tell_replaced(std::uint64_t now) {
    for (int local = 0; replacements_ && local < share().n_pes(); ++local) {
      if (!crew_->alive(local)) continue;
      const auto now_is = replacements_->find(local, job_.pe(local), now);
      if (now_is) tell(FrameKind::kReplaced, Packer().put(pe_of(local)).text(*now_is).bytes());
    }
  }

  // Whether they are stopped; by turns, as each takes some microseconds of those that run.
  void look_at_processes() {
    for (int k = 0; news_ && k < std::min(kPesPerTurn, share().n_pes()); ++k) {
      looked_at_ = (looked_at_ + 1) % share().n_pes();
      const int pid = boot::pe_record(job_.header, looked_at_)->pid.load(std::memory_order_relaxed);
      news_->set_stopped(looked_at_, pid > 0 && crew_->alive(looked_at_) && os::is_stopped(pid));
    }
  }

  // What PEs have written into the control file.
  void tell_news(std::uint64_t now) {
    last_news_ = now;
    if (!news_) return;
    // Acquire: who made it has said so in its record before, which is told before.
    const std::uint32_t asked = job_.header->exit_request.load(std::memory_order_acquire);
    // Acquire: the cards were filled in before.
    const std::uint32_t filled = job_.header->cards_filled.load(std::memory_order_acquire);
    if (job_.header->n_nodes > 1 && filled / static_cast<std::uint32_t>(share().n_pes()) > rounds_told_) {
      ++rounds_told_;
      tell(FrameKind::kCards, tree::pack_cards(boot::peer_card(job_.header, 0), share().pes));
    }
    if (const std::string records = news_->take(); !records.empty()) tell(FrameKind::kRecords, records);
    if (const std::string threads = news_->take_threads(); !threads.empty()) tell(FrameKind::kThreads, threads);
    if (asked != 0 && !told_exit_) {
      told_exit_ = true;
      tell(FrameKind::kExitRequest, Packer().put(asked).bytes());
    }
  }

  void tell(FrameKind kind, std::string_view payload = {}) { place_.tell(kind, payload); }

  void obey(const Frame& frame, std::uint64_t now) {
    if (frame.kind == FrameKind::kErrand) return take_errand(frame.payload, now);
    if (stage_ == Stage::kNew) return give_up("was told to do something before it knew the job");
    if (!place_.pass_down(frame)) return;
    Unpacker from(frame.payload);
    switch (frame.kind) {
      case FrameKind::kGo: go(from.get<std::uint64_t>()); break;
      case FrameKind::kSignal: signal(from.get<int>()); break;
      case FrameKind::kInput: took_input(feed_.add(frame.payload)); break;
      case FrameKind::kInputEnd: took_input(feed_.end()); break;
      case FrameKind::kPassedOn:
        if (relay_) relay_->passed_on(from.get<std::uint64_t>());
        break;
      case FrameKind::kCloseOutput:
        if (relay_) relay_->close_stream(from.get<int>() & 1);
        break;
      case FrameKind::kCards: take_cards(frame.payload); break;
      case FrameKind::kPause: place_.pause(); break;
      case FrameKind::kFinish:
        finishing_ = true;
        finishing_since_ = now;
        stage_ = Stage::kRunning;  // no more are started
        tree_.finish();
        break;
      default: break;
    }
  }

  const Share& share() const { return errand_.shares[static_cast<std::size_t>(me_)]; }
  int pe_of(int local) const { return share().pes[static_cast<std::size_t>(local)]; }

  void take_errand(std::string_view payload, std::uint64_t now) {
    tree::Branch nodes;
    if (stage_ != Stage::kNew || !unpack_for(payload, nodes, errand_)) {
      return give_up("cannot read what it is to do; is Weft the same build on every host?");
    }
    stage_ = Stage::kReady;
    me_ = nodes.first;
    place_.place(me_, errand_.silence);
    cards_.emplace(errand_.shares.size());
    // Far off, and slow: before anything that is done here.
    tree_.start(errand_, me_ + 1, nodes.end, now);
    if (std::optional<processes::NotStarted> problem = prepare()) refuse(*problem);
  }

  void refuse(const processes::NotStarted& problem) {
    stage_ = Stage::kRunning;
    tell(FrameKind::kNotStarted, Packer().put(problem.exit_code).text(problem.text).bytes());
  }

  bool reads_input() const {
    return errand_.input == command::InputTo::kAll || (errand_.input == command::InputTo::kPe0 && me_ == 0);
  }

  std::optional<processes::NotStarted> prepare() {
    // Input may come before there is anybody to read it.
    if (reads_input() && !feed_.open())
      return processes::NotStarted{std::string("cannot make a pipe: ") + std::strerror(errno)};
    if (std::optional<processes::NotStarted> problem = prepared_.make(errand_, me_)) return problem;
    for (const std::string& note : prepared_.notes) tell(FrameKind::kSay, note);
    tell(FrameKind::kReady, Packer().put(prepared_.capacity.heap_bytes).put(os::now_ns()).bytes());
    return std::nullopt;
  }

  void go(std::uint64_t heap_bytes) {
    if (stage_ != Stage::kReady) return;
    const base::Result<processes::Job> made = processes::make_job(prepared_.plan(errand_, me_, heap_bytes));
    if (!made) return refuse({made.error().text()});
    job_ = *made;
    if (!job_.pages_note.empty()) tell(FrameKind::kSay, "WEFT_HUGE_PAGES=hugetlb: " + job_.pages_note);
    if (std::optional<processes::NotStarted> problem = get_ready_to_start()) return refuse(*problem);
    stage_ = Stage::kStarting;
  }

  std::optional<processes::NotStarted> get_ready_to_start() {
    const int n_pes = share().n_pes();
    news_ = std::make_unique<RecordNews>(job_.header, share().pes);
    news_interval_ = kLook * static_cast<std::uint64_t>(1 + errand_.n_pes() / kPesPerLook);
    crew_ = std::make_unique<processes::Crew>(n_pes);
    relay_ = std::make_unique<Relay>(poller_, n_pes, [this](int local, int stream, std::string_view bytes) {
      tell(FrameKind::kOutput, Packer().put(pe_of(local)).put(stream).raw(bytes).bytes());
    });
    // Our standard input is the feed's pipe: one PE inherits it, several get a pipe each.
    input_ =
        std::make_unique<streams::Input>(poller_, reads_input() ? errand_.input : command::InputTo::kNobody, n_pes);
    starter_ =
        std::make_unique<processes::Starter>(job_, prepared_.programs, prepared_.files, signals_.reset_in_children());
    crew_->guard(0, *job_.header);
    replacements_.emplace(n_pes, crew_->guard().mark());
    return starter_->prepare(input_->has_pipes());
  }

  // A turn's worth of them: thousands take seconds, and oshrun must hear of us meanwhile.
  void start_some() {
    const std::uint64_t until = os::now_ns() + kTurnTime;
    const std::vector<cpu_set_t>& bindings = prepared_.capacity.bindings;
    while (next_ < share().n_pes() && os::now_ns() < until) {
      const int pe = pe_of(next_);
      const int input = input_->open(next_);
      const cpu_set_t* cpus = bindings.empty() ? nullptr : &bindings[static_cast<std::size_t>(next_)];
      processes::Started started;
      std::optional<processes::NotStarted> problem =
          starter_->start(pe, {input, cpus, nullptr}, crew_->guard().place(next_), &started);
      if (input > STDERR_FILENO) (void)::close(input);
      if (problem) return refuse(*problem);
      crew_->started(next_, started.pid);
      if (started.out >= 0) relay_->adopt(next_, started.out, started.err);
      tell(FrameKind::kStarted, Packer().put(pe).put(static_cast<int>(started.pid)).bytes());
      if (errand_.report_bindings) {
        tell(FrameKind::kSay, "PE " + std::to_string(pe) +
                                  (cpus != nullptr ? " is bound to" : " is not bound: it may run on") + " processors " +
                                  processes::cpu_list(cpus != nullptr ? *cpus : processes::own_cpus()));
      }
      ++next_;
    }
    if (next_ < share().n_pes()) return;
    stage_ = Stage::kRunning;
    tell(FrameKind::kAllStarted);
  }

  void signal(int number) {
    if (!crew_) return;
    crew_->signal(number);
    killed_ |= number == SIGKILL;
    if (number == SIGKILL && stage_ == Stage::kStarting) stage_ = Stage::kRunning;
  }

  void took_input(std::uint64_t bytes) {
    if (bytes > 0) tell(FrameKind::kInputTaken, Packer().put(bytes).bytes());
  }

  void take_cards(std::string_view cards) {
    if (!news_ || job_.header->n_nodes == 1) return;
    const auto pes_of = [this](std::size_t node) -> const std::vector<int>& { return errand_.shares[node].pes; };
    const tree::Cards::Taken taken = cards_->take(cards, boot::peer_card(job_.header, 0), pes_of);
    if (taken == tree::Cards::Taken::kDamaged)
      return give_up(
          "cannot read what the PEs of other hosts say of themselves; is Weft the same build on every host?");
    if (taken == tree::Cards::Taken::kSome) return;
    // Release: who sees the round sees the cards.
    job_.header->cards_here.fetch_add(1, std::memory_order_release);
    os::futex_wake_all(job_.header->cards_here);
  }

  void take_signals() {
    while (const int number = signals_.next()) {
      switch (number) {
        case SIGCHLD: reap(); break;
        case SIGCONT:
          up_.forget_silence();
          tree_.forget_silence();
          break;
        // oshrun sends what the user does through its pipe. These are somebody's who wants us gone.
        case SIGTERM:
        case SIGINT:
        case SIGHUP:
        case SIGQUIT: give_up("was told to end by signal " + std::to_string(number)); break;
        default: break;
      }
    }
  }

  void reap() {
    tell_news(os::now_ns());  // a PE that has asked for the end, or given its card, says so with this signal
    for (;;) {
      int status = 0;
      const pid_t pid = ::waitpid(-1, &status, WNOHANG);
      if (pid <= 0) return;
      if (tree_.child_ended(pid, status) || !crew_ || crew_->guard().ended(pid)) continue;
      const std::optional<int> local = crew_->ended(pid);
      if (!local) continue;  // an orphan of a PE
      relay_->drain(*local);
      input_->pe_ended(*local);
      tell_news(os::now_ns());
      tell(FrameKind::kRecords, news_->take(*local));
      tell_end(pe_of(*local), status);
    }
  }

  void tell_end(int pe, int status) { tell(FrameKind::kEnded, pack(end_of(pe, status, kills_before_))); }

  // Told first: the end of a link alone looks like a fault of the network.
  void give_up(const std::string& why) {
    if (leaving_) return;
    tell(FrameKind::kGivenUp, "its weft-agent " + why + " and ends its PEs");
    up_.flush();
    abandon_all();
  }

  // oshrun has gone, or the way to it: nobody wants the job any more.
  void abandon_all() {
    abandoned_ = leaving_ = true;
    up_.close();
  }

  int leave() {
    if (crew_) {
      crew_->signal(SIGKILL);
      crew_->guard().stop();
    }
    (void)os::kill_all_children(kLeftoverMs);
    if (relay_) {
      relay_->drain_all();
      relay_->close_all();
    }
    for (std::size_t before = 0; up_.is_open() && up_.kept() != before;) {
      before = up_.kept();
      up_.flush();
    }
    return abandoned_ ? 1 : 0;
  }

  streams::Poller poller_;
  processes::Signals signals_;
  Link up_{poller_, kUp};
  Tree tree_{poller_, signals_.reset_in_children()};
  tree::Between place_{up_, tree_};
  std::optional<tree::Cards> cards_;
  Feed feed_{poller_};
  Errand errand_;
  int me_ = -1;
  Stage stage_ = Stage::kNew;
  Preparation prepared_;
  processes::Job job_;
  std::unique_ptr<RecordNews> news_;
  std::unique_ptr<processes::Crew> crew_;
  std::optional<processes::Replacements> replacements_;
  std::unique_ptr<Relay> relay_;
  std::unique_ptr<streams::Input> input_;
  std::unique_ptr<processes::Starter> starter_;
  int looked_at_ = 0;  // PE, by its number here
  int next_ = 0;       // the PE to start next, by its number here
  std::uint32_t rounds_told_ = 0;
  bool told_exit_ = false;
  bool killed_ = false;  // all PEs have been
  bool finishing_ = false;
  std::uint64_t finishing_since_ = 0;
  bool leaving_ = false;
  bool abandoned_ = false;
  std::uint64_t last_look_ = 0;
  std::uint64_t last_news_ = 0;
  std::uint64_t news_interval_ = kLook;
  std::optional<std::uint64_t> kills_before_ = rules::out_of_memory_kills();
};

}  // namespace

int run_agent() { return Agent().run(); }

}  // namespace weft::launch::hosts
