#include "transport/tcp/connection.hpp"

#include <unistd.h>

#include <new>
#include <utility>

namespace weft::transport::tcp {

Pool::~Pool() { delete[] all_; }

bool Pool::make() noexcept {
  all_ = new (std::nothrow) Operation[kOperations];
  for (std::size_t k = 0; all_ != nullptr && k < kOperations; ++k) {
    all_[k].next = free_;
    free_ = &all_[k];
  }
  return all_ != nullptr;
}

Operation* Pool::take() noexcept {
  Operation* operation = free_;
  if (operation != nullptr) {
    free_ = operation->next;
  }
  return operation;
}

void Pool::give_back(Operation* operation) noexcept {
  operation->next = free_;
  free_ = operation;
}

void Connection::enter(Stage next_stage) noexcept {
  stage = next_stage;
  switch (stage) {
    case Stage::kConnects:
    case Stage::kAwaitsChallenge: whole_head = sizeof(Challenge); break;
    case Stage::kAwaitsHello: whole_head = sizeof(Hello); break;
    case Stage::kAwaitsWelcome: whole_head = sizeof(Welcome); break;
    case Stage::kOpen: whole_head = side == Side::kAsks ? sizeof(Response) : sizeof(Request); break;
  }
  head_bytes = 0;
}

Connection::~Connection() {
  while (offers != nullptr) {
    delete std::exchange(offers, offers->next);
  }
  if (fd >= 0) {
    (void)::close(fd);  // which takes it out of the epoll instance
  }
}

Chain::~Chain() {
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
