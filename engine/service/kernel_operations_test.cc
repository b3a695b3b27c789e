// evaluate, profile, sanitize and compare_kernels, get_job and cancel_job: what
// is refused before anything is compiled.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "engine/service/json.h"
#include "engine/service/test_service.h"

namespace coppice::service {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class KernelOperationsTest : public ::testing::Test {
 protected:
  Error Refused(const char* name, const Json& request) {
    const auto answer = service_.Ask(name, request.dump());
    EXPECT_FALSE(answer) << *answer;
    return answer ? Error{} : answer.error();
  }
  std::string Complaint(const char* name, const Json& more) {
    Json request = {{"task", "gelu_tanh"}, {"source", "x"}};
    request.update(more);
    const Error error = Refused(name, request);
    EXPECT_EQ(error.code, Errc::kUsage);
    return error.what;
  }
  std::string CompareComplaint(const Json& sources) {
    return Refused("compare_kernels",
                   {{"task", "gelu_tanh"}, {"sources", sources}})
        .what;
  }

  TestService service_;
};

TEST_F(KernelOperationsTest, AProfilerIsOfTheTasksDevice) {
  EXPECT_EQ(Complaint("profile_kernel", {{"tool", "ncu"}}),
            "tool: ncu is of a GPU, on which gelu_tanh does not run; roofline "
            "and perf are there");
  EXPECT_EQ(Complaint("profile_kernel", {{"tool", "vtune"}}),
            "tool: expected one of roofline, perf, nsys, ncu");
}

TEST_F(KernelOperationsTest, AWorkloadIsOneOfTheTasks) {
  EXPECT_EQ(Complaint("profile_kernel", {{"workload", "zz"}}),
            "workload: zz is none of gelu_tanh; describe_task lists them");
}

// A point of a landscape is no program.
TEST_F(KernelOperationsTest, ALandscapeHasNoKernelsToLookAt) {
  for (const char* name : {"profile_kernel", "sanitize_kernel"}) {
    EXPECT_THAT(Complaint(name, {{"task", "sim:basic"}}),
                HasSubstr("a landscape has no kernels"))
        << name;
  }
}

TEST_F(KernelOperationsTest, ATierIsOneOfThree) {
  EXPECT_EQ(Complaint("evaluate_kernel", {{"tier", "slow"}}),
            "tier: expected one of fast, check, full");
}

TEST_F(KernelOperationsTest, TwoToEightKernelsAreCompared) {
  const Json one = {{"name", "a"}, {"source", "x"}};
  EXPECT_EQ(CompareComplaint(Json::array({one})),
            "sources: expected 2 to 8 objects");
  Json nine = Json::array();
  for (int i = 0; i < 9; ++i) nine.push_back(one);
  EXPECT_EQ(CompareComplaint(nine), "sources: expected 2 to 8 objects");
  EXPECT_EQ(CompareComplaint(nullptr), "sources: missing");
}

TEST_F(KernelOperationsTest, EachOfThemHasANameAndASource) {
  EXPECT_EQ(CompareComplaint(Json::array({{{"name", "a"}, {"source", "x"}},
                                          {{"name", "a"}, {"source", "y"}},
                                          {{"nam", "c"}, {"source", "z"}}})),
            "sources[1].name: a is there twice; sources[2].name: missing; "
            "sources[2].nam: there is no such argument; did you mean name?");
  EXPECT_THAT(
      CompareComplaint(Json::array({{{"name", "a"}, {"source", "x"}},
                                    {{"name", "b"}, {"path", "/none.cc"}}})),
      AllOf(StartsWith("sources: b: "), HasSubstr("/none.cc")));
  EXPECT_EQ(CompareComplaint(Json::array(
                {{{"name", "a"}, {"source", "x"}, {"language", "cuda"}},
                 {{"name", "b"}, {"source", "y"}}})),
            "sources: a: language: kernels of gelu_tanh are written in cpp");
}

TEST_F(KernelOperationsTest, AJobThatNobodyBeganIsNotFound) {
  for (const char* name : {"get_job", "cancel_job"}) {
    const Error error = Refused(name, {{"job", "j7"}});
    EXPECT_EQ(error.code, Errc::kNotFound);
    EXPECT_EQ(error.what,
              "job: there is none of the id j7; the last 1,000 that have "
              "ended are kept");
  }
}

}  // namespace
}  // namespace coppice::service
