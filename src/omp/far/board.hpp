// What process 0 knows for all of a team over several processes, and what it answers them.
#pragma once

#include "omp/far/message.hpp"

namespace weft::omp::far {

/// Who is to be answered: a process, and what came with its question (post.cpp).
struct Asker {
  int process = 0;
  std::uint64_t token = 0;
  void* owed = nullptr;
};
/// Once for each question. By any thread, and never waits.
void reply(const Asker& asker, Message answer) noexcept;

/// A question or message from a process; the reply may come later. Any thread, handlers of messages among them: it
/// never waits. False: there is no such question.
bool tell_board(const Message& message, const Asker& asker) noexcept;
/// A region begins: what constructs of the last one knew is gone.
void clear_board() noexcept;
/// All processes have left constructs of lower numbers than this.
void forget_constructs(std::uint64_t below) noexcept;

}  // namespace weft::omp::far
