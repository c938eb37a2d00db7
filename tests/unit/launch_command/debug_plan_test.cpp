#include "launch/command/debug_plan.hpp"

#include <gtest/gtest.h>

namespace weft::launch::command {
namespace {

Surroundings everything() {
  return {.gdb = "/bin/gdb",
          .tmux = "/bin/tmux",
          .emulator = "/bin/xterm",
          .on_terminal = true,
          .in_tmux = true,
          .has_display = true};
}

Arguments debugging(int n_pes, const std::string& pes, const std::string& where = "") {
  Arguments arguments;
  arguments.n_pes = n_pes;
  arguments.debug = true;
  arguments.debug_pes = pes;
  arguments.debug_in = where;
  return arguments;
}

DebugIn choice(int n_pes, const std::string& pes, const Surroundings& with) {
  return (*plan_debugging(debugging(n_pes, pes), with)).in;
}

std::string error(const Arguments& arguments, const Surroundings& with) {
  const base::Result<DebugPlan> plan = plan_debugging(arguments, with);
  return plan ? "" : plan.error().text();
}

TEST(DebugPlan, TakesWhatThereIs) {
  Surroundings with = everything();
  EXPECT_EQ(choice(4, "2", with), DebugIn::kHere);
  EXPECT_EQ(choice(1, "", with), DebugIn::kHere);
  EXPECT_EQ(choice(4, "", with), DebugIn::kTmux);
  with.in_tmux = false;
  EXPECT_EQ(choice(4, "", with), DebugIn::kTerminals);
  with.has_display = false;
  EXPECT_EQ(choice(4, "", with), DebugIn::kTmux) << "in a server of our own";
  with.on_terminal = false;
  EXPECT_EQ(choice(4, "2", with), DebugIn::kTmux);
  with.tmux.clear();
  EXPECT_EQ(choice(4, "", with), DebugIn::kAttach);
  with = everything();
  with.gdb.clear();
  EXPECT_EQ(choice(4, "2", with), DebugIn::kAttach);
  EXPECT_EQ((*plan_debugging(Arguments{}, everything())).in, DebugIn::kNowhere);
}

TEST(DebugPlan, DoesAsItIsToldOrSaysWhyNot) {
  EXPECT_EQ((*plan_debugging(debugging(4, "2", "attach"), everything())).in, DebugIn::kAttach);
  EXPECT_EQ((*plan_debugging(debugging(4, "2", "terminals"), everything())).in, DebugIn::kTerminals);
  EXPECT_EQ((*plan_debugging(debugging(4, "2", "tmux"), everything())).in, DebugIn::kTmux);
  EXPECT_EQ((*plan_debugging(debugging(4, "2", "here"), everything())).in, DebugIn::kHere);
  const Surroundings nothing;
  Surroundings with{.gdb = "/bin/gdb"};
  EXPECT_EQ((*plan_debugging(debugging(4, "2", "attach"), nothing)).in, DebugIn::kAttach);
  EXPECT_EQ(error(debugging(4, "2", "tmux"), nothing),
            "--debug-in tmux: gdb is not in PATH; install it, or choose attach and use a debugger of your own");
  EXPECT_EQ(error(debugging(4, "2", "tmux"), with),
            "--debug-in tmux: tmux is not in PATH; install it, or choose terminals or attach");
  EXPECT_EQ(error(debugging(4, "2", "terminals"), with),
            "--debug-in terminals: DISPLAY is not set; choose tmux or attach");
  with.has_display = true;
  EXPECT_NE(error(debugging(4, "2", "terminals"), with).find("neither x-terminal-emulator nor xterm"),
            std::string::npos);
  EXPECT_EQ(error(debugging(4, "2", "here"), with), "--debug-in here: this is no terminal; choose tmux or attach");
  EXPECT_EQ(error(debugging(4, "1,2", "here"), everything()),
            "--debug-in here: 2 PEs cannot share a terminal; name one, such as --debug=0, or choose tmux");
}

TEST(DebugPlan, ReadsThePes) {
  using List = std::vector<int>;
  EXPECT_EQ(*read_pe_list("", 3), (List{0, 1, 2}));
  EXPECT_EQ(*read_pe_list("2", 3), (List{2}));
  EXPECT_EQ(*read_pe_list("5,0-2,1", 6), (List{0, 1, 2, 5}));
  for (const char* text : {"3", "-1", "0,", ",", "x", "0-3", "2-1", "0 1", "0;1", "99999999999999999999"}) {
    const auto pes = read_pe_list(text, 3);
    ASSERT_FALSE(pes) << text;
    EXPECT_EQ(std::string(pes.error().text()),
              "--debug=" + std::string(text) +
                  ": not PEs of this job; name some from 0 to 2, such as --debug=0 or --debug=0,2-3");
  }
  EXPECT_EQ(error(debugging(17, ""), everything()),
            "--debug: a debugger for each of 17 PEs is too much; name up to 16, such as --debug=0,1");
  EXPECT_EQ(error(debugging(17, "1-16"), everything()), "");
}

TEST(DebugPlan, MakesCommandLines) {
  DebugPlan plan{DebugIn::kTmux, {3}, everything()};
  EXPECT_EQ(gdb_before(plan, "/tmp/a b", {"-x", "1"}),
            (CommandLine{"/bin/gdb", "-q", "--args", "/tmp/a b", "-x", "1"}));
  EXPECT_EQ(tmux_window(plan, "", true, 3, 77),
            (CommandLine{"/bin/tmux", "new-window", "-d", "-P", "-F", "#{pid} #{window_id}", "-n", "PE 3", "/bin/gdb",
                         "-q", "-p", "77"}));
  EXPECT_EQ(tmux_window(plan, "/tmp/s", true, 3, 77),
            (CommandLine{"/bin/tmux", "-S", "/tmp/s", "new-session", "-d", "-P", "-F", "#{pid} #{window_id}", "-n",
                         "PE 3", "/bin/gdb", "-q", "-p", "77"}));
  EXPECT_EQ(tmux_window(plan, "/tmp/s", false, 3, 77)[3], "new-window");
  EXPECT_EQ(terminal_window(plan, 77), (CommandLine{"/bin/xterm", "-e", "/bin/gdb", "-q", "-p", "77"}));
}

}  // namespace
}  // namespace weft::launch::command
