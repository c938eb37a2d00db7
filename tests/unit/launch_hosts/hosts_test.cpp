#include "launch/hosts/hosts.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <sstream>

#include "launch/hosts/plan_hosts.hpp"

namespace weft::launch::hosts {
namespace {

std::string shown(const base::Result<std::vector<Host>>& hosts) {
  if (!hosts) return std::string("error: ") + hosts.error().text();
  std::string text;
  for (const Host& host : *hosts) {
    text += (text.empty() ? "" : " ") + host.name + (host.slots > 0 ? ":" + std::to_string(host.slots) : "");
  }
  return text;
}

std::string shown(const base::Result<std::vector<Share>>& shares) {
  if (!shares) return std::string("error: ") + shares.error().text();
  std::string text;
  for (const Share& share : *shares) {
    text += (text.empty() ? "" : " ") + share.host + "=";
    const int first = share.pes.front();
    if (share.pes.back() - first + 1 == share.n_pes()) {
      text += std::to_string(first) + "+" + std::to_string(share.n_pes());
      continue;
    }
    for (const int pe : share.pes) text += (pe == first ? "" : ",") + std::to_string(pe);
  }
  return text;
}

std::string dealt(int n_pes, const char* hosts, Dealing how = {}) {
  return shown(deal_out(n_pes, *read_host_list(hosts), how));
}

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(Hosts, AList) {
  EXPECT_EQ(shown(read_host_list("a")), "a");
  EXPECT_EQ(shown(read_host_list("a,b:4, me@c.org ,d:1")), "a b:4 me@c.org d:1");
  EXPECT_EQ(shown(read_host_list("fe80::1,[fe80::2]:3,[fe80::3]")), "fe80::1 fe80::2:3 fe80::3");
}

TEST(Hosts, ANameThatComesAgainAddsSlots) {
  EXPECT_EQ(shown(read_host_list("a,b,a,a")), "a:3 b");
  EXPECT_EQ(shown(read_host_list("a:2,a:3,b:1,b")), "a:5 b:2");
}

TEST(Hosts, BracketsAsSlurmWritesThem) {
  EXPECT_EQ(shown(read_host_list("n[1-3,7]")), "n1 n2 n3 n7");
  EXPECT_EQ(shown(read_host_list("a,n[08-11]-ib:2,b")), "a n08-ib:2 n09-ib:2 n10-ib:2 n11-ib:2 b");
  EXPECT_EQ(shown(read_host_list("r[1-2]n[0,5]")), "r1n0 r1n5 r2n0 r2n5");
  EXPECT_EQ(shown(read_host_list("n[1-2],n[2-3]")), "n1 n2:2 n3");
  EXPECT_EQ(shown(read_host_file("n[1-2] slots=3\nfd00::[1]", "hosts")), "n1:3 n2:3 fd00::1");
}

TEST(Hosts, BracketsThatHoldSomethingElseAreAnError) {
  for (const char* text : {"n[]", "n[x]", "n[1-]", "n[3-1]", "n[-1]", "n[1,,2]", "n[1 2]", "n[99999999999]"}) {
    EXPECT_TRUE(has(shown(read_host_list(text)), "brackets hold numbers")) << text;
  }
  EXPECT_TRUE(has(shown(read_host_list("n[1-2000000000]")), "more than 65536 hosts"));
  EXPECT_TRUE(has(shown(read_host_list("n[1-1000][1-1000]")), "more than 65536 hosts"));
  EXPECT_TRUE(has(shown(read_host_list("n[1][1][1][1][1]")), "too long"));
  EXPECT_TRUE(has(shown(read_host_list("n[1]" + std::string(2000, 'x'))), "too long"));
}

TEST(Hosts, BracketsAreInPairs) {
  for (const char* text : {"a:4,[::1", "[::1,b", "n[1-2", "n1-2]", "a]", "[", "]", "n[[1]]", "n[1]]", "]["}) {
    EXPECT_TRUE(has(shown(read_host_list(text)), "its brackets are not in pairs")) << text;
    EXPECT_TRUE(has(shown(read_host_file(std::string("a\n") + text, "f")), "f:2: ")) << text;
  }
  for (const char* text : {"[::1]x", "x[::1]", "[::1]x:3", "[]:3", "me@[::1]x"}) {
    EXPECT_TRUE(has(shown(read_host_list(text)), "error: ")) << text;
  }
  EXPECT_EQ(shown(read_host_list("[::1],me@[fd00::1]:3")), "::1 me@fd00::1:3");
}

TEST(Hosts, WhatIsNoHostIsAnError) {
  EXPECT_TRUE(has(shown(read_host_list("")), "a host has no name"));
  EXPECT_TRUE(has(shown(read_host_list("a,,b")), "a host has no name"));
  EXPECT_TRUE(has(shown(read_host_list(":4")), "a host has no name"));
  EXPECT_TRUE(has(shown(read_host_list("a:0")), "host a: its number of PEs is '0'"));
  EXPECT_TRUE(has(shown(read_host_list("a:x")), "host a: its number of PEs is 'x'"));
  EXPECT_TRUE(has(shown(read_host_list("a:99999")), "'99999'"));
  // Would be an option of ssh, or more than a word for a shell.
  EXPECT_TRUE(has(shown(read_host_list("-oProxyCommand=x")), "is no name of a host"));
  EXPECT_TRUE(has(shown(read_host_list("a;b")), "is no name of a host"));
  EXPECT_TRUE(has(shown(read_host_list("$(x)")), "is no name of a host"));
}

TEST(Hosts, AFileAsOpenMpiOrMpichHasIt) {
  EXPECT_EQ(shown(read_host_file("# ours\n\na slots=2  # fast\n  b:3\r\nc\nd slots=1 max_slots=4\n", "f")),
            "a:2 b:3 c d:1");
  EXPECT_EQ(shown(read_host_file("a\na\nb", "f")), "a:2 b");
}

TEST(Hosts, AWrongLineOfAFileIsNamed) {
  EXPECT_TRUE(
      has(shown(read_host_file("a\n\nb sluts=2\n", "my.hosts")), "my.hosts:3: 'sluts=2' after the host's name"));
  EXPECT_TRUE(has(shown(read_host_file("a slots=two\n", "f")), "f:1: host a: its number of PEs is 'two'"));
  EXPECT_TRUE(has(shown(read_host_file("a\n-x\n", "f")), "f:2: '-x' is no name"));
  EXPECT_TRUE(has(shown(read_host_file("# nothing\n", "f")), "f: the file names no host"));
  EXPECT_TRUE(has(shown(load_host_file("/nowhere/f")), "/nowhere/f: cannot read this file: No such file"));
  EXPECT_TRUE(has(shown(load_host_file("/tmp")), "/tmp: cannot read this file: Is a directory"));
}

TEST(Hosts, WithoutSlotsPesAreDealtOutEvenlyInBlocks) {
  EXPECT_EQ(dealt(8, "a,b"), "a=0+4 b=4+4");
  EXPECT_EQ(dealt(8, "a,b,c"), "a=0+3 b=3+3 c=6+2");
  EXPECT_EQ(dealt(1, "a,b,c"), "a=0+1");
  EXPECT_EQ(dealt(2, "a,b,c"), "a=0+1 b=1+1");
}

TEST(Hosts, SlotsAreFilledInTurn) {
  EXPECT_EQ(dealt(8, "a:2,b:8"), "a=0+2 b=2+6");
  EXPECT_EQ(dealt(2, "a:2,b:8"), "a=0+2");
  EXPECT_EQ(dealt(4, "a,b:3"), "a=0+1 b=1+3");
  EXPECT_TRUE(has(dealt(8, "a:2,b:4"), "8 PEs do not fit on 2 hosts with room for 6"));
}

TEST(Hosts, SoManyPesForEachHost) {
  EXPECT_EQ(dealt(5, "a,b,c", {.per_host = 2}), "a=0+2 b=2+2 c=4+1");
  EXPECT_EQ(dealt(4, "a:1,b:1", {.per_host = 2}), "a=0+2 b=2+2");
  EXPECT_TRUE(has(dealt(5, "a,b", {.per_host = 2}), "5 PEs do not fit on 2 hosts with room for 4"));
}

TEST(Hosts, OneToEachInTurnAsLongAsThereIsRoom) {
  EXPECT_EQ(dealt(4, "a:8,b:8", {.in_turn = true}), "a=0,2 b=1,3");
  EXPECT_EQ(dealt(7, "a,b,c", {.in_turn = true}), "a=0,3,6 b=1,4 c=2,5");
  EXPECT_EQ(dealt(7, "a:1,b:8,c:2", {.in_turn = true}), "a=0+1 b=1,3,5,6 c=2,4");
  EXPECT_EQ(dealt(3, "a,b", {.per_host = 2, .in_turn = true}), "a=0,2 b=1+1");
  EXPECT_EQ(dealt(2, "a,b,c", {.in_turn = true}), "a=0+1 b=1+1");
  EXPECT_TRUE(has(dealt(4, "a:1,b:2", {.in_turn = true}), "4 PEs do not fit on 2 hosts with room for 3"));
}

TEST(Hosts, AJobIsAsLargeAsItsHostsTogether) {
  EXPECT_EQ(dealt(8000, "a,b"), "a=0+4000 b=4000+4000");
  EXPECT_EQ(dealt(5000, "a:3000,a:3000,b:1000"), "a=0+4096 b=4096+904");
  EXPECT_TRUE(has(dealt(8193, "a,b"), "8193 PEs do not fit on 2 hosts: each runs 4096 at most"));
  EXPECT_TRUE(has(dealt(8193, "a:9,b:9", {.in_turn = true}), "with room for 18"));
}

std::string dealt_to_parts(const std::string& line) {
  std::istringstream words("mpiexec " + line);
  std::vector<std::string> kept;
  for (std::string word; words >> word;) kept.push_back(word);
  std::vector<char*> argv;
  for (std::string& word : kept) argv.push_back(word.data());
  argv.push_back(nullptr);
  const auto arguments = command::parse_arguments(static_cast<int>(kept.size()), argv.data());
  return arguments ? shown(shares_of_parts(*arguments)) : arguments.error().text();
}

TEST(Hosts, OfEachPartOfTheCommandLine) {
  EXPECT_EQ(dealt_to_parts("-n 2 -host a p : -n 3 -host b q"), "a=0+2 b=2+3");
  EXPECT_EQ(dealt_to_parts("-n 2 -host a,b p : -n 2 q : -n 3 -host c r"), "a=0+2 b=2+2 c=4+3");
  EXPECT_EQ(dealt_to_parts("-n 1 p : -n 2 -host a q"), "localhost=0+1 a=1+2");
  EXPECT_EQ(dealt_to_parts("-n 2 -host a,b p : -n 2 -host b:2 q"), "a=0+1 b=1+3");
  EXPECT_TRUE(
      has(dealt_to_parts("-n 4000 -host a p : -n 1 -host b q : -n 97 -host a r"), "one host runs 4096 at most"));
  EXPECT_EQ(dealt_to_parts("-n 1 -host a p : -n 1 -host b q : -n 2 -host a r"), "a=0,2,3 b=1+1");
  EXPECT_TRUE(has(dealt_to_parts("-n 3 -host a:2 p : -n 1 -host b q"), "3 PEs do not fit on 1 host"));
  EXPECT_TRUE(has(dealt_to_parts("-n 3 -host a,,c p : -n 1 -host b q"), "--host a,,c: a host has no name"));
}

TEST(Hosts, ThisHostIsKnownByItsNames) {
  char name[HOST_NAME_MAX + 1] = {};
  ASSERT_EQ(::gethostname(name, sizeof name - 1), 0);
  const std::string own(name);
  EXPECT_TRUE(is_this_host("localhost"));
  EXPECT_TRUE(is_this_host("127.0.0.1"));
  EXPECT_TRUE(is_this_host(own));
  EXPECT_TRUE(is_this_host(own.substr(0, own.find('.'))));
  EXPECT_FALSE(is_this_host(own + "x"));
  EXPECT_FALSE(is_this_host("somewhere.else"));
}

}  // namespace
}  // namespace weft::launch::hosts
