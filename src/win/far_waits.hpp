// Waiting for what other nodes do: the network goes on meanwhile.
#pragma once

#include "job/node.hpp"
#include "job/shared_area.hpp"
#include "sync/waiter.hpp"

namespace weft::win {

template <class Note, class Done>
void wait_far(const Note& note, Done&& done) noexcept {
  const job::Node& node = job::node();
  sync::wait(node.patience, node.value_bell(node.local), &job::shared_head(node.job).value_sleepers, note, done);
}

template <class Done>
void wait_far(Done&& done) noexcept {
  wait_far(sync::WaitNote(), done);
}

}  // namespace weft::win
