// Nodes, tickets and stages of this PE, in its own area: taken as they are needed, up to a number, and used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/own_areas.hpp"
#include "msg/hub.hpp"

namespace weft::msg {

class Pool {
 public:
  /// Of each, at most. What has a head only is small; a queue that nobody reads holds all of these.
  static constexpr std::size_t kMostSmall = 4096;
  static constexpr std::size_t kMostLarge = 256;
  static constexpr std::size_t kMostStages = 64;
  static constexpr std::uint32_t kSmallRoom = 64;

  struct Node {
    QueueNode* at = nullptr;
    Spot spot = 0;
  };
  struct Stage {
    std::uint64_t offset = 0;  // 0: there is none
    std::uint32_t begin = 0;   // where in it the last message ended
  };

  void open(memory::OwnAreas& own, int me) noexcept;
  /// Everything goes back into the area.
  void close() noexcept;

  /// Null: all are under way.
  Node node(std::uint64_t bytes) noexcept;
  /// Null: there is no room. Who asks knows how many there may be. Its number is what an envelope says.
  Ticket* ticket() noexcept;
  std::uint32_t number_of(const Ticket& ticket) const noexcept;
  void give_back(Ticket& ticket) noexcept;
  Stage stage() noexcept;
  void give_back_stage(const Stage& stage) noexcept;
  /// Offsets; 0: there is none.
  std::uint64_t block(std::size_t bytes) noexcept;
  void give_back_block(std::uint64_t offset) noexcept;
  std::byte* at(std::uint64_t offset) const noexcept { return own_->at(me_, offset); }

 private:
  /// Nodes of one size. They come back in any order, and nobody tells: who wants one looks from where it looked last.
  struct Nodes {
    std::vector<Node> all;
    std::size_t next = 0;
  };
  Node node_of(Nodes& nodes, std::uint32_t room, std::size_t most) noexcept;
  std::uint64_t slab(std::size_t bytes) noexcept;

  memory::OwnAreas* own_ = nullptr;
  int me_ = 0;
  Nodes small_;
  Nodes large_;
  std::vector<Ticket*> tickets_;  // free ones
  std::vector<Stage> stages_;
  std::size_t made_stages_ = 0;
  std::vector<std::uint64_t> slabs_;
};

}  // namespace weft::msg
