#include "engine/service/remote_caller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/service/json.h"
#include "engine/service/test_service.h"
#include "store/scratch.h"
#include "store/write/campaigns.h"

namespace coppice::service {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Asks as a server's front does for who asks over a network.
class RemoteCallerTest : public ::testing::Test {
 protected:
  // What is wrong with a request, by the words of the operation; "" is nothing.
  std::string Refusal(const char* operation, const Json& request,
                      bool is_remote = true) {
    Call call{"test", {}, {}};
    call.is_remote = is_remote;
    const auto answer = service_.Ask(operation, request.dump(), call);
    return answer ? "" : answer.error().what;
  }

  TestService service_;
  store::ScratchDirectory directory_;
};

constexpr const char* kNoTask =
    "task: no file is opened for who asks over a network; name one that "
    "list_tasks has";

TEST_F(RemoteCallerTest, TasksOfFilesAreRefusedBeforeAnythingIsRead) {
  for (const std::string task :
       {"./mine", "/etc", "kernelbench:/etc/passwd", "fib:/etc/passwd",
        "gpumode:x", "/data:gemm", "recorded:/etc/x.csv", "fitted:/etc/x",
        "cpu:x", "../tasks/gemm"}) {
    EXPECT_EQ(Refusal("describe_task", {{"task", task}}), kNoTask) << task;
    EXPECT_EQ(Refusal("evaluate_kernel", {{"task", task}, {"source", "x"}}),
              kNoTask)
        << task;
    EXPECT_EQ(Refusal("start_campaign", {{"task", task}, {"budget", 1}}),
              kNoTask)
        << task;
  }
  for (const char* task : {"gelu_tanh", "cuda_gemv", "sim:basic"}) {
    EXPECT_EQ(Refusal("describe_task", {{"task", task}}), "") << task;
  }
  // A name that nobody has is told from others as ever.
  EXPECT_THAT(Refusal("describe_task", {{"task", "gelu_tan"}}),
              HasSubstr("did you mean gelu_tanh?"));
}

// Who began a campaign on this machine has named its task.
TEST_F(RemoteCallerTest, ATaskOfTheServersHistoryIsKnown) {
  const std::string task = directory_.File("none").string();
  store::Database database = store::NewFile(service_.database());
  store::CampaignSpec spec = store::SpecNamed("c");
  spec.task_name = task;
  store::Must(store::Campaigns(database).Create(spec));
  EXPECT_THAT(Refusal("describe_task", {{"task", task}}),
              HasSubstr("no such task"));
  EXPECT_EQ(Refusal("describe_task", {{"task", task + "x"}}), kNoTask);
}

// Not even that it is there, or what it is, may be told by the answer.
TEST_F(RemoteCallerTest, NoHistoryButTheServersOwnIsOpened) {
  store::NewFile(service_.database());
  store::NewFile(directory_.File("other.db"));
  const auto said = [&](const fs::path& file, bool is_remote = true) {
    return Refusal("query", {{"sql", "SELECT 1"}, {"db", file.string()}},
                   is_remote);
  };
  for (const fs::path& file :
       {directory_.File("other.db"), directory_.File("none.db"),
        fs::path("/etc/passwd"), service_.database().parent_path()}) {
    EXPECT_EQ(said(file),
              "db: no file is opened for who asks over a network; leave it "
              "out to ask this server's history");
  }
  EXPECT_EQ(said(service_.database()), "");
  EXPECT_EQ(said(directory_.File("other.db"), /*is_remote=*/false), "");
}

TEST_F(RemoteCallerTest, NoModelAnswersFromAFileThatTheyName) {
  const fs::path file = directory_.File("secret");
  std::ofstream(file) << "hunter2: not JSON\n";
  const std::string replay = "replay:" + file.string();
  for (const std::string& agent : {replay, "catalogue," + replay}) {
    const Json request = {
        {"task", "sim:basic"}, {"budget", 1}, {"cap_usd", 1}, {"agent", agent}};
    EXPECT_EQ(Refusal("start_campaign", request),
              "agent: no file is opened for who asks over a network; name a "
              "provider, catalogue or outside");
    EXPECT_THAT(Refusal("start_campaign", request, /*is_remote=*/false),
                ::testing::EndsWith("secret:1: no recorded answer"));
  }
}

}  // namespace
}  // namespace coppice::service
