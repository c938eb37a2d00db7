// What a request may go through beside being waited for: cancelled, let go, one of several; messages taken out of
// matching; buffered sends.
#include <atomic>
#include <cstdio>

#include "mail.hpp"
#include "msg/attached.hpp"

namespace {

namespace msg = weft::msg;

int right() { return (mail::me() + 1) % mail::n_pes(); }
int left() { return (mail::me() + mail::n_pes() - 1) % mail::n_pes(); }

msg::Data word(std::uint64_t& value) { return {&value, sizeof value, nullptr}; }

void cancel_receives() {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  msg::Request cancelled;
  msg::Request received;
  msg::start_receive(cancelled, mail::from(left(), 1), word(first));
  msg::start_receive(received, mail::from(left(), 1), word(second));
  mail::need(msg::cancel(cancelled) && cancelled.done() && cancelled.status.cancelled, "a receive is not cancelled");
  mail::need(!msg::cancel(cancelled), "it is cancelled twice");
  mail::meet();
  std::uint64_t sent = 77;
  (void)msg::send(mail::to(right(), 1), word(sent));
  msg::wait(received);
  mail::need(second == 77 && first == 0 && !received.status.cancelled, "a cancelled receive has got a message");
  mail::need(!msg::cancel(received), "a receive is cancelled that is complete");
}

std::atomic<int> g_let_go;

void let_requests_go() {
  std::uint64_t sent = 5;
  std::uint64_t got = 0;
  msg::Request send;
  msg::Request receive;
  const auto count = [](msg::Request& /*request*/) noexcept { g_let_go.fetch_add(1); };
  msg::start_receive(receive, mail::from(left(), 2), word(got));
  msg::let_go(receive, count);
  msg::start_send(send, mail::to(right(), 2), word(sent), msg::Mode::kSynchronous);
  msg::let_go(send, count);
  msg::wait_until([](void*) noexcept { return g_let_go.load() == 2; }, nullptr, {});
  mail::need(got == 5, "a message does not come for a receive that was let go");
  g_let_go = 0;
}

void take_messages() {
  std::uint64_t sent[2] = {21, 22};
  (void)msg::send(mail::to(right(), 20), word(sent[0]));
  (void)msg::send(mail::to(right(), 20), word(sent[1]));
  msg::Status status;
  msg::Kept* const first = msg::wait_and_take(mail::from(left(), msg::kAnyTag), &status);
  mail::need(status.tag == 20 && status.bytes == 8 && status.source == left(), "a probe tells something else");
  std::uint64_t got = 0;
  (void)msg::receive(mail::from(left(), 20), word(got));
  mail::need(got == 22, "a message that was taken is received by another one");
  msg::Request request;
  msg::start_receive(request, first, word(got));
  msg::wait(request);
  mail::need(got == 21, "a message that was taken is not received");
  mail::need(msg::take(mail::from(left(), 20), &status) == nullptr, "there is a third message");
}

void send_buffered(void* buffer, std::size_t bytes) {
  msg::Attached attached;
  std::uint64_t value = 0;
  mail::need(attached.send(mail::to(right(), 30), word(value)) == msg::Fault::kNoMemory, "there is no buffer");
  mail::need(attached.attach(buffer, bytes) && !attached.attach(buffer, bytes), "a buffer is not attached once");
  // Large ones too, which wait until they are received; nobody receives before all are sent.
  std::vector<std::byte> large = mail::bytes_of(1, 100'000);
  for (std::uint64_t k = 0; k < 20; ++k) {
    value = k;
    mail::need(attached.send(mail::to(right(), 30), word(value)) == msg::Fault::kNone, "no room for a small one");
  }
  mail::need(attached.send(mail::to(right(), 31), msg::Data::of(large.data(), large.size())) == msg::Fault::kNone,
             "no room for a large one");
  large.assign(large.size(), std::byte{0});
  if (buffer != nullptr) {
    mail::need(attached.send(mail::to(right(), 31), {large.data(), bytes, nullptr}) == msg::Fault::kNoMemory,
               "there is more room than was attached");
  }
  for (std::uint64_t k = 0; k < 20; ++k) {
    (void)msg::receive(mail::from(left(), 30), word(value));
    mail::need(value == k, "a buffered message is not what was sent");
  }
  std::vector<std::byte> got(large.size());
  (void)msg::receive(mail::from(left(), 31), {got.data(), got.size(), nullptr});
  mail::need(got == mail::bytes_of(1, got.size()), "a large buffered message is not what was sent");
  mail::need(attached.detach().at == buffer && attached.empty() && !attached.attached(), "a buffer does not come back");
}

}  // namespace

int main() {
  mail::begin();
  std::vector<std::byte> buffer(200'000);
  for (int round = 0; round < 3; ++round) {
    cancel_receives();
    mail::meet();
    let_requests_go();
    take_messages();
    send_buffered(buffer.data() + round, buffer.size() - 3);
    send_buffered(nullptr, 0);
    mail::meet();
  }
  mail::end();
  std::printf("PE %d of %d is done\n", mail::me(), mail::n_pes());
  return 0;
}
