// The process that workers in Python are forked from.  Needs a Python with
// PyTorch, and says so where there is none.
#include "eval/sandbox/fork_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "eval/torch/fork_servers.h"
#include "eval/torch/interpreter.h"
#include "eval/torch/worker.h"
#include "eval/torch/worker_sandbox.h"
#include "tests/chosen_python.h"

namespace coppice::eval::torch {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string TextOf(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// "12 (python3) S 7 ...": 7 is its parent.
pid_t ParentOf(const std::string& stat) {
  const std::size_t name_ends = stat.rfind(')');
  if (name_ends == std::string::npos) return -1;
  return std::atoi(stat.c_str() + name_ends + 4);
}

std::vector<pid_t> DescendantsOf(pid_t ancestor) {
  std::multimap<pid_t, pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t process = std::atoi(entry.path().filename().c_str());
    if (process == 0) continue;
    children.emplace(ParentOf(TextOf(entry.path() / "stat")), process);
  }
  std::vector<pid_t> found = {ancestor};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [begin, end] = children.equal_range(found[i]);
    for (auto child = begin; child != end; ++child) {
      found.push_back(child->second);
    }
  }
  found.erase(found.begin());
  return found;
}

bool IsServer(pid_t process) {
  return ParentOf(TextOf("/proc/" + std::to_string(process) + "/stat")) ==
             getpid() &&
         TextOf("/proc/" + std::to_string(process) + "/cmdline")
                 .find("fork_server.py") != std::string::npos;
}

std::vector<pid_t> OwnServers() {
  std::vector<pid_t> servers = DescendantsOf(getpid());
  std::erase_if(servers, [](pid_t process) { return !IsServer(process); });
  return servers;
}

// Those of `processes` that are there after up to ten seconds.
std::vector<pid_t> LeftOf(std::vector<pid_t> processes) {
  for (int i = 0; i < 1000 && !processes.empty(); ++i) {
    std::erase_if(processes, [](pid_t process) {
      const std::string stat =
          TextOf("/proc/" + std::to_string(process) + "/stat");
      return stat.empty() || stat.find(") Z ") != std::string::npos;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return processes;
}

class ForkServerTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto found = FindInterpreter(ChosenPython());
    if (!found) GTEST_SKIP() << found.error().what;
    options_.interpreter = *found;
    options_.scripts = COPPICE_PYTHON_SCRIPTS;
    const auto server =
        ForkServerFor(options_, SandboxOf(options_, WorkerRole::kKernel));
    ASSERT_TRUE(server) << server.error().what;
    if (*server == nullptr) GTEST_SKIP() << "our own jail is not to be used";
  }

  std::unique_ptr<Worker> Launch() const {
    auto worker = Worker::Launch(options_, WorkerRole::kKernel);
    EXPECT_TRUE(worker) << worker.error().what;
    if (!worker) return nullptr;
    const auto ready = (*worker)->Ready();
    EXPECT_TRUE(ready) << ready.error().what;
    return *std::move(worker);
  }

  static bool Answers(Worker& worker) {
    const auto reaction = worker.Ask({.kind = WorkerRequestKind::kLoad},
                                     R"({"source": "pass", "tf32": false})");
    return reaction && reaction->verdict == Verdict::kPassed;
  }

  WorkerOptions options_;
};

TEST_F(ForkServerTest, OneImportsTorchForAll) {
  const auto first = Launch();
  const auto second = Launch();
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(Answers(*first) && Answers(*second));
  EXPECT_THAT(OwnServers(), SizeIs(1));
}

TEST_F(ForkServerTest, WorkersOutliveTheThreadThatLaunchedThem) {
  std::unique_ptr<Worker> worker;
  std::thread([&] { worker = Launch(); }).join();
  ASSERT_TRUE(worker);
  EXPECT_TRUE(Answers(*worker));
}

TEST_F(ForkServerTest, NothingIsLeftOfAWorkerThatIsEnded) {
  auto worker = Launch();
  std::vector<pid_t> processes = DescendantsOf(OwnServers().at(0));
  EXPECT_THAT(processes, SizeIs(3));  // Who is killed, governs, and works.
  worker.reset();
  EXPECT_THAT(LeftOf(processes), IsEmpty());
}

TEST_F(ForkServerTest, OneThatIsGoneIsReplaced) {
  const auto first = Launch();
  const pid_t server = OwnServers().at(0);
  const std::vector<pid_t> workers = DescendantsOf(server);
  kill(server, SIGKILL);
  EXPECT_THAT(LeftOf(workers), IsEmpty());
  const auto second = Launch();
  ASSERT_TRUE(second);
  EXPECT_TRUE(Answers(*second));
  EXPECT_FALSE(Answers(*first));
}

TEST_F(ForkServerTest, AllEndWithTheProcessThatStartedIt) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t campaign = fork();
  if (campaign == 0) {
    options_.threads = 2;  // A server of its own.
    const auto worker = Launch();
    if (!worker || write(ends[1], "x", 1) != 1) _exit(1);
    pause();
  }
  close(ends[1]);
  char byte;
  ASSERT_EQ(read(ends[0], &byte, 1), 1);
  const std::vector<pid_t> processes = DescendantsOf(campaign);
  EXPECT_THAT(processes, SizeIs(4));
  kill(campaign, SIGKILL);
  waitpid(campaign, nullptr, 0);
  EXPECT_THAT(LeftOf(processes), IsEmpty());
}

TEST_F(ForkServerTest, APythonThatCannotImportTorchSaysSo) {
  options_.interpreter.path = "/nowhere";
  const auto worker = Worker::Launch(options_, WorkerRole::kKernel);
  ASSERT_FALSE(worker);
  EXPECT_THAT(worker.error().what, HasSubstr("PyTorch did not start: "));
  EXPECT_THAT(worker.error().what, HasSubstr("No module named 'torch'"));
}

}  // namespace
}  // namespace coppice::eval::torch
