// Messages between PEs: send and receive by context, source and tag, as MPI has them, without MPI's handles.
//
// Between begin() and end() (msg/start.hpp). Messages of one PE to another are matched in the order in which their
// sends were started, whatever way they go. Any thread may call if several_threads() was told so; else one at a time.
// A context is a number that the caller gives, the same on all that use it. Internal messages have one of their own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "job/notes.hpp"
#include "msg/data.hpp"
#include "msg/request.hpp"

namespace weft::msg {

/// Returns when the data may be changed.
Fault send(const To& to, const Data& data, Mode mode = Mode::kStandard) noexcept;
/// True: it has gone, and nothing is left to wait for. False: nothing has happened, and start_send() does it.
bool send_at_once(const To& to, const Data& data, Mode mode = Mode::kStandard) noexcept;
/// Returns when the message is here.
Status receive(const From& from, const Data& data) noexcept;
/// Both at a time.
Status send_receive(const To& to, const Data& out, const From& from, const Data& in) noexcept;

/// The request is idle or complete. It may be complete at once.
void start_send(Request& request, const To& to, const Data& data, Mode mode = Mode::kStandard) noexcept;
void start_receive(Request& request, const From& from, const Data& data) noexcept;

/// Lets messages go on, and tells whether it is complete. Then its status is right, and it may be started again.
bool test(Request& request) noexcept;
void wait(Request& request) noexcept;

/// What no receive has taken ends now: complete, with status.cancelled. Else it is completed as if nobody had asked,
/// but that a send to another node may be withdrawn when its receiver's process is told. Returns whether it was
/// cancelled.
bool cancel(Request& request) noexcept;
/// Nobody will wait for the request: `then` is called when it is complete, as Request::let_go, at once if it is so.
void let_go(Request& request, void (*then)(Request& request) noexcept) noexcept;

/// Whether there is such a message that nobody has received.
bool probe(const From& from, Status* status) noexcept;
Status wait_for_message(const From& from) noexcept;

/// A message that has been taken out of matching (MPI's matched probe), to be received by start_receive().
struct Kept;
/// Null: there is none.
Kept* take(const From& from, Status* status) noexcept;
Kept* wait_and_take(const From& from, Status* status) noexcept;
/// Each once. It is complete as any other.
void start_receive(Request& request, Kept* message, const Data& data, std::uint32_t signature = 0) noexcept;

/// Lets messages go on: what has come is matched, and what waits is moved. Never waits.
void progress() noexcept;

/// Until done(what) is true; messages go on meanwhile. For what is no request of this room. `awaited` describes the
/// wait for people.
void wait_until(bool (*done)(void* what) noexcept, void* what, const job::Awaited& awaited) noexcept;

}  // namespace weft::msg
