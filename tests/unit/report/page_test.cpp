#include "report/page.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/json.hpp"

namespace weft::report {
namespace {

Profile with_program(const std::string& program) {
  Profile profile;
  profile.program = program;
  profile.pes.resize(2);
  profile.meetings.resize(2);
  profile.times_last.resize(2);
  profile.lanes.resize(2);
  profile.places.push_back({.routine = "shmem_quiet", .where = "main at a.c:1"});
  profile.events.push_back({.pe = 1, .begin = 1e-6, .seconds = 2e-6, .place = 0, .bytes = 8, .peer = 0});
  return profile;
}

std::string data_of(const std::string& page) {
  const std::string mark = "id=\"data\">";
  const std::size_t begin = page.find(mark) + mark.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

TEST(Json, IsTheProfile) {
  const auto json = nlohmann::json::parse(to_json(with_program("/bin/solve"), {"a hint"}, "1.2"));
  EXPECT_EQ(json["format"], "weft-profile");
  EXPECT_EQ(json["n_pes"], 2);
  EXPECT_EQ(json["weft"], "1.2");
  EXPECT_EQ(json["hints"][0], "a hint");
  EXPECT_EQ(json["pes"].size(), 2U);
  EXPECT_EQ(json["sites"][0]["where"], "main at a.c:1");
  EXPECT_EQ(json["pes"][0]["end"], "unknown");
}

TEST(Json, TakesAnyPath) {
  const auto json = nlohmann::json::parse(to_json(with_program("/tmp/\xff\"\\\n"), {}, "1"));
  EXPECT_EQ(json["program"], "/tmp/\xef\xbf\xbd\"\\\n");
}

TEST(Json, ATraceHasEventsInMicroseconds) {
  const auto json = nlohmann::json::parse(to_trace(with_program("/bin/solve")));
  const auto& event = json["traceEvents"].back();
  EXPECT_EQ(event["name"], "shmem_quiet");
  EXPECT_EQ(event["pid"], 1);
  EXPECT_DOUBLE_EQ(event["ts"].get<double>(), 1.0);
  EXPECT_DOUBLE_EQ(event["dur"].get<double>(), 2.0);
  EXPECT_EQ(event["args"]["peer"], 0);
}

TEST(Page, HoldsItsDataAndNothingFromElsewhere) {
  const std::string json = to_json(with_program("/bin/solve"), {}, "1");
  const std::string page = to_page(json);
  EXPECT_EQ(data_of(page), json);
  EXPECT_EQ(page.find("/*DATA*/"), std::string::npos);
  EXPECT_EQ(page.find("src=\"http"), std::string::npos);
  EXPECT_EQ(page.find("href=\"http"), std::string::npos);
  EXPECT_EQ(page.find("@import"), std::string::npos);
}

// A path that would end the script, or open a comment in it.
TEST(Page, DataCannotLeaveItsElement) {
  const std::string json = to_json(with_program("/tmp/</script><!--/*STYLE*//*DATA*/"), {}, "1");
  const std::string data = data_of(to_page(json));
  EXPECT_EQ(data.find("<!--"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(data), nlohmann::json::parse(json));
}

}  // namespace
}  // namespace weft::report
