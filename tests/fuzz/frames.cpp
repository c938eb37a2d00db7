// What oshrun and its agents send each other: the stream, and in it errands and records. The first byte says in how
// large pieces it comes, the second whether it begins with a greeting.
#include <algorithm>
#include <string>
#include <vector>

#include "fuzz.hpp"
#include "launch/hosts/errand.hpp"
#include "launch/hosts/mirror.hpp"
#include "launch/tree/frames.hpp"

namespace {

using namespace weft::launch::hosts;
using weft::fuzz::must;
using weft::launch::tree::FrameReader;
using weft::launch::tree::greeting;
using weft::launch::tree::kLastFrameKind;

constexpr int kPes = 3;

struct Heard {
  std::vector<Frame> frames;
  std::string problem;
};

Heard listen(std::string_view stream, std::size_t piece) {
  FrameReader reader;
  Heard heard;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    reader.add(stream.substr(at, piece));
    while (std::optional<Frame> frame = reader.next()) heard.frames.push_back(std::move(*frame));
  }
  heard.problem = reader.problem();
  return heard;
}

void take_errand(std::string_view payload) {
  Errand errand;
  if (!unpack(payload, errand)) return;
  const int all = errand.n_pes();
  std::vector<int> placed(static_cast<std::size_t>(all), 0);
  for (const Share& share : errand.shares) {
    must(!share.pes.empty() && std::is_sorted(share.pes.begin(), share.pes.end()), "PEs rise on each host");
    for (const int pe : share.pes) {
      must(pe >= 0 && pe < all, "an errand knows its PEs");
      ++placed[static_cast<std::size_t>(pe)];
    }
  }
  must(std::count(placed.begin(), placed.end(), 1) == all, "each PE has a node");
  int of_parts = 0;
  for (const ErrandPart& part : errand.parts) {
    must(part.n_pes > 0 && !part.words.empty(), "each part of an errand has PEs and a program");
    of_parts += part.n_pes;
  }
  must(of_parts == all && errand.fanout > 0, "an errand is for all PEs");
  Errand again;
  must(unpack(pack(errand), again) && pack(again) == pack(errand), "an errand that is taken can be sent on");
}

void take_records(std::string_view payload) {
  static const auto mirror = make_mirror(kPes, 2, 1);
  must(static_cast<bool>(mirror), "there is memory for a mirror");
  const int before = weft::boot::pe_record(mirror->header, 0)->pid.load();
  (void)apply_records(payload, mirror->header, -5, {1, 2});
  must(weft::boot::pe_record(mirror->header, 0)->pid.load() == before, "a host speaks of its own PEs only");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::fuzz::Bytes bytes(data, size);
  const auto piece = static_cast<std::size_t>(1 + bytes.below(64));
  std::string stream = bytes.below(2) == 0 ? greeting() : std::string();
  stream += bytes.rest();
  const Heard heard = listen(stream, stream.size() + 1);
  const Heard in_pieces = listen(stream, piece);
  // Of what a start-up file printed a message shows what had come by then.
  must(heard.problem.empty() == in_pieces.problem.empty(), "how a stream is cut is all the same");
  must(heard.frames.size() == in_pieces.frames.size(), "how a stream is cut is all the same");
  if (!heard.problem.empty()) weft::fuzz::must_be_a_line(heard.problem);
  for (std::size_t k = 0; k < heard.frames.size(); ++k) {
    const Frame& frame = heard.frames[k];
    must(frame.payload == in_pieces.frames[k].payload, "how a stream is cut is all the same");
    must(frame.kind <= kLastFrameKind, "a frame has a kind");
    if (frame.kind == FrameKind::kErrand) take_errand(frame.payload);
    if (frame.kind == FrameKind::kRecords) take_records(frame.payload);
  }
  return 0;
}
