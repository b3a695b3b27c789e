#include "engine/cli/tuning_table.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "engine/factory/recorded_file.h"
#include "store/scratch.h"

namespace coppice::cli {
namespace {

class TuningTableTest : public testing::Test {
 protected:
  TuningTableTest()
      : parameters_(*TuningParametersOf("int x = 2;  //@ tune 1 2 3\n"
                                        "int y = 8;  //@ tune 8 16\n")) {}

  std::string path() const { return directory_.File("space.csv"); }

  std::string Text() const {
    std::ifstream file(path());
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static Evaluation Passed(double root_s, double ratio) {
    Evaluation evaluation;
    evaluation.verdict = Verdict::kPassed;
    evaluation.speedup = Speedup{ratio, std::nullopt};
    evaluation.root_runtime_s = root_s;
    evaluation.workloads.resize(1);
    evaluation.workloads[0].samples_s = {1.0, 1.0, 1.0};
    return evaluation;
  }

  store::ScratchDirectory directory_;
  std::vector<TuningParameter> parameters_;
};

// The root took 8 ms at first and 10 ms later, when the machine was slower: the
// second is 8 ms over its own speedup, too.
TEST_F(TuningTableTest, TimesAreTheFirstRootsOverTheSpeedup) {
  auto table = *TuningTable::Open(path(), parameters_);
  EXPECT_TRUE(*table.Add({0, 0}, Passed(0.008, 4.0)));
  EXPECT_TRUE(*table.Add({0, 1}, Passed(0.010, 2.0)));
  Evaluation wrong;
  wrong.verdict = Verdict::kWrongOutput;
  EXPECT_TRUE(*table.Add({1, 0}, wrong));
  EXPECT_EQ(Text(),
            "x,y,status,time_ms,speedup,samples\n"
            "1,8,ok,2,4,3\n"
            "1,16,ok,4,2,3\n"
            "2,8,wrong_output,,,\n");
  EXPECT_TRUE(engine::ReadRecordedSpace(path()));
}

TEST_F(TuningTableTest, AnUnfinishedTableIsGoneOnWithByItsOwnRoot) {
  std::ofstream(path()) << "x,y,status,time_ms,speedup,samples\n"
                           "2,8,compile_failed,,,\n"
                           "1,8,ok,2,4,3\n";
  auto table = *TuningTable::Open(path(), parameters_);
  EXPECT_TRUE(table.Has({0, 0}));
  EXPECT_TRUE(table.Has({1, 0}));
  EXPECT_FALSE(table.Has({2, 0}));
  EXPECT_TRUE(*table.Add({2, 0}, Passed(0.010, 8.0)));
  EXPECT_TRUE(Text().ends_with("\n3,8,ok,1,8,3\n"));
}

TEST_F(TuningTableTest, WhatWasNotDecidedIsLeftOut) {
  auto table = *TuningTable::Open(path(), parameters_);
  EXPECT_FALSE(*table.Add({0, 0}, Evaluation{}));
  EXPECT_EQ(table.Size(), 0u);
}

TEST_F(TuningTableTest, ATableOfOthersIsNotWrittenTo) {
  std::ofstream(path()) << "a,status,time_ms\n1,ok,2\n";
  const auto table = TuningTable::Open(path(), parameters_);
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, Errc::kUsage);
  EXPECT_EQ(Text(), "a,status,time_ms\n1,ok,2\n");
}

// Whoever was killed in the middle of a line.
TEST_F(TuningTableTest, HalfALineIsSaidWithItsNumber) {
  std::ofstream(path()) << "x,y,status,time_ms,speedup,samples\n"
                           "2,8,ok,1.5,3,9\n"
                           "2,16,ok,1.";
  const auto table = TuningTable::Open(path(), parameters_);
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().what,
            path() + ":3: is not a whole line of the table");
}

}  // namespace
}  // namespace coppice::cli
