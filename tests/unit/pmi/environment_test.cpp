#include "pmi/environment.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace weft::pmi {
namespace {

std::map<std::string, std::string> g_variables;

Environment with(std::map<std::string, std::string> variables) {
  g_variables = std::move(variables);
  return read_environment([](const char* name) -> const char* {
    const auto found = g_variables.find(name);
    return found == g_variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Environment, NamesNoManagerWhereThereIsNone) {
  EXPECT_FALSE(with({}).several());
  // A shell in an allocation of Slurm.
  EXPECT_FALSE(with({{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "4"}, {"SLURM_STEP_NUM_TASKS", "1"}}).several());
}

TEST(Environment, KnowsHydraAndSlurmByTheDescriptor) {
  const Environment found = with({{"PMI_FD", "9"}, {"PMI_RANK", "2"}, {"PMI_SIZE", "3"}});
  EXPECT_TRUE(found.pmi1 && found.several());
  EXPECT_EQ(found.pmi1_fd, 9);
  EXPECT_EQ(found.pmi1_rank, 2);
  EXPECT_EQ(found.pmi1_size, 3);
  EXPECT_FALSE(with({{"PMI_FD", "9"}, {"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}).several());
}

TEST(Environment, TakesNoDamagedNumber) {
  for (const char* wrong : {"", "x", "-1", "3x", "99999999999"}) {
    EXPECT_FALSE(with({{"PMI_FD", wrong}, {"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}).pmi1) << wrong;
    EXPECT_FALSE(with({{"PMI_FD", "3"}, {"PMI_RANK", "0"}, {"PMI_SIZE", wrong}}).pmi1) << wrong;
  }
}

TEST(Environment, KnowsPmixAndTheSizeThatItsLaunchersTell) {
  const std::map<std::string, std::string> pmix{{"PMIX_NAMESPACE", "a"}, {"PMIX_RANK", "0"}};
  EXPECT_TRUE(with(pmix).several());  // nobody says how many
  auto one = pmix;
  one["OMPI_COMM_WORLD_SIZE"] = "1";
  one["SLURM_STEP_NUM_TASKS"] = "4";  // of the step that mpirun was started in
  EXPECT_FALSE(with(one).several());
  auto slurm = pmix;
  slurm["SLURM_STEP_NUM_TASKS"] = "4";
  EXPECT_EQ(with(slurm).pmix_size, 4);
  EXPECT_FALSE(with({{"PMIX_NAMESPACE", "a"}}).pmix);
}

TEST(Environment, TellsHowManyPesToHaveRoomFor) {
  const std::map<std::string, std::string> pmi1{{"PMI_FD", "9"}, {"PMI_RANK", "2"}, {"PMI_SIZE", "3"}};
  EXPECT_EQ(with(pmi1).most_pes(), 3);
  auto both = pmi1;
  both["PMIX_NAMESPACE"] = "a";
  both["PMIX_RANK"] = "0";
  EXPECT_EQ(with(both).most_pes(), 4096);  // PMIx has not told
  both["OMPI_COMM_WORLD_SIZE"] = "8";
  EXPECT_EQ(with(both).most_pes(), 8);
  both["OMPI_COMM_WORLD_SIZE"] = "100000";
  EXPECT_EQ(with(both).most_pes(), 4096);
}

TEST(Environment, GuessesTheFirstPeOfTheNode) {
  EXPECT_EQ(with({}).first_here, 0);
  EXPECT_EQ(with({{"OMPI_COMM_WORLD_RANK", "5"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}}).first_here, 4);
  EXPECT_EQ(with({{"PMI_RANK", "7"}, {"MPI_LOCALRANKID", "3"}, {"SLURM_PROCID", "1"}}).first_here, 4);
  EXPECT_EQ(with({{"PMI_RANK", "3"}, {"SLURM_PROCID", "3"}, {"SLURM_LOCALID", "1"}}).first_here, 2);
  EXPECT_EQ(with({{"PMI_RANK", "3"}, {"MPI_LOCALRANKID", "4"}}).first_here, 0);  // cannot be
}

TEST(Environment, KnowsTasksThatNobodyToldOfEachOther) {
  std::map<std::string, std::string> task{{"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_PROCID", "0"}};
  EXPECT_EQ(with(task).tasks_alone, 4);
  task["SLURM_PROCID"] = "1";  // one of them says so
  EXPECT_EQ(with(task).tasks_alone, 0);
  EXPECT_EQ(with({{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}}).tasks_alone, 0);  // a script of sbatch
  EXPECT_EQ(
      with(
          {{"SLURM_STEP_NUM_TASKS", "4"}, {"SLURM_PROCID", "0"}, {"PMI_FD", "3"}, {"PMI_RANK", "0"}, {"PMI_SIZE", "4"}})
          .tasks_alone,
      0);
}

TEST(Environment, KnowsAManagerThatWantsToBeCalled) {
  EXPECT_TRUE(with({{"PMI_PORT", "host:1"}, {"PMI_ID", "0"}}).pmi1_port);
  EXPECT_TRUE(with({{"PMI_PORT", "host:1"}, {"PMI_ID", "0"}}).several());
}

}  // namespace
}  // namespace weft::pmi
