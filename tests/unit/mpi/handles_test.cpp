#include "mpi/handles.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace weft::mpi {
namespace {

HandleTable& table() {
  static HandleTable made(7);
  return made;
}

TEST(HandleTable, GivesPositiveIntsAbovePageZero) {
  int object = 0;
  const Number handle = table().add(&object);
  EXPECT_GE(handle, 0x1000U);
  EXPECT_LE(handle, static_cast<Number>(INT32_MAX));
  EXPECT_EQ(table().find(handle), &object);
  EXPECT_EQ(table().remove(handle), &object);
}

TEST(HandleTable, KnowsNoneButItsOwn) {
  HandleTable other(6);
  int object = 0;
  const Number handle = table().add(&object);
  EXPECT_EQ(other.find(handle), nullptr);
  for (unsigned bit = 0; bit < 32; ++bit) {
    EXPECT_EQ(table().find(handle ^ Number{1} << bit), nullptr) << bit;
  }
  EXPECT_EQ(table().find(0), nullptr);
  EXPECT_EQ(table().find(UINT32_MAX), nullptr);
  EXPECT_EQ(table().remove(handle), &object);
}

TEST(HandleTable, FindsOutWhatWasFreed) {
  int object = 0;
  const Number freed = table().add(&object);
  EXPECT_EQ(table().remove(freed), &object);
  EXPECT_EQ(table().find(freed), nullptr);
  EXPECT_EQ(table().remove(freed), nullptr);
  for (int k = 0; k < 500; ++k) {
    const Number next = table().add(&object);
    EXPECT_NE(next, freed);
    EXPECT_EQ(table().find(freed), nullptr);
    EXPECT_EQ(table().remove(next), &object);
  }
}

TEST(HandleTable, KeepsPlacesForTheNext) {
  static HandleTable keeping(5);
  int object = 0;
  int next_one = 0;
  const Number first = keeping.add(&object);
  const Number other = keeping.add(&next_one);
  HandleTable::Slot& place = *keeping.slot_of(first);
  place.hide();
  EXPECT_EQ(keeping.find(first), nullptr);
  EXPECT_EQ(keeping.remove(first), nullptr);
  const Number second = place.show(&object, 0);
  EXPECT_NE(second, first);
  EXPECT_EQ(keeping.find(second), &object);
  EXPECT_EQ(keeping.find(first), nullptr);
  EXPECT_EQ(keeping.find(other), &next_one);
  place.hide();
  keeping.give_back(place);
  // The place is one of those that are free, and is used again when there are enough of them.
  std::set<Number> seen;
  for (Number k = 0; k < 128; ++k) {
    const Number handle = keeping.add(&object);
    EXPECT_TRUE(seen.insert(handle).second);
    EXPECT_NE(handle, other);
    EXPECT_EQ(keeping.remove(handle), &object);
  }
  EXPECT_EQ(keeping.find(other), &next_one);
}

TEST(HandleTable, HoldsMany) {
  static HandleTable large(3);
  std::vector<int> objects(100'000);
  std::vector<Number> handles;
  for (int& object : objects) {
    handles.push_back(large.add(&object));
    ASSERT_NE(handles.back(), 0U);
  }
  EXPECT_EQ(std::set<Number>(handles.begin(), handles.end()).size(), objects.size());
  for (std::size_t k = 0; k < objects.size(); ++k) {
    ASSERT_EQ(large.find(handles[k]), &objects[k]);
  }
  for (std::size_t k = 0; k < objects.size(); k += 2) {
    ASSERT_EQ(large.remove(handles[k]), &objects[k]);
  }
  for (std::size_t k = 0; k < objects.size(); ++k) {
    ASSERT_EQ(large.find(handles[k]), k % 2 == 0 ? nullptr : &objects[k]);
  }
}

// Threads make and free their own while they look for each other's: what is found is right, or nothing.
TEST(HandleTable, ServesThreads) {
  static HandleTable shared(5);
  constexpr int kThreads = 4;
  constexpr int kRounds = 20'000;
  std::atomic<Number> shown[kThreads]{};
  int objects[kThreads]{};
  std::atomic<bool> wrong{false};
  std::vector<std::thread> threads;
  for (int me = 0; me < kThreads; ++me) {
    threads.emplace_back([&, me] {
      for (int round = 0; round < kRounds; ++round) {
        const Number handle = shared.add(&objects[me]);
        shown[me].store(handle);
        wrong = wrong || shared.find(handle) != &objects[me];
        for (int other = 0; other < kThreads; ++other) {
          const void* found = shared.find(shown[other].load());
          const auto* at = static_cast<const int*>(found);
          wrong = wrong || (found != nullptr && (at < objects || at >= objects + kThreads));
        }
        wrong = wrong || shared.remove(handle) != &objects[me];
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_FALSE(wrong);
}

std::string described(HandleKind kind, std::uintptr_t value) {
  char text[160];
  describe_handle(kind, reinterpret_cast<const void*>(value), text, sizeof text);
  return text;
}

TEST(Handles, AreDescribed) {
  EXPECT_EQ(described(HandleKind::kComm, 0x100), "is MPI_COMM_NULL");
  EXPECT_EQ(described(HandleKind::kComm, 0x209), "is MPI_INT, which is not a communicator");
  EXPECT_EQ(described(HandleKind::kOp, 0x7fff12345678), "is 0x7fff12345678, which is not an operation");
  int object = 0;
  const Number info = add_object(HandleKind::kInfo, &object);
  EXPECT_EQ(described(HandleKind::kGroup, info), "is an info object, which is not a group");
  EXPECT_EQ(remove_object(HandleKind::kInfo, info), &object);
  EXPECT_NE(described(HandleKind::kInfo, info).find("or no longer"), std::string::npos);
}

}  // namespace
}  // namespace weft::mpi
