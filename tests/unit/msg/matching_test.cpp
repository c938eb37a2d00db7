// Matching against what the standard says in a few lines: the first posted of those that fit, the first that came.
#include "msg/matching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

namespace {

using namespace weft::msg;

Envelope envelope_of(std::uint32_t context, std::int32_t source, std::int32_t tag) {
  Envelope envelope;
  envelope.context = context;
  envelope.source = source;
  envelope.tag = tag;
  return envelope;
}

// As Matching, by two rows that are searched from the beginning.
class Reference {
 public:
  Request* arrived(const Envelope& envelope) {
    const auto found = std::find_if(posted_.begin(), posted_.end(), [&](const Request* receive) {
      return receive->context == envelope.context &&
             (receive->source == kAnySource || receive->source == envelope.source) &&
             (receive->tag == kAnyTag || receive->tag == envelope.tag);
    });
    if (found == posted_.end()) return nullptr;
    Request* const receive = *found;
    posted_.erase(found);
    return receive;
  }
  void post(Request& receive) { posted_.push_back(&receive); }
  bool withdraw(Request& receive) { return std::erase(posted_, &receive) > 0; }
  void keep(Kept& message) { kept_.push_back(&message); }
  void remove(Kept& message) { std::erase(kept_, &message); }
  Kept* find(const Pattern& pattern) const {
    const auto found =
        std::find_if(kept_.begin(), kept_.end(), [&](const Kept* message) { return pattern.fits(message->envelope); });
    return found == kept_.end() ? nullptr : *found;
  }
  std::size_t kept() const { return kept_.size(); }
  Request* any_posted(unsigned which) const { return posted_.empty() ? nullptr : posted_[which % posted_.size()]; }

 private:
  std::vector<Request*> posted_;
  std::vector<Kept*> kept_;
};

// Few contexts, sources and tags meet often, many lie in lists of their own.
struct Range {
  unsigned contexts;
  unsigned sources;
  unsigned tags;
  unsigned wild;  // one of so many receives is of any source, or tag
};

class Play {
 public:
  Play(unsigned seed, const Range& range) : random_(seed), range_(range) {}

  void step() {
    switch (draw() % 8) {
      case 0:
      case 1:
      case 2: arrive(); break;
      case 3:
      case 4:
      case 5: receive(); break;
      case 6: probe(); break;
      default: withdraw(); break;
    }
    ASSERT_EQ(matching_.kept(), reference_.kept());
    ASSERT_EQ(matching_.none_posted(), reference_.any_posted(0) == nullptr);
  }

 private:
  unsigned draw() { return static_cast<unsigned>(random_()); }
  Envelope any_envelope() {
    return envelope_of(draw() % range_.contexts, static_cast<std::int32_t>(draw() % range_.sources),
                       static_cast<std::int32_t>(draw() % range_.tags));
  }
  Pattern any_pattern() {
    const Envelope like = any_envelope();
    return {like.context, draw() % range_.wild == 0 ? kAnySource : like.source,
            draw() % range_.wild == 0 ? kAnyTag : like.tag};
  }
  void arrive() {
    const Envelope envelope = any_envelope();
    Request* const wanted = reference_.arrived(envelope);
    ASSERT_EQ(matching_.arrived(envelope), wanted);
    if (wanted != nullptr) return;
    kept_.push_back(std::make_unique<Kept>());
    kept_.back()->envelope = envelope;
    matching_.keep(*kept_.back());
    reference_.keep(*kept_.back());
  }
  void receive() {
    const Pattern pattern = any_pattern();
    Kept* const wanted = reference_.find(pattern);
    ASSERT_EQ(matching_.find(pattern), wanted);
    if (wanted != nullptr) {
      matching_.remove(*wanted);
      reference_.remove(*wanted);
      return;
    }
    requests_.push_back(std::make_unique<Request>());
    Request& posted = *requests_.back();
    posted.context = pattern.context;
    posted.source = pattern.source;
    posted.tag = pattern.tag;
    matching_.post(posted);
    reference_.post(posted);
  }
  void probe() {
    const Pattern pattern = any_pattern();
    ASSERT_EQ(matching_.find(pattern), reference_.find(pattern));
  }
  void withdraw() {
    Request* const one = reference_.any_posted(draw());
    if (one == nullptr) return;
    ASSERT_TRUE(matching_.withdraw(*one));
    ASSERT_TRUE(reference_.withdraw(*one));
    ASSERT_FALSE(matching_.withdraw(*one)) << "withdrawn twice";
  }

  std::minstd_rand random_;
  Range range_;
  Matching matching_;
  Reference reference_;
  std::vector<std::unique_ptr<Request>> requests_;
  std::vector<std::unique_ptr<Kept>> kept_;
};

TEST(Matching, IsThatOfTheReferenceInRandomOrders) {
  for (const Range& range : {Range{1, 1, 1, 2}, Range{2, 3, 2, 3}, Range{3, 40, 5, 4}, Range{300, 300, 3, 10}}) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      Play play(seed, range);
      for (int k = 0; k < 2000 && !::testing::Test::HasFatalFailure(); ++k) {
        play.step();
      }
    }
  }
}

