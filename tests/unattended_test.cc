// Campaigns that nobody looks after, while the outside fails them: somebody
// locks their database, a disk has no room.  They say so, and go on by
// themselves once it is over; and they tell their user by a command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>

#include "store/database.h"
#include "tests/campaign_process.h"
#include "tests/model_server.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Another program that has a database open.
class Other {
 public:
  explicit Other(const fs::path& path) {
    if (sqlite3_open(path.c_str(), &database_) != SQLITE_OK) {
      throw std::runtime_error("sqlite3_open");
    }
    sqlite3_busy_timeout(database_, 60'000);
  }
  ~Other() { sqlite3_close(database_); }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

  void Do(const char* sql) const {
    EXPECT_EQ(sqlite3_exec(database_, sql, nullptr, nullptr, nullptr),
              SQLITE_OK)
        << sqlite3_errmsg(database_);
  }

  int Count(const std::string& rows) const {
    int count = -1;
    const std::string sql = "SELECT count(*) FROM " + rows;
    sqlite3_exec(
        database_, sql.c_str(),
        [](void* to, int, char** values, char**) {
          *static_cast<int*>(to) = std::atoi(values[0]);
          return 0;
        },
        &count, nullptr);
    return count;
  }

 private:
  sqlite3* database_ = nullptr;
};

class UnattendedTest : public testing::Test, protected CampaignProcesses {
 protected:
  UnattendedTest() {
    setenv("no_proxy", "127.0.0.1", 1);
    setenv("OPENAI_API_KEY", "sk-unattended", 1);
    signal(SIGINT, SIG_DFL);  // What is ignored is inherited.
  }
  ~UnattendedTest() override {
    umount2((directory() / "small").c_str(), MNT_DETACH);
  }

