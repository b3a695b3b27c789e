#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/service/json.h"
#include "engine/service/operation.h"
#include "engine/service/test_service.h"
#include "store/scratch.h"

namespace coppice::service {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kTask = "gelu_tanh";

std::string RootSource() {
  std::ifstream in(std::string(COPPICE_SOURCE_DIR) +
                   "/data/cpu/gelu_tanh/root.cc");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string With(const std::string& line) {
  std::string source = RootSource();
  const std::size_t body = source.rfind(") {", source.find("for (")) + 3;
  return source.insert(body, "\n" + line + "\n");
}

TEST(OperationsTest, EachHasSchemasOfObjects) {
  std::set<std::string_view> names;
  for (const Operation& operation : Operations()) {
    EXPECT_TRUE(names.insert(operation.name).second) << operation.name;
    EXPECT_EQ(FindOperation(operation.name), &operation);
    const Json request = Json::parse(operation.request_schema);
    EXPECT_EQ(request["type"], "object");
    EXPECT_EQ(request["additionalProperties"], false);
    EXPECT_EQ(Json::parse(operation.result_schema)["type"], "object");
    EXPECT_FALSE(operation.description.empty());
  }
  EXPECT_LE(names.size(), 15u);
  EXPECT_EQ(FindOperation("evaluate"), nullptr);
}

TEST(OperationsTest, WhatOneThrowsIsAnErrorForWhoAsked) {
  TestService service;
  Operation throwing = Operations().front();
  throwing.answer = [](Service&, const Call&,
                       std::string_view request) -> Result<std::string> {
    throw std::out_of_range(std::string(request));
  };
  const auto answer =
      Answer(throwing, service.service(), {"ana", {}, {}}, "a row");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::kIo);
  EXPECT_EQ(answer.error().what, "coppice failed: a row");
}

TEST(OperationsTest, TasksAreListedInPagesAndDescribed) {
  TestService service;
  const Json first = *service.Do("list_tasks", Json::object());
  EXPECT_EQ(first["tasks"].size(), 50u);
  const Json next =
      *service.Do("list_tasks", {{"cursor", first["next_cursor"]}});
  EXPECT_NE(next["tasks"][0]["task"], first["tasks"][0]["task"]);
  const Json found = *service.Do(
      "list_tasks", {{"query", "gelu"}, {"device", "cpu"}, {"level", "1"}});
  ASSERT_EQ(found["tasks"].size(), 1u);
  EXPECT_EQ(found["tasks"][0]["task"], kTask);
  const Json task =
      *service.Do("describe_task", {{"task", kTask}, {"part", "root"}});
  EXPECT_EQ(task["text"], RootSource());
  EXPECT_EQ(task["workloads"].size(), 3u);
}

TEST(OperationsTest, AKernelIsCheckedOnceAndKnownFromThenOn) {
  TestService service;
  const Json request = {
      {"task", kTask}, {"source", RootSource()}, {"tier", "check"}};
  const Json first = *service.Do("evaluate_kernel", request);
  EXPECT_EQ(first["state"], "done");
  EXPECT_EQ(first["verdict"], "passed");
  EXPECT_EQ(first["cached"], false);
  EXPECT_EQ(first["speedup"], nullptr);
  Json again = request;
  again["source"] = "// Only layout and words for people.\n" + RootSource();
  EXPECT_EQ((*service.Do("evaluate_kernel", again))["cached"], true);
  again["tier"] = "fast";
  const Json timed = *service.Do("evaluate_kernel", again);
  EXPECT_EQ(timed["cached"], false);
  EXPECT_TRUE(timed["speedup"].is_number());
  // What the machine takes at least to move the task's bytes.
  EXPECT_GT(timed["workloads"][0]["floor_s"], 0.0);
}

// Logs are kept for a week, verdicts for longer.
TEST(OperationsTest, ALogThatIsGoneIsNotNamed) {
  TestService service;
  std::string source;
  for (int i = 0; i < 60; ++i)
    source += "unknown" + std::to_string(i) + " x;\n";
  const Json request = {{"task", kTask}, {"source", source}, {"tier", "check"}};
  const Json first = *service.Do("evaluate_kernel", request);
  ASSERT_TRUE(first["log_file"].is_string()) << first;
  const Json again = *service.Do("evaluate_kernel", request);
  EXPECT_EQ(again["cached"], true);
  EXPECT_EQ(again["log_file"], first["log_file"]);
  std::filesystem::remove(first["log_file"].get<std::string>());
  const Json later = *service.Do("evaluate_kernel", request);
  EXPECT_EQ(later["cached"], true);
  EXPECT_EQ(later["log_file"], nullptr);
  EXPECT_EQ(later["error_head"], first["error_head"]);
}

TEST(OperationsTest, WhereThereIsNoDatabaseItIsSaidWhatToDo) {
  TestService service;
  const auto status = service.Do("status", Json::object());
  EXPECT_EQ(status.error().code, Errc::kNotFound);
  EXPECT_THAT(status.error().what, HasSubstr("another --db"));
}

TEST(OperationsTest, WhatAKernelDoesIsAVerdict) {
  TestService service;
  const auto verdict_of = [&](const std::string& source) {
    return (*service.Do(
        "evaluate_kernel",
        {{"task", kTask}, {"source", source}, {"tier", "check"}}))["verdict"];
  };
  EXPECT_EQ(verdict_of("no kernel"), "compile_failed");
  EXPECT_EQ(verdict_of(With("__builtin_trap();")), "crashed");
  EXPECT_EQ(verdict_of(With("return;")), "wrong_output");
  EXPECT_EQ(verdict_of(RootSource()), "passed");  // Who comes next is well.
}

TEST(OperationsTest, ALoopIsCancelledAndTheDeviceIsFree) {
  TestService service;
  const Json begun = *service.Do(
      "evaluate_kernel",
      {{"task", kTask},
       {"source", With("for (volatile int forever = 0;;) forever = 1;")},
       {"wait_s", 1}});
  EXPECT_EQ(begun.size(), 2u);
  const Json job = {{"job", begun["job"]}};
  EXPECT_EQ((*service.Do("cancel_job", job))["state"], "cancelled");
  EXPECT_EQ((*service.Do("get_job", job))["state"], "cancelled");
  const Json next = *service.Do("evaluate_kernel",
                                {{"task", kTask}, {"source", RootSource()}});
  EXPECT_EQ(next["verdict"], "passed");
}

TEST(OperationsTest, RequestsThatMakeNoSenseAreErrors) {
  TestService service;
  EXPECT_EQ(service.Do("evaluate_kernel", {{"wait_s", 77}}).error().what,
            "task: missing; source: give it or path, one of them; wait_s: "
            "expected a number from 0.0 to 55.0");
  const auto said = [&](const char* name, const Json& request) {
    const auto answer = service.Do(name, request);
    EXPECT_FALSE(answer) << name;
    return answer ? "" : answer.error().what;
  };
  EXPECT_THAT(said("evaluate_kernel", {{"task", "gelu_tan"}, {"source", "x"}}),
              HasSubstr("did you mean gelu_tanh?"));
  EXPECT_THAT(said("evaluate_kernel", {{"task", kTask}, {"path", "/none.cc"}}),
              StartsWith("/none.cc: "));
  EXPECT_EQ(said("evaluate_kernel",
                 {{"task", kTask}, {"source", "x"}, {"language", "cuda"}}),
            "language: kernels of gelu_tanh are written in cpp");
  EXPECT_THAT(said("profile_kernel",
                   {{"task", kTask}, {"source", "x"}, {"tool", "nsys"}}),
              StartsWith("tool: nsys is of a GPU"));
  EXPECT_THAT(said("get_job", {{"job", "j99"}}), StartsWith("job: "));
  EXPECT_THAT(
      said("start_campaign", {{"task", "sim:basic"}, {"agent", "openai:gpt"}}),
      AllOf(HasSubstr("budget: "), HasSubstr("cap_usd: ")));
  EXPECT_THAT(said("start_campaign", {{"task", "sim:basic"},
                                      {"budget", 1},
                                      {"cap_usd", 1},
                                      {"agent", "catalogue,exec:rm"}}),
              StartsWith("agent: "));
  EXPECT_THAT(
      said("start_campaign",
           {{"task", "sim:basic"}, {"budget", 1}, {"policy", "python:a.py:A"}}),
      StartsWith("policy: "));
}

// Nobody writes into it, and whoever opened it would wait.
TEST(OperationsTest, AKernelIsReadFromARegularFileAlone) {
  const store::ScratchDirectory directory;
  const auto pipe = directory.File("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  TestService service;
  const auto answer =
      service.Do("evaluate_kernel", {{"task", kTask}, {"path", pipe.string()}});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().what, HasSubstr("not a regular file"));
}

TEST(OperationsTest, SanitizersFindWhatReadsBeyondItsArray) {
  TestService service;
  const Json bad = *service.Do(
      "sanitize_kernel",
      {{"task", kTask},
       {"source", With("int few[4]; volatile int at = 4; volatile int over = "
                       "few[at]; (void)over;")}});
  EXPECT_EQ(bad["clean"], false);
  EXPECT_EQ(bad["findings"].size(), 1u);
}

TEST(OperationsTest, KernelsAreRankedAndOnlyRealDifferencesAreClaimed) {
  TestService service;
  const std::string slow =
      With("for (volatile int i = 0; i < 20000000; i = i + 1) {}");
  const Json compared = *service.Do(
      "compare_kernels", {{"task", kTask},
                          {"sources",
                           {{{"name", "slow"}, {"source", slow}},
                            {{"name", "bad"}, {"source", "x"}},
                            {{"name", "root"}, {"source", RootSource()}}}}});
  ASSERT_EQ(compared["state"], "done") << compared;
  EXPECT_EQ(compared["ranking"][0]["name"], "root");
  EXPECT_EQ(compared["ranking"][1]["name"], "slow");
  EXPECT_EQ(compared["ranking"][2]["verdict"], "compile_failed");
  EXPECT_EQ(compared["told_apart"], Json::parse(R"([["root","slow"]])"));
}

// The second name's verdict is that of the first, for its tokens are the same;
// those that fail come last, as they were given.
TEST(OperationsTest, AKernelIsNotToldApartFromItself) {
  TestService service;
  const auto named = [](const char* name, const std::string& source) {
    return Json{{"name", name}, {"source", source}};
  };
  const Json compared = *service.Do(
      "compare_kernels",
      {{"task", kTask},
       {"sources",
        {named("y", "no kernel"), named("b", RootSource()),
         named("x", "nor this"), named("a", "// Mine.\n" + RootSource())}}});
  ASSERT_EQ(compared["state"], "done") << compared;
  std::vector<std::string> names;
  for (const Json& each : compared["ranking"]) names.push_back(each["name"]);
  EXPECT_THAT(names, ::testing::ElementsAre("b", "a", "y", "x"));
  EXPECT_EQ(compared["ranking"][0]["speedup"],
            compared["ranking"][1]["speedup"]);
  EXPECT_EQ(compared["ranking"][2]["speedup"], nullptr);
  EXPECT_EQ(compared["told_apart"], Json::array());
}

TEST(OperationsTest, AKernelInAFileIsTheSameAsItsText) {
  const store::ScratchDirectory directory;
  const auto file = directory.File("mine.cc");
  std::ofstream(file) << RootSource();
  TestService service;
  const auto judged = [&](const Json& kernel) {
    Json request = {{"task", kTask}, {"tier", "check"}};
    request.update(kernel);
    return *service.Do("evaluate_kernel", request);
  };
  EXPECT_EQ(judged({{"path", file.string()}})["cached"], false);
  EXPECT_EQ(judged({{"source", RootSource()}, {"language", "cpp"}})["cached"],
            true);
  std::ofstream(file) << "no kernel";
  EXPECT_EQ(judged({{"path", file.string()}})["verdict"], "compile_failed");
}

TEST(OperationsTest, SanitizersSayByWhatAKernelIsClean) {
  TestService service;
  const auto looked_at = [&](const std::string& source) {
    return *service.Do("sanitize_kernel",
                       {{"task", kTask}, {"source", source}});
  };
  const Json clean = looked_at(RootSource());
  EXPECT_EQ(clean["verdict"], "passed");
  EXPECT_EQ(clean["clean"], true);
  EXPECT_THAT(std::string(clean["by"]), HasSubstr("sanitizer"));
  EXPECT_EQ(clean["findings"], Json::array());
  const Json failed = looked_at("no kernel");
  EXPECT_EQ(failed["verdict"], "compile_failed");
  EXPECT_EQ(failed["clean"], false);
  EXPECT_EQ(failed["by"], nullptr);
  ASSERT_EQ(failed["findings"].size(), 1u);
  EXPECT_THAT(std::string(failed["findings"][0]), HasSubstr("error: "));
}

TEST(OperationsTest, ACampaignIsBegunRunAndReadAgain) {
  TestService service;
  const Json begun = *service.Do(
      "start_campaign", {{"task", "sim:basic"}, {"budget", 6}, {"seed", 3}});
  const Json ended = *service.Do("get_job", {{"job", begun["job"]}});
  ASSERT_EQ(ended["state"], "done") << ended;
  EXPECT_EQ(ended["campaign"], begun["campaign"]);
  const Json status = *service.Do("status", Json::object());
  ASSERT_EQ(status["campaigns"].size(), 1u);
  EXPECT_EQ(status["campaigns"][0]["attempts"], 6);
  EXPECT_EQ(status["campaigns"][0]["state"], "finished");
  const Json counted = *service.Do(
      "query", {{"sql", "SELECT count(*) AS nodes, 1.5 AS run_s FROM nodes"}});
  EXPECT_EQ(counted["rows"], Json::parse("[[7,1.5]]"));  // With the root.
  EXPECT_EQ(counted["columns"][1],
            Json::parse(R"({"name":"run_s","type":"real","unit":"s"})"));
  const auto written = service.Do("query", {{"sql", "DELETE FROM node"}});
  EXPECT_EQ(written.error().code, Errc::kUsage);
  const Json node = *service.Do("get_node", {{"node", 1}, {"part", "diff"}});
  EXPECT_EQ(node["campaign"], begun["campaign"]);
  EXPECT_THAT(node["text"].get<std::string>(), HasSubstr("+++ node 1"));
  EXPECT_EQ(service.Do("get_node", {{"node", 99}}).error().code,
            Errc::kNotFound);
}

TEST(OperationsTest, ACampaignOfOutsideAgentsWaitsForThem) {
  TestService service;
  const Json begun =
      *service.Do("start_campaign",
                  {{"task", "sim:basic"}, {"budget", 6}, {"agent", "outside"}});
  EXPECT_EQ(begun["job"], nullptr);
  const Json status = *service.Do("status", Json::object());
  EXPECT_EQ(status["campaigns"][0]["attempts"], 0);
}

// Three that do not end have the turns of what is timed.
TEST(OperationsTest, WhoAsksDoesNotWaitForTheRootLongerThanHeSays) {
  TestService service;
  std::vector<Json> jobs;
  for (int i = 1; i <= 3; ++i) {
    const std::string loop =
        "for (volatile int forever = 0;;) forever = " + std::to_string(i) + ";";
    jobs.push_back(
        *service.Do("evaluate_kernel",
                    {{"task", kTask}, {"source", With(loop)}, {"wait_s", 0}}));
  }
  const Json begun =
      *service.Do("start_campaign",
                  {{"task", "sim:basic"}, {"budget", 2}, {"agent", "outside"}});
  const Json wish = {{"campaign", begun["campaign"]}, {"agent", "ana"}};
  const Json none = *service.Do("ask", wish);
  EXPECT_EQ(none["ticket"], nullptr);
  EXPECT_EQ(none["reason"],
            "its root is being measured: ask again in some seconds");
  for (const Json& job : jobs) {
    ASSERT_TRUE(service.Do("cancel_job", {{"job", job["job"]}}));
  }
  Json patient = wish;
  patient["wait_s"] = 50;
  EXPECT_TRUE((*service.Do("ask", patient))["ticket"].is_string());
}

TEST(OperationsTest, TheLastThatIsToldOrGivenUpEndsItsCampaign) {
  TestService service;
  const Json begun =
      *service.Do("start_campaign",
                  {{"task", "sim:basic"}, {"budget", 2}, {"agent", "outside"}});
  const Json wish = {{"campaign", begun["campaign"]}, {"agent", "ana"}};
  const Json first = *service.Do("ask", wish);
  const Json told = *service.Do("tell", {{"ticket", first["ticket"]},
                                         {"none_reason", "no idea"},
                                         {"wait_s", 55}});
  EXPECT_EQ(told["node"], 1);
  EXPECT_EQ(told["verdict"], "no_candidate");
  // Its agent claims to have spent something, so that it ends by this.
  const Json second = *service.Do("ask", wish);
  const auto refused = service.Do("tell", {{"ticket", second["ticket"]},
                                           {"plan", "Make it fast."},
                                           {"usage", {{"output_tokens", 9}}}});
  EXPECT_EQ(refused.error().code, Errc::kUsage);
  const Json given_up =
      *service.Do("renew", {{"ticket", second["ticket"]}, {"lease_s", 0}});
  EXPECT_EQ(given_up["state"], "told");
  Json status;
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    status = *service.Do("status", Json::object());
  } while (status["campaigns"][0]["state"] != "finished");
  EXPECT_EQ(status["campaigns"][0]["attempts"], 2);
}

}  // namespace
}  // namespace coppice::service