TEST(Matching, GoesToTheReceiveThatWasPostedFirst) {
  Matching matching;
  Request any;
  any.context = 1;
  any.source = kAnySource;
  any.tag = kAnyTag;
  Request named;
  named.context = 1;
  named.source = 2;
  named.tag = 3;
  matching.post(any);
  matching.post(named);
  EXPECT_EQ(matching.arrived(envelope_of(2, 2, 3)), nullptr) << "another context";
  EXPECT_EQ(matching.arrived(envelope_of(1, 2, 3)), &any);
  EXPECT_EQ(matching.arrived(envelope_of(1, 2, 4)), nullptr) << "another tag";
  EXPECT_EQ(matching.arrived(envelope_of(1, 2, 3)), &named);
  EXPECT_TRUE(matching.none_posted());
}

// Receives of one context, posted one behind the other.
template <std::size_t n>
void post_all(Matching& matching, Request (&receives)[n], const std::int32_t (&sources)[n],
              const std::int32_t (&tags)[n]) {
  for (std::size_t k = 0; k < n; ++k) {
    receives[k].context = 1;
    receives[k].source = sources[k];
    receives[k].tag = tags[k];
    matching.post(receives[k]);
  }
}

TEST(Matching, PutsAReceiveBackWhereItStood) {
  Matching matching;
  Request receives[4];
  post_all(matching, receives, {2, kAnySource, 2, kAnySource}, {3, 3, 3, 3});
  // Each in its turn, as if what came had been withdrawn: first, in the middle, last, and as the only one.
  for (Request& receive : receives) {
    ASSERT_EQ(matching.arrived(envelope_of(1, 2, 3)), &receive);
    matching.put_back(receive);
    EXPECT_FALSE(matching.none_posted());
    ASSERT_EQ(matching.arrived(envelope_of(1, 2, 3)), &receive) << "none has overtaken it";
  }
  EXPECT_TRUE(matching.none_posted());
}

TEST(Matching, TakesOutWhatIsWanted) {
  Matching matching;
  Kept messages[6];
  for (int k = 0; k < 6; ++k) {
    messages[k].envelope = envelope_of(1, k % 2, k);
    matching.keep(messages[k]);
  }
  int taken = 0;
  matching.take_out_kept([](const Kept& message) { return message.envelope.tag % 3 != 1; },
                         [&taken](Kept& message) { taken += 1 << message.envelope.tag; });
  EXPECT_EQ(taken, 0b101101);
  EXPECT_EQ(matching.kept(), 2);
  EXPECT_EQ(matching.find({1, kAnySource, kAnyTag}), &messages[1]);
  matching.remove(messages[1]);
  EXPECT_EQ(matching.find({1, 0, kAnyTag}), &messages[4]);
}

TEST(Matching, PutsAReceiveBackBehindOthersThatDoNotFit) {
  Matching matching;
  Request receives[5];
  const std::int32_t tags[] = {1, 2, 3, 4, 3};
  post_all(matching, receives, {2, 2, 2, 2, 2}, tags);
  ASSERT_EQ(matching.arrived(envelope_of(1, 2, 3)), &receives[2]);
  matching.put_back(receives[2]);
  // All are there, in their order: the one behind, too, whose tag is the same.
  for (const int k : {2, 4, 3, 0, 1}) {
    ASSERT_EQ(matching.arrived(envelope_of(1, 2, tags[k])), &receives[k]);
  }
  EXPECT_TRUE(matching.none_posted());
}

// Another source whose receives and messages are in the list of that one.
std::int32_t source_beside(std::uint32_t context, std::int32_t source) {
  std::int32_t other = source + 1;
  while (Matching::list_of(context, other) != Matching::list_of(context, source)) ++other;
  return other;
}

TEST(Matching, PutsAReceiveBackAmongThoseOfAnotherSourceInItsList) {
  const std::int32_t other = source_beside(1, 2);
  Matching matching;
  Request receives[4];
  post_all(matching, receives, {other, 2, other, 2}, {3, 3, 3, 3});
  for (Request& receive : receives) {
    const Envelope envelope = envelope_of(1, receive.source, 3);
    Request* const first = matching.arrived(envelope);
    ASSERT_NE(first, nullptr);
    matching.put_back(*first);
    ASSERT_EQ(matching.arrived(envelope), first) << "none has overtaken it";
    matching.put_back(*first);
  }
  for (Request& receive : receives) {
    ASSERT_EQ(matching.arrived(envelope_of(1, receive.source, 3)), &receive);
  }
  EXPECT_TRUE(matching.none_posted());
}

TEST(Matching, FindsTheLastOneOfAList) {
  const std::int32_t other = source_beside(1, 2);
  Matching matching;
  const std::size_t list = Matching::list_of(1, 2);
  const auto has_tag = [](int tag) { return [tag](const Kept& message) { return message.envelope.tag == tag; }; };
  EXPECT_EQ(matching.last_in(list, has_tag(1)), nullptr);
  Kept messages[5];
  for (int k = 0; k < 5; ++k) {
    messages[k].envelope = envelope_of(1, k == 3 ? other : 2, k % 2);
    matching.keep(messages[k]);
  }
  EXPECT_EQ(matching.last_in(list, has_tag(0)), &messages[4]);
  EXPECT_EQ(matching.last_in(list, has_tag(1)), &messages[3]);
  EXPECT_EQ(matching.last_in(list, has_tag(5)), nullptr);
  EXPECT_EQ(matching.last_in(list + 1, has_tag(0)), nullptr);
  int looks = 0;
  EXPECT_EQ(matching.last_in(list, [&looks](const Kept&) { return ++looks == 1; }), &messages[4]);
  EXPECT_EQ(looks, 1) << "it ends at the first";
  EXPECT_EQ(matching.kept(), 5);
}

}  // namespace