  template <class Condition>
  static void Until(pid_t child, const Condition& condition) {
    while (!condition()) {
      if (waitpid(child, nullptr, WNOHANG) != 0) {
        throw std::runtime_error("the campaign has ended");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  void UntilItSays(pid_t child, const std::string& what) const {
    Until(child, [&] { return Output().find(what) != std::string::npos; });
  }

  static int ExitOf(pid_t child) {
    const int status = Wait(child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  // A file system of its own; false: it may not be mounted here.
  bool MountSmall(const std::string& size) const {
    const fs::path small = directory() / "small";
    fs::create_directories(small);
    return mount("tmpfs", small.c_str(), "tmpfs", 0,
                 ("size=" + size).c_str()) == 0;
  }
  void MakeRoom() const {
    EXPECT_EQ(mount("tmpfs", (directory() / "small").c_str(), "tmpfs",
                    MS_REMOUNT, "size=200m"),
              0);
  }

  Arguments LongRun(const fs::path& database) const {
    return {"run", "sim:basic", "--budget", "1000000", "--db", database};
  }
};

TEST_F(UnattendedTest, ALockIsWaitedForAndTheCampaignGoesOn) {
  const fs::path database = Database("x");
  const pid_t child = Start(LongRun(database));
  UntilItSays(child, "attempts");
  const Other other(database);
  other.Do("BEGIN EXCLUSIVE");
  UntilItSays(child, "x.db: locked by another process; waiting for 0:0");
  const int before = other.Count("node");
  other.Do("COMMIT");
  Until(child, [&] { return other.Count("node") > before + 10; });
  kill(child, SIGINT);
  EXPECT_EQ(ExitOf(child), 130);
  Succeed({"db", "doctor", "--db", database});
}

// It comes before the campaign has a row.
TEST_F(UnattendedTest, StoppingEndsTheWaitForALock) {
  const fs::path database = Database("x");
  Succeed({"run", "sim:basic", "--budget", "5", "--db", database});
  const Other other(database);
  other.Do("BEGIN EXCLUSIVE");
  const pid_t child =
      Start({"run", "sim:hill/1", "--db", database, "--progress", "none"});
  UntilItSays(child, "locked by another process; waiting for");
  kill(child, SIGINT);
  EXPECT_EQ(ExitOf(child), 130);
  EXPECT_THAT(Output(), HasSubstr("x.db: locked by another process: "));
  other.Do("COMMIT");
  Succeed({"db", "doctor", "--db", database});
  EXPECT_EQ(other.Count("campaign"), 1);
}

TEST_F(UnattendedTest, AnImportSaysWhatItWaitsFor) {
  const fs::path database = Database("x");
  Succeed({"run", "sim:basic", "--budget", "1", "--db", database});
  const fs::path list = directory() / "list.jsonl";
  std::ofstream(list) << R"({"code": "int x;"})"
                      << "\n";
  const Other other(database);
  other.Do("BEGIN EXCLUSIVE");
  const pid_t child = Start({"import", "kernels", list, "--task", "row_sum",
                             "--unmeasured", "--db", database});
  UntilItSays(child, "x.db: locked by another process; waiting for 0:0");
  other.Do("COMMIT");
  EXPECT_EQ(ExitOf(child), 0) << Output();
  EXPECT_EQ(other.Count("claim"), 1);
}

// All of its campaigns wait for the same.
TEST_F(UnattendedTest, AComparisonSaysOnceWhatItWaitsFor) {
  const fs::path database = Database("x");
  const pid_t child =
      Start({"compare", database, "--policies", "greedy,stark", "--tasks",
             "sim:basic", "--seeds", "2", "--budget", "1000000", "--parallel",
             "4", "--progress", "plain"});
  const auto has_nodes = [&](int least) {
    return fs::exists(database) && Other(database).Count("node") > least;
  };
  Until(child, [&] { return has_nodes(40); });
  const Other other(database);
  other.Do("BEGIN EXCLUSIVE");
  const std::string outage = "locked by another process; waiting for";
  UntilItSays(child, outage);
  const int before = other.Count("node");
  other.Do("COMMIT");
  Until(child, [&] { return has_nodes(before + 40); });
  kill(child, SIGINT);
  EXPECT_EQ(ExitOf(child), 130);
  const std::string said = Output();
  EXPECT_EQ(said.find(outage), said.rfind(outage)) << said;
  EXPECT_THAT(said, HasSubstr("stopped; continue with: coppice compare " +
                              database.string()));
}

TEST_F(UnattendedTest, WhoOnlyLooksDoesNotWaitForLong) {
  const fs::path database = Database("x");
  Succeed({"run", "sim:basic", "--budget", "5", "--db", database});
  {
    const Other other(database);
    other.Do("PRAGMA locking_mode = EXCLUSIVE");
    other.Do("BEGIN EXCLUSIVE");
    EXPECT_EQ(ExitOf(Start({"status", "--db", database})), 1);
    EXPECT_THAT(Output(), HasSubstr("x.db: locked by another process"));
    other.Do("COMMIT");
  }
  Succeed({"status", "--db", database});
}

// Two processes with four calls each under way, whose leases run out while
// nobody can renew them: nobody's attempt is taken away, and no call is lost.
TEST_F(UnattendedTest, CallsUnderWayOutliveALock) {
  const ModelServer server({.latency = std::chrono::milliseconds(300)});
  const fs::path database = Database("x");
  const Arguments run = {"run",
                         "sim:basic",
                         "--db",
                         database,
                         "--budget",
                         "40",
                         "--parallel",
                         "4",
                         "--lease-s",
                         "3",
                         "--plan-model",
                         "openai:gpt-4.1",
                         "--code-model",
                         "openai:gpt-4.1",
                         "--debug-model",
                         "openai:gpt-4.1",
                         "--openai-base-url",
                         server.Url()};
  const pid_t first = Start(run);
  Until(first, [&] { return server.Calls().size() >= 4; });
  const pid_t second = Start(run);
  Until(second, [&] { return server.Calls().size() >= 16; });
  const Other other(database);
  other.Do("BEGIN EXCLUSIVE");
  UntilItSays(second, "locked by another process; waiting for");
  other.Do("COMMIT");
  EXPECT_EQ(ExitOf(first), 0);
  EXPECT_EQ(ExitOf(second), 0);
  EXPECT_EQ(other.Count("event WHERE kind = 'adopted'"), 0);
  EXPECT_EQ(other.Count("wire_calls WHERE outcome <> 'answered'"), 0);
  ExpectEachAnswerUsedOnce(database, 40);
}

TEST_F(UnattendedTest, AFullDiskIsWaitedForAndTheCampaignGoesOn) {
  if (!MountSmall("1m")) GTEST_SKIP() << "skipped: may not mount a tmpfs";
  const fs::path database = directory() / "small" / "x.db";
  const pid_t child = Start(LongRun(database));
  UntilItSays(child, "x.db: disk full: ");
  const Other other(database);
  const int before = other.Count("node");
  MakeRoom();
  Until(child, [&] { return other.Count("node") > before + 10; });
  kill(child, SIGINT);
  EXPECT_EQ(ExitOf(child), 130);
  Succeed({"db", "doctor", "--db", database});
  Succeed({"replay", database, "--check"});
}

TEST_F(UnattendedTest, StoppingOnAFullDiskLosesNothing) {
  if (!MountSmall("1m")) GTEST_SKIP() << "skipped: may not mount a tmpfs";
  const fs::path database = directory() / "small" / "x.db";
  const pid_t child = Start(LongRun(database));
  UntilItSays(child, "x.db: disk full: ");
  kill(child, SIGINT);
  EXPECT_EQ(ExitOf(child), 130);
  MakeRoom();
  Succeed({"db", "doctor", "--db", database});
  const Other other(database);
  const int before = other.Count("node");
  const pid_t again = Start({"resume", "--db", database});
  Until(again, [&] { return other.Count("node") > before + 10; });
  kill(again, SIGINT);
  EXPECT_EQ(ExitOf(again), 130);
}

// The disk of the compiled kernels is another than the database's.
TEST_F(UnattendedTest, NoCandidateIsJudgedByAFullDisk) {
  if (!MountSmall("64k")) GTEST_SKIP() << "skipped: may not mount a tmpfs";
  const fs::path database = Database("x");
  const pid_t child =
      Start({"run", "row_sum", "--budget", "2", "--db", database,
             "--cache-directory", directory() / "small" / "cache"});
  UntilItSays(child, "waiting for 0:0");
  MakeRoom();
  const int exit = ExitOf(child);
  EXPECT_TRUE(exit == 0 || exit == 3) << Output();
  EXPECT_EQ(Count(database, "attempts WHERE stage = 'committed'"), 2);
  EXPECT_EQ(Count(database, "nodes WHERE verdict = 'compile_failed'"), 0);
}

TEST_F(UnattendedTest, ACommandOfTheUsersIsTold) {
  const fs::path database = Database("x");
  const fs::path told = directory() / "told";
  const std::string command = "echo \"$COPPICE_EVENT: $COPPICE_MESSAGE\" >>" +
                              told.string() + "; " + COPPICE_PROGRAM +
                              " status >>" + told.string();
  Succeed({"run", "sim:basic", "--budget", "30", "--db", database, "--on",
           "done", command, "--on-best", "false"});
  EXPECT_THAT(Output(), HasSubstr("--on best: exit code 1"));
  std::ifstream in(told);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_THAT(text,
              HasSubstr("done: sim:basic.xei_hint.s1 is done: 30 attempts"));
  EXPECT_THAT(text, HasSubstr("finished"));  // By `status`.
  // It is not the database's, which may be anybody's.
  EXPECT_EQ(Count(database, "settings WHERE key LIKE 'on_%'"), 0);
  fs::remove(told);
  Succeed(
      {"resume", "sim:basic.xei_hint.s1", "--budget", "40", "--db", database});
  EXPECT_FALSE(fs::exists(told));
}

}  // namespace
}  // namespace coppice
