#include "launch/command/arguments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "line.hpp"

namespace weft::launch::command {
namespace {

TEST(Arguments, ReadsTheNumberOfPesInEveryWayPeopleWriteIt) {
  for (const char* text : {"-n 4 prog", "-np 4 prog", "--np 4 prog", "-n4 prog", "-np4 prog", "-n=4 prog", "-np=4 prog",
                           "--np=4 prog", "-v -n 4 prog", "-n 4 --verbose prog", "-n 4 -- prog", "-n 9 -n 4 prog"}) {
    const Line line(text);
    ASSERT_TRUE(line.result) << text << ": " << line.error();
    EXPECT_EQ((*line.result).n_pes, 4) << text;
    EXPECT_EQ(line.program(), "prog") << text;
  }
}

TEST(Arguments, LeavesTheRestToTheProgram) {
  const Line line("-n 2 prog -n 7 --help -v -- -x");
  ASSERT_TRUE(line.result);
  EXPECT_EQ((*line.result).n_pes, 2);
  EXPECT_FALSE((*line.result).verbose);
  EXPECT_EQ(line.program(), "prog -n 7 --help -v -- -x");
  EXPECT_EQ(Line("-n 2 -- -strange -n").program(), "-strange -n");
}

TEST(Arguments, ReadsSeveralPrograms) {
  const Line line("-n 2 --tag-output ./a x : -n 3 ./b -n y : -np=1 -- ./c");
  ASSERT_TRUE(line.result) << line.error();
  EXPECT_EQ((*line.result).n_pes, 6);
  ASSERT_EQ((*line.result).parts.size(), 3U);
  EXPECT_EQ((*line.result).parts[1].n_pes, 3);
  EXPECT_EQ(line.program(0), "./a x");
  EXPECT_EQ(line.program(1), "./b -n y");
  EXPECT_EQ(line.program(2), "./c");
}

TEST(Arguments, LeavesAColonOfTheProgramAlone) {
  EXPECT_EQ(Line("-n 2 sh -c :").program(), "sh -c :");
  EXPECT_EQ(Line("-n 2 a : -").program(), "a : -");
}

TEST(Arguments, GivesOnePeToAPartWithoutANumber) {
  const Line line("./server : -n 3 ./worker x : ./logger : -v ./last");
  ASSERT_TRUE(line.result) << line.error();
  ASSERT_EQ((*line.result).parts.size(), 4U);
  EXPECT_EQ((*line.result).n_pes, 6);
  EXPECT_EQ((*line.result).parts[0].n_pes, 1);
  EXPECT_EQ((*line.result).parts[1].n_pes, 3);
  EXPECT_EQ((*line.result).parts[3].n_pes, 1);
  EXPECT_EQ(line.program(1), "./worker x");
  EXPECT_EQ(line.program(2), "./logger");
  EXPECT_TRUE((*line.result).verbose);
}

TEST(Arguments, AsksForWhatIsMissingInAPart) {
  EXPECT_NE(Line("-n 2 ./a : -n 3").error().find("no program given"), std::string::npos);
  EXPECT_NE(Line("-n 2 : -n 3 ./b").error().find("no program given"), std::string::npos);
  EXPECT_EQ(Line("-n 1000000 ./a : -n 50000 ./b").error(), "1050000 PEs in all: a job may have 1048576");
}

TEST(Arguments, KnowsHelpVersionAndVerbose) {
  EXPECT_EQ((*Line("--help").result).wish, Wish::kHelp);
  EXPECT_EQ((*Line("-h").result).wish, Wish::kHelp);
  EXPECT_EQ((*Line("-n 3 --help").result).wish, Wish::kHelp);
  EXPECT_EQ((*Line("--version").result).wish, Wish::kVersion);
  EXPECT_EQ((*Line("-V").result).wish, Wish::kVersion);
  EXPECT_TRUE((*Line("-v -n 1 x").result).verbose);
  EXPECT_FALSE((*Line("-n 1 x").result).verbose);
}

TEST(Arguments, SaysWhatIsWrongWithTheNumber) {
  EXPECT_EQ(Line("-n 0 prog").error(), "-n 0: the number of PEs must be from 1 to 1048576");
  EXPECT_EQ(Line("-n -3 prog").error(), "-n -3: the number of PEs must be from 1 to 1048576");
  EXPECT_EQ(Line("-np 1048577 prog").error(), "-np 1048577: the number of PEs must be from 1 to 1048576");
  EXPECT_EQ(Line("--np=99999999999 prog").error(), "--np 99999999999: the number of PEs must be from 1 to 1048576");
  EXPECT_EQ(Line("-n four prog").error(), "-n four: not a whole number; give the number of PEs, from 1 to 1048576");
  EXPECT_EQ(Line("-n 4x prog").error(), "-n 4x: not a whole number; give the number of PEs, from 1 to 1048576");
  EXPECT_EQ(Line("-n ./prog").error(), "-n ./prog: not a whole number; give the number of PEs, from 1 to 1048576");
  EXPECT_EQ(Line("-n").error(), "-n needs the number of PEs, such as -n 4");
}

TEST(Arguments, AsksForWhatIsMissing) {
  EXPECT_NE(Line("").error().find("no program given"), std::string::npos);
  EXPECT_NE(Line("-n 4").error().find("no program given"), std::string::npos);
  EXPECT_EQ(Line("./hello").error(), "the number of PEs is missing; use: oshrun -n 4 ./hello");
}

TEST(Arguments, NamesTheNearestOption) {
  EXPECT_EQ(Line("--hlep").error(), "there is no option --hlep; did you mean --help?");
  EXPECT_EQ(Line("--verison -n 2 x").error(), "there is no option --verison; did you mean --version?");
  EXPECT_EQ(Line("--verbos -n 2 x").error(), "there is no option --verbos; did you mean --verbose?");
  EXPECT_EQ(Line("--tag-outptu -n 2 x").error(), "there is no option --tag-outptu; did you mean --tag-output?");
  EXPECT_EQ(Line("--wdri=/tmp -n 2 x").error(), "there is no option --wdri; did you mean --wdir?");
  EXPECT_EQ(Line("--n 2 x").error(), "there is no option --n; did you mean -n?");
  EXPECT_EQ(Line("--something-else x").error(), "there is no option --something-else; see oshrun --help");
  EXPECT_EQ(Line("--verbose=3 x").error(), "--verbose=3: this option takes no value");
}

TEST(Arguments, ReadsWhereTheOutputGoes) {
  EXPECT_TRUE((*Line("-n 2 --tag-output x").result).tag_output);
  EXPECT_EQ((*Line("-n 2 --output-dir a/b x").result).output_dir, "a/b");
  EXPECT_EQ((*Line("-n 2 --output-dir=[c] x").result).output_dir, "[c]");
  EXPECT_EQ(Line("-n 2 --output-dir").error(), "--output-dir needs a value: --output-dir DIR; see oshrun --help");
  EXPECT_EQ(Line("-n 2 --output-dir= x").error(), "--output-dir needs a value: --output-dir DIR; see oshrun --help");
  EXPECT_NE(Line("-n 2 --tag-output --output-dir a x").error().find("leave one of them out"), std::string::npos);
}

TEST(Arguments, ReadsWhoGetsTheInput) {
  EXPECT_EQ((*Line("-n 2 x").result).input, InputTo::kPe0);
  EXPECT_EQ((*Line("-n 2 --stdin 0 x").result).input, InputTo::kPe0);
  EXPECT_EQ((*Line("-n 2 --stdin=all x").result).input, InputTo::kAll);
  EXPECT_EQ((*Line("-n 2 --stdin none x").result).input, InputTo::kNobody);
  EXPECT_EQ(Line("-n 2 --stdin al x").error(),
            "--stdin al: no such choice; did you mean all? it is one of 0, all or none");
  EXPECT_EQ(Line("-n 2 --stdin everybody x").error(), "--stdin everybody: no such choice; it is one of 0, all or none");
}

TEST(Arguments, ReadsBindings) {
  EXPECT_EQ((*Line("-n 2 x").result).bind_to, "none");
  EXPECT_EQ((*Line("-n 2 --bind-to numa --map-by=socket x").result).bind_to, "numa");
  EXPECT_EQ((*Line("-n 2 --bind-to numa --map-by=socket x").result).map_by, "socket");
  EXPECT_TRUE((*Line("-n 2 --report-bindings x").result).report_bindings);
  EXPECT_EQ((*Line("-n 2 --threads 7 --map bt.map x").result).threads, 7);
  EXPECT_EQ((*Line("-n 2 --threads 7 --map bt.map x").result).map, "bt.map");
  EXPECT_EQ(Line("-n 2 --bind-to cores x").error(),
            "--bind-to cores: no such choice; did you mean core? it is one of none, core, socket or numa");
  EXPECT_EQ(Line("-n 2 --map-by none x").error(),
            "--map-by none: no such choice; did you mean node? it is one of core, socket, numa, node or slot");
  EXPECT_EQ(Line("-n 2 --map-by core x").error(),
            "--map-by core: without --bind-to nothing is bound; add --bind-to core, socket or numa");
}

TEST(Arguments, ReadsWhatIsToBeDebugged) {
  EXPECT_FALSE((*Line("-n 2 x").result).debug);
  const Line all("-n 2 --debug ./x 0");
  EXPECT_TRUE((*all.result).debug);
  EXPECT_EQ((*all.result).debug_pes, "");
  EXPECT_EQ(all.program(), "./x 0") << "only what follows an equals sign is the value";
  EXPECT_EQ((*Line("-n 2 --debug=0,1 x").result).debug_pes, "0,1");
  EXPECT_EQ((*Line("-n 2 --debug --debug-in tmux x").result).debug_in, "tmux");
  EXPECT_EQ(Line("-n 2 --debug= x").error(), "--debug needs a value: --debug[=PE,...]; see oshrun --help");
  EXPECT_EQ(Line("-n 2 --debug --debug-in tmax x").error(),
            "--debug-in tmax: no such choice; did you mean tmux? it is one of here, tmux, terminals or attach");
  EXPECT_NE(Line("-n 2 --debug-in tmux x").error().find("without --debug nothing is debugged"), std::string::npos);
}

TEST(Arguments, TakesAProfile) {
  EXPECT_FALSE((*Line("-n 2 x").result).profile);
  EXPECT_TRUE((*Line("-n 2 --profile x").result).profile);
  EXPECT_EQ((*Line("-n 2 --profile x").result).profile_dir, "");
  EXPECT_EQ((*Line("-n 2 --profile=some/dir x").result).profile_dir, "some/dir");
  EXPECT_EQ(Line("-n 2 --profile= x").error(), "--profile needs a value: --profile[=DIR]; see oshrun --help");
}

// A neighbour that has too much to do may be silent for five seconds and more; a job is to end within 30 of a host's
// death.
TEST(Arguments, WaitsLongEnoughForASilentHostAndNotTooLong) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const std::uint64_t waits = (*Line("-n 2 x").result).silence;
  EXPECT_GE(waits, 10 * kSecond);
  EXPECT_LE(waits, 25 * kSecond);
  EXPECT_EQ((*Line("-n 2 --link-timeout 3s x").result).silence, 3 * kSecond);
  EXPECT_EQ((*Line("-n 2 --link-timeout none x").result).silence, 0U);
}

TEST(Arguments, ReadsTimes) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  EXPECT_EQ((*Line("-n 2 x").result).timeout, 0U);
  EXPECT_EQ((*Line("-n 2 --timeout 90 x").result).timeout, 90 * kSecond);
  EXPECT_EQ((*Line("-n 2 --timeout 90s x").result).timeout, 90 * kSecond);
  EXPECT_EQ((*Line("-n 2 --timeout=10m x").result).timeout, 600 * kSecond);
  EXPECT_EQ((*Line("-n 2 --timeout 1.5h x").result).timeout, 5400 * kSecond);
  for (const char* text : {"x", "5x", "-1", "0", "nan", "inf", "1e9999", "99999999999999", "s", "+3"}) {
    std::string line = std::string("-n 2 --timeout=") + text + " x";
    EXPECT_NE(Line(line).error().find("not a time; give seconds"), std::string::npos) << text;
  }
}

