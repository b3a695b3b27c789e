#include "engine/service/evaluator_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <stop_token>

#include "engine/service/operation_context.h"
#include "engine/service/test_service.h"
#include "store/records/evaluation.h"
#include "store/records/tier.h"

namespace coppice::service {
namespace {

namespace fs = std::filesystem;
using store::Must;
using ::testing::HasSubstr;

class EvaluatorPoolTest : public ::testing::Test {
 protected:
  TestService service_;
  EvaluatorPool& pool_ =
      OperationContextOf(service_.service()).evaluator_pool();
};

TEST_F(EvaluatorPoolTest, ATaskIsReadOnce) {
  const auto first = Must(pool_.FindTask("gelu_tanh"));
  EXPECT_EQ(Must(pool_.FindTask("gelu_tanh")), first);
  EXPECT_EQ(first->task.definition.name, "gelu_tanh");
  EXPECT_NE(Must(pool_.FindTask("gemv"))->digest, first->digest);
}

TEST_F(EvaluatorPoolTest, AFolderIsReadAgainOnceAFileOfItChanged) {
  const store::ScratchDirectory directory;
  const fs::path folder = directory.File("mine");
  fs::copy(fs::path(COPPICE_SOURCE_DIR) / "data/cpu/gelu_tanh", folder);
  const auto first = Must(pool_.FindTask(folder.string()));
  EXPECT_EQ(Must(pool_.FindTask(folder.string())), first);
  std::ofstream(folder / "root.cc", std::ios::app) << "// Another.\n";
  const auto second = Must(pool_.FindTask(folder.string()));
  EXPECT_NE(second, first);
  EXPECT_NE(second->digest, first->digest);
}

// By whatever name: that of a set's part is looked at as the folder itself is.
TEST_F(EvaluatorPoolTest, EachNameOfAFolderFollowsItsFiles) {
  const store::ScratchDirectory directory;
  const fs::path folder = directory.File("mine");
  fs::copy(fs::path(COPPICE_SOURCE_DIR) / "data/cpu/gelu_tanh", folder);
  std::string lines;
  for (const std::string& name :
       {folder.string(), folder.parent_path().string() + ":mine",
        folder.string() + "/", folder.parent_path().string() + "/./mine"}) {
    const auto first = Must(pool_.FindTask(name));
    EXPECT_EQ(Must(pool_.FindTask(name)), first) << name;
    std::ofstream(folder / "root.cc", std::ios::app) << (lines += "// More.\n");
    EXPECT_NE(Must(pool_.FindTask(name))->digest, first->digest) << name;
  }
}

// A point of a landscape is judged in no place that counts.
TEST_F(EvaluatorPoolTest, WhereAKernelIsJudgedIsKnownBefore) {
  const auto where = [&](const char* name) {
    return Must(pool_.WhereFor(Must(pool_.FindTask(name))->task));
  };
  const auto gelu = where("gelu_tanh");
  ASSERT_TRUE(gelu);
  EXPECT_THAT(gelu->compiler, HasSubstr("g++"));
  EXPECT_THAT(gelu->flags, HasSubstr("-march=native"));
  EXPECT_EQ(where("gemv"), gelu);
}

// A campaign's task stays as it was when it began, whatever became of it.
TEST_F(EvaluatorPoolTest, WhatIsKeptIsFoundByTheNameThatItWasGiven) {
  Task task = Must(pool_.FindTask("gelu_tanh"))->task;
  const std::string name = pool_.Keep(task);
  EXPECT_EQ(pool_.Keep(task), name);
  EXPECT_EQ(Must(pool_.FindTask(name))->digest,
            Must(pool_.FindTask("gelu_tanh"))->digest);
  task.tolerance.factor += 1.0;
  EXPECT_NE(pool_.Keep(task), name);
}

TEST_F(EvaluatorPoolTest, AnUnknownTaskIsTheCallersMistake) {
  const auto found = pool_.FindTask("gelu_tan");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::kUsage);
  EXPECT_THAT(found.error().what, HasSubstr("gelu_tanh"));
}

TEST_F(EvaluatorPoolTest, WhoHasCancelledHasNothingJudged) {
  const auto stop = std::make_shared<std::stop_source>();
  stop->request_stop();
  const auto known = Must(pool_.FindTask("sim:basic"));
  const Call call{"test", stop->get_token(), {}};
  for (const Aim aim : {Aim::kCheck, Aim::kTime}) {
    const auto judged = pool_.Judge(known->task, {Language::kSim, "x", ""}, aim,
                                    Tier::kFast, call);
    ASSERT_FALSE(judged);
    EXPECT_EQ(judged.error().code, Errc::kCancelled);
  }
}

}  // namespace
}  // namespace coppice::service
