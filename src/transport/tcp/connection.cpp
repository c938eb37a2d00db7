#include "transport/tcp/connection.hpp"

#include <unistd.h>

#include <new>
#include <utility>

namespace weft::transport::tcp {

Pool::~Pool() {
  while (blocks_ != nullptr) {
    delete std::exchange(blocks_, blocks_->next);
  }
}

bool Pool::make() noexcept {
  auto* block = made_ < kOperations ? new (std::nothrow) Block : nullptr;
  if (block == nullptr) {
    return false;
  }
  block->next = std::exchange(blocks_, block);
  for (Operation& operation : block->operations) {
    give_back(&operation);
  }
  made_ += kAtATime;
  return true;
}

void Connection::enter(Stage next_stage) noexcept {
  stage = next_stage;
  switch (stage) {
    case Stage::kIdle:
    case Stage::kConnects:
    case Stage::kAwaitsChallenge: whole_head = sizeof(Challenge); break;
    case Stage::kAwaitsHello: whole_head = sizeof(Hello); break;
    case Stage::kAwaitsWelcome: whole_head = sizeof(Welcome); break;
    case Stage::kOpen: whole_head = side == Side::kAsks ? sizeof(Response) : sizeof(Request); break;
  }
  head_bytes = 0;
}

Connection::~Connection() {
  if (fd >= 0) {
    (void)::close(fd);  // which takes it out of the epoll instance
  }
}

void Chain::clear() noexcept {
  while (first_ != nullptr) {
    delete std::exchange(first_, first_->next);
  }
}

void Chain::add(Connection* connection) noexcept {
  connection->next = nullptr;
  *end_ = connection;
  end_ = &connection->next;
  ++n_;
}

void Chain::take_out(Connection* connection) noexcept {
  Connection** at = &first_;
  while (*at != connection) {
    at = &(*at)->next;
  }
  *at = connection->next;
  if (*at == nullptr) {
    end_ = at;
  }
  --n_;
}

}  // namespace weft::transport::tcp
