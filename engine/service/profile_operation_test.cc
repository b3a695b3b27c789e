// profile_kernel: what it answers, and what its report has of all workloads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/service/json.h"
#include "engine/service/test_service.h"
#include "eval/host/whole_file.h"

namespace coppice::service {
namespace {

using store::Must;
using ::testing::AllOf;
using ::testing::HasSubstr;

class ProfileOperationTest : public ::testing::Test {
 protected:
  Json Profile(const std::string& source, const Json& more = Json::object()) {
    Json request = {{"task", "gelu_tanh"}, {"source", source}};
    request.update(more);
    return Must(service_.Do("profile_kernel", request));
  }
  static Json ReportOf(const Json& answer) {
    return Json::parse(
        Must(eval::ReadWhole(answer["report_file"].get<std::string>())));
  }
  Json TaskPart(const char* part) {
    return Must(
        service_.Do("describe_task", {{"task", "gelu_tanh"}, {"part", part}}));
  }

  TestService service_;
};

TEST_F(ProfileOperationTest, AKernelThatFailsHasItsLogAndNothingMeasured) {
  const Json answer = Profile("no kernel");
  EXPECT_EQ(answer["state"], "done");
  EXPECT_EQ(answer["verdict"], "compile_failed");
  EXPECT_THAT(std::string(answer["summary"]), HasSubstr("error: "));
  EXPECT_EQ(answer["workload"], nullptr);
  EXPECT_EQ(answer["kernels"], Json::array());
  EXPECT_EQ(answer["counters"], Json::object());
  const Json report = ReportOf(answer);
  EXPECT_EQ(report["verdict"], "compile_failed");
  EXPECT_THAT(std::string(report["log"]), HasSubstr("kernel.cc:1:1: error: "));
  for (const Json& workload : report["workloads"]) {
    EXPECT_EQ(workload["profile"], nullptr);
  }
}

// The report has all of them, whichever is asked for.
TEST_F(ProfileOperationTest, TheLongestWorkloadIsToldUnlessAnotherIsNamed) {
  const std::string root = TaskPart("root")["text"];
  const Json answer = Profile(root);
  ASSERT_EQ(answer["verdict"], "passed") << answer;
  EXPECT_THAT(std::string(answer["summary"]), AllOf(HasSubstr("GB/s")));
  const Json report = ReportOf(answer);
  ASSERT_EQ(report["workloads"].size(), 3u);
  Json longest = report["workloads"][0];
  Json shortest = longest;
  for (const Json& each : report["workloads"]) {
    EXPECT_GT(each["profile"]["bytes"], 0.0);
    const auto seconds = [](const Json& one) {
      return one["profile"]["runtime_s"].get<double>();
    };
    if (seconds(each) > seconds(longest)) longest = each;
    if (seconds(each) < seconds(shortest)) shortest = each;
  }
  EXPECT_EQ(answer["workload"], longest["workload"]);
  EXPECT_EQ(answer["counters"], longest["profile"]["counters"]);
  EXPECT_EQ(answer["kernels"], Json::array());  // They are of a GPU.
  const Json other = Profile(root, {{"workload", shortest["workload"]}});
  EXPECT_EQ(other["workload"], shortest["workload"]);
}

}  // namespace
}  // namespace coppice::service
