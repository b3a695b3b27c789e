#include "tests/campaign_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

namespace coppice {

namespace fs = std::filesystem;

CampaignProcesses::CampaignProcesses(const std::string& place) {
  std::string name =
      testing::UnitTest::GetInstance()->current_test_info()->name();
  std::replace(name.begin(), name.end(), '/', '_');
  directory_ = fs::path(testing::TempDir()) / name / place;
  fs::remove_all(directory_);
  fs::create_directories(directory_);
}

CampaignProcesses::~CampaignProcesses() {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

pid_t CampaignProcesses::Start(const Arguments& arguments,
                               const std::string& die_at_commit) const {
  std::vector<char*> argv{const_cast<char*>(COPPICE_PROGRAM)};
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  const fs::path output = directory_ / "output";
  const pid_t child = fork();
  if (child != 0) return child;
  const int out =
      open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC,
           0600);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  if (!die_at_commit.empty()) {
    setenv("COPPICE_TEST_DIE_AT_COMMIT", die_at_commit.c_str(), 1);
  }
  execv(die_at_commit.empty() ? COPPICE_PROGRAM : COPPICE_PROGRAM "-mortal",
        argv.data());
  _exit(127);
}

int CampaignProcesses::Wait(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

std::string CampaignProcesses::Output() const {
  std::ifstream file(directory_ / "output");
  std::string output;
  // What this machine does beside is no matter of the tests.
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("this machine is not quiet: ")) continue;
    output += line + (file.eof() ? "" : "\n");
  }
  return output;
}

std::string CampaignProcesses::Succeed(const Arguments& arguments) const {
  const int status = Wait(Start(arguments));
  EXPECT_TRUE(WIFEXITED(status)) << arguments[0];
  EXPECT_EQ(WEXITSTATUS(status), 0) << arguments[0] << "\n" << Output();
  return Output();
}

int CampaignProcesses::Count(const fs::path& database,
                             const std::string& rows) const {
  const std::string csv = Succeed({"sql", "--csv", "--db", database.string(),
                                   "SELECT count(*) AS n FROM " + rows});
  EXPECT_TRUE(csv.starts_with("n\n")) << csv;
  return std::atoi(csv.c_str() + 2);
}

CampaignProcesses::Fired CampaignProcesses::RunUnderFire(
    const Arguments& arguments, RandomStream& stream,
    std::chrono::microseconds longest,
    const std::function<void()>& killed) const {
  for (Fired fired;; ++fired.kills) {
    const pid_t child = Start(arguments);
    const auto range = static_cast<std::uint64_t>(longest.count());
    std::this_thread::sleep_for(std::chrono::microseconds(
        static_cast<std::int64_t>(stream.Below(range))));
    kill(child, SIGKILL);
    const int status = Wait(child);
    if (!WIFSIGNALED(status)) {
      fired.exit_code = WEXITSTATUS(status);
      return fired;
    }
    killed();
    longest += longest / 10;
  }
}

void CampaignProcesses::ExpectEachAnswerUsedOnce(const fs::path& database,
                                                 int budget) const {
  EXPECT_EQ(Count(database, "attempts"), budget);
  EXPECT_EQ(Count(database, "attempts WHERE node IS NOT NULL"), budget);
  EXPECT_EQ(Count(database, "nodes"), budget + 1);
  EXPECT_EQ(Count(database, "calls WHERE outcome = 'sent'"), 0);
  EXPECT_EQ(Count(database,
                  "(SELECT 1 FROM calls WHERE outcome = 'answered'"
                  " GROUP BY campaign, decision, role"
                  " HAVING count(*) > 1 + (sum(error <> '') > 0))"),
            0);
  EXPECT_EQ(Count(database,
                  "calls JOIN attempts USING (campaign, decision)"
                  " WHERE outcome = 'answered' AND error = ''"
                  " AND anchors IS NULL AND source_blob IS NULL"
                  " AND no_candidate_reason IS NULL"),
            0);
  Succeed({"db", "doctor", "--db", database.string()});
  const std::string replayed =
      Succeed({"replay", database.string(), "--check"});
  EXPECT_NE(replayed.find("all " + std::to_string(budget) + " decisions agree"),
            std::string::npos)
      << replayed;
}

}  // namespace coppice