TEST(Arguments, ReadsVariables) {
  using Words = std::vector<std::string>;
  ASSERT_EQ(::setenv("WEFT_TEST_HERE", "a value", 1), 0);
  EXPECT_EQ((*Line("-n 2 --env A=1 --env=B=x=y --env C= --env WEFT_TEST_HERE x").result).environment,
            (Words{"A=1", "B=x=y", "C=", "WEFT_TEST_HERE=a value"}));
  EXPECT_EQ(Line("-n 2 --env WEFT_TEST_NOWHERE x").error(),
            "--env WEFT_TEST_NOWHERE: it is not set here; export it, or write WEFT_TEST_NOWHERE=VALUE");
  EXPECT_EQ(Line("-n 2 --env =3 x").error(), "--env =3: the variable has no name; write NAME=VALUE");
  EXPECT_EQ(Line("-n 2 --env WEFT_PE=3 x").error(),
            "--env WEFT_PE=3: oshrun sets WEFT_PE itself, for each PE; leave it out");
}

// As users of mpirun, mpiexec and srun write it.
TEST(Arguments, UnderstandsOtherLaunchersWords) {
  using Words = std::vector<std::string>;
  ASSERT_EQ(::setenv("WEFT_TEST_HERE", "a value", 1), 0);
  EXPECT_EQ((*Line("-n 2 -x A=1 -x WEFT_TEST_HERE -genv B 2 -genv C=3 --genv E -5 p").result).environment,
            (Words{"A=1", "WEFT_TEST_HERE=a value", "B=2", "C=3", "E=-5"}));
  EXPECT_EQ((*Line("-n 2 -env D x=y -env F=1 p").result).parts[0].environment, (Words{"D=x=y", "F=1"}));
  EXPECT_EQ(Line("-n 2 -genv B").error(), "-genv B needs the variable's value, as the next word");
  EXPECT_EQ(Line("-n 2 -genv WEFT_PE 3 p").error(),
            "-genv WEFT_PE=3: oshrun sets WEFT_PE itself, for each PE; leave it out");
  for (const char* text : {"-n 2 --host a,b p", "-n 2 -host a,b p", "-n 2 -hosts a,b p", "-n 2 -H a,b p"}) {
    EXPECT_EQ((*Line(text).result).hosts, "a,b") << text;
  }
  for (const char* text : {"-n 2 -hostfile f p", "-n 2 -machinefile f p", "-n 2 -f f p", "--hostfile=f -n 2 p"}) {
    EXPECT_EQ((*Line(text).result).host_file, "f") << text;
  }
  for (const char* text : {"-n 2 -wdir d p", "-n 2 --wd d p", "-n 2 -wd=d p", "-n 2 --chdir=d p", "-n 2 -D d p"}) {
    EXPECT_EQ((*Line(text).result).work_dir, "d") << text;
  }
  for (const char* text : {"-n 2 -l p", "-n 2 --label p", "-n 2 -prepend-rank p", "-n 2 -tag-output p"}) {
    EXPECT_TRUE((*Line(text).result).tag_output) << text;
  }
  for (const char* text : {"--oversubscribe -n 2 p -z", "-oversubscribe -n 2 p -z", "--allow-run-as-root -n 2 p -z",
                           "-genvall -n 2 p -z", "-K -u -n 2 p -z"}) {
    EXPECT_EQ(Line(text).error(), "") << text;
    EXPECT_EQ(Line(text).program(), "p -z") << text;
  }
  EXPECT_EQ((*Line("--ntasks=3 p").result).n_pes, 3);
  EXPECT_EQ((*Line("-n 2 -bind-to core -map-by socket p").result).bind_to, "core");
  EXPECT_EQ((*Line("-n 2 -timeout 3 p").result).timeout, 3'000'000'000U);
}

TEST(Arguments, CountsPesByHosts) {
  EXPECT_EQ((*Line("-N 4 p").result).n_pes, 4);
  EXPECT_EQ((*Line("-N4 p").result).parts[0].n_pes, 4);
  EXPECT_EQ((*Line("-n 3 -N 4 p").result).n_pes, 3);
  EXPECT_EQ(Line("-n 5 -N 4 p").error(),
            "-N 4 (--ppn): 5 PEs are more than that on this host; add --hosts or --hostfile");
  for (const char* text : {"-N 2 -H a,b,c p", "-ppn 2 -H a,b,c p", "-npernode 2 -H a,b,c p",
                           "--map-by ppr:2:node -H a,b,c p", "--ntasks-per-node=2 -H a,b,c p"}) {
    Line line(text);
    ASSERT_TRUE(line.result) << text << ": " << line.error();
    EXPECT_EQ((*line.result).n_pes, 0) << "not known yet: " << text;
    ASSERT_TRUE(count_pes(3, *line.result));
    EXPECT_EQ((*line.result).n_pes, 6) << text;
  }
  Line many("-N 4000 -H a,b p");
  EXPECT_STREQ(count_pes(300, *many.result).error().text(),
               "-N 4000 on 300 hosts are 1200000 PEs: a job may have 1048576");
}

TEST(Arguments, MapsByNode) {
  EXPECT_TRUE((*Line("-n 2 --map-by node p").result).in_turn);
  EXPECT_TRUE((*Line("-n 2 --map-by node:OVERSUBSCRIBE p").result).in_turn);
  EXPECT_FALSE((*Line("-n 2 --map-by slot p").result).in_turn);
  EXPECT_EQ((*Line("-n 2 --map-by node p").result).map_by, "") << "what is bound is mapped by core all the same";
  EXPECT_EQ((*Line("-n 2 --bind-to core --map-by socket --map-by node p").result).map_by, "socket");
  EXPECT_EQ(Line("-n 2 --map-by ppr:x:node p").error(), "--map-by x: give a whole number from 1 to 4096");
  EXPECT_NE(Line("-n 2 --map-by node:PE=2 p").error().find("--map-by node:PE=2: no such choice"), std::string::npos);
}

TEST(Arguments, HasASentenceForWhatMeansNothingHere) {
  const auto says = [](const char* text, const char* part) {
    const std::string error = Line(text).error();
    return error.find(part) != std::string::npos && error.find("did you mean") == std::string::npos;
  };
  EXPECT_TRUE(says("--mca btl tcp,self -n 2 p", "--mca: it sets components of Open MPI"))
      << Line("--mca x y p").error();
  EXPECT_TRUE(says("-mca btl tcp,self -n 2 p", "-mca: it sets components of Open MPI"));
  EXPECT_TRUE(says("--prefix /opt -n 2 p", "--prefix: Weft lies in the same place"));
  EXPECT_TRUE(says("-iface eth0 -n 2 p", "-iface: write -x WEFT_NET_INTERFACE=eth0"));
  EXPECT_TRUE(says("--hetero -n 2 p", "--hetero: all hosts run the same Weft"));
  EXPECT_TRUE(says("-rank-by core -n 2 p", "-rank-by: PEs are numbered host after host"));
  EXPECT_TRUE(says("-m cyclic -n 2 p", "by turns over the hosts with --map-by node"));
  EXPECT_TRUE(says("-launcher ssh -n 2 p", "-launcher: hosts are reached by ssh"));
  EXPECT_TRUE(says("-outfile-pattern=x -n 2 p", "-outfile-pattern: write --output-dir DIR"));
  EXPECT_TRUE(says("-p batch -n 2 p", "-p: oshrun allocates nothing"));
  EXPECT_TRUE(says("--mpi=pmix -n 2 p", "--mpi: oshrun starts PEs by itself"));
  EXPECT_TRUE(says("-t 5 -n 2 p", "-t: write --timeout 10m"));
  EXPECT_TRUE(says("-gdb -n 2 p", "-gdb: write --debug"));
}

TEST(Help, FitsAScreen) {
  const std::string text = help_text();
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 24);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

}  // namespace
}  // namespace weft::launch::command
