// What weft-perf --tune writes is what jobs read; and what they make of files that somebody else has written.
#include "store.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "transport/transport.hpp"
#include "transport/tuning.hpp"

namespace weft::perf {
namespace {

constexpr const char* kTcp = "tcp;ofi_rxm";

class Store : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/weft-store-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
    path_ = folder_ + "/deep/network";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& text) {
    std::filesystem::create_directories(folder_ + "/deep");
    std::ofstream(path_) << text;
  }
  std::string text() {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }
  base::Options options() {
    base::Options options = *base::read_options([](const char*) -> const char* { return nullptr; });
    options.net_file.value = path_.c_str();
    return options;
  }
  std::optional<std::size_t> stored(const char* provider) {
    const auto found = transport::read_tuning(path_.c_str(), provider);
    EXPECT_TRUE(found) << found.error().text();
    return found ? *found : std::nullopt;
  }

  std::string folder_;
  std::string path_;
};

TEST_F(Store, WhatIsWrittenIsRead) {
  EXPECT_EQ(stored(kTcp), std::nullopt);
  EXPECT_EQ(store(path_, kTcp, 4096), "");
  EXPECT_EQ(stored(kTcp), 4096U);
  EXPECT_EQ(stored("verbs;ofi_rxm"), std::nullopt);
}

TEST_F(Store, OtherProvidersAndCommentsStay) {
  write("# mine\n\nverbs;ofi_rxm copy 0\ntcp;ofi_rxm copy 1\n");
  EXPECT_EQ(store(path_, kTcp, 2048), "");
  EXPECT_EQ(text(), "# mine\nverbs;ofi_rxm copy 0\ntcp;ofi_rxm copy 2048\n");
  EXPECT_EQ(stored("verbs;ofi_rxm"), 0U);
}

TEST_F(Store, LeavesNothingElse) {
  EXPECT_EQ(store(path_, kTcp, 1), "");
  EXPECT_EQ(store(path_, kTcp, 2), "");
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/deep")) files += entry.is_regular_file();
  EXPECT_EQ(files, 1);
}

TEST_F(Store, SaysWhereItCannotWrite) {
  EXPECT_NE(store("/proc/weft/network", kTcp, 1).find("/proc/weft/network"), std::string::npos);
  std::filesystem::create_directories(path_);  // a folder of that name
  EXPECT_NE(store(path_, kTcp, 1), "");
}

TEST_F(Store, ADamagedFileIsTheDefaultWithAReason) {
  for (const char* line :
       {"tcp;ofi_rxm", "tcp;ofi_rxm copy", "tcp;ofi_rxm copy x", "tcp;ofi_rxm copy 1k", "tcp;ofi_rxm copy -1",
        "tcp;ofi_rxm copy 65537", "tcp;ofi_rxm copy 1 2", "tcp;ofi_rxm move 1", "\x01\x02"}) {
    write(std::string("verbs copy 1\n") + line + "\n");
    const auto choice = transport::choose_copy(options(), kTcp);
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->bytes, transport::kCopyBytes) << line;
    EXPECT_NE(std::string(choice->problem.text()).find("line 2 of " + path_), std::string::npos)
        << choice->problem.text();
  }
  EXPECT_EQ(store(path_, kTcp, 64), "");  // mends it
  EXPECT_EQ(stored(kTcp), 64U);
}

TEST_F(Store, AFolderInItsPlaceIsTheDefaultWithAReason) {
  std::filesystem::create_directories(path_);
  const auto choice = transport::choose_copy(options(), kTcp);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->bytes, transport::kCopyBytes);
  EXPECT_NE(std::string(choice->problem.text()).find("cannot read " + path_), std::string::npos);
}

TEST_F(Store, TheOptionComesBeforeTheFileAndTheFileBeforeTheDefault) {
  base::Options asked = options();
  const auto by = [&] { return std::string(transport::choose_copy(asked, kTcp)->by); };
  EXPECT_EQ(by(), "default");
  EXPECT_EQ(store(path_, kTcp, 64), "");
  EXPECT_EQ(by(), "weft-perf --tune");
  asked.net_copy.value = 0;
  EXPECT_EQ(by(), "WEFT_NET_COPY");
  asked.net_copy.value = 65537;
  EXPECT_FALSE(transport::choose_copy(asked, kTcp));
}

TEST_F(Store, TheFileLiesWhereItIsNamedOrBelowTheUsersFolder) {
  char path[transport::kTuningPathRoom];
  base::Options asked = options();
  EXPECT_TRUE(transport::tuning_path(asked, path, sizeof path));
  EXPECT_EQ(path, path_);
  asked.net_file.value = nullptr;
  ::setenv("XDG_CONFIG_HOME", "/config", 1);
  ::setenv("HOME", "/home/me", 1);
  EXPECT_TRUE(transport::tuning_path(asked, path, sizeof path));
  EXPECT_STREQ(path, "/config/weft/network");
  ::unsetenv("XDG_CONFIG_HOME");
  EXPECT_TRUE(transport::tuning_path(asked, path, sizeof path));
  EXPECT_STREQ(path, "/home/me/.config/weft/network");
  ::unsetenv("HOME");
  EXPECT_FALSE(transport::tuning_path(asked, path, sizeof path));
}

}  // namespace
}  // namespace weft::perf
