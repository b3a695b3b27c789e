#include "eval/torch/null_result_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "eval/torch/worker.h"
#include "store/records/task.h"

namespace coppice::eval::torch {
namespace {

namespace fs = std::filesystem;

class NullResultCacheTest : public testing::Test {
 protected:
  NullResultCacheTest() {
    worker_.caches =
        fs::path(testing::TempDir()) / ("findings" + std::to_string(getpid()));
    worker_.device = "cpu";
    worker_.interpreter.torch = "2.6";
    task_.definition.reference = "class Model";
    task_.workloads.resize(1);
  }
  ~NullResultCacheTest() override { fs::remove_all(worker_.caches); }

  NullResultCache Kept() const {
    return {worker_, kDefaultBytes, "a processor", task_, "zeros"};
  }

  static constexpr std::uintmax_t kDefaultBytes = 1 << 20;
  WorkerOptions worker_;
  Task task_;
};

TEST_F(NullResultCacheTest, LaterOnesComeInTheirPlace) {
  EXPECT_EQ(Kept().Find(), "");
  ASSERT_TRUE(Kept().Keep("[1]"));
  EXPECT_EQ(Kept().Find(), "[1]");
  ASSERT_TRUE(Kept().Keep("[2]"));
  EXPECT_EQ(Kept().Find(), "[2]");
}

TEST_F(NullResultCacheTest, HoldForOneTextProtocolTorchAndMachine) {
  ASSERT_TRUE(Kept().Keep("[1]"));
  const auto other = [&](auto change) {
    const WorkerOptions worker = worker_;
    const Task task = task_;
    change();
    const std::string found = Kept().Find();
    worker_ = worker;
    task_ = task;
    return found;
  };
  EXPECT_EQ(other([&] { task_.definition.reference += " "; }), "");
  EXPECT_EQ(other([&] { task_.protocol = Protocol::kBenchmark; }), "");
  EXPECT_EQ(other([&] { worker_.interpreter.torch = "2.7"; }), "");
  EXPECT_EQ(other([&] { worker_.device = "cuda:0"; }), "");
  EXPECT_EQ(
      NullResultCache(worker_, kDefaultBytes, "another", task_, "zeros").Find(),
      "");
  EXPECT_EQ(
      NullResultCache(worker_, kDefaultBytes, "a processor", task_, "ones")
          .Find(),
      "");
  EXPECT_EQ(other([&] { task_.definition.name = "renamed"; }), "[1]");
  EXPECT_EQ(other([&] { task_.delegation = Delegation::kNoVendorOp; }), "[1]");
}

// The files of stored inputs may be others by then.
TEST_F(NullResultCacheTest, NoneAreKeptOfStoredInputs) {
  task_.workloads[0].inputs = {{"x", SafetensorsInput{"/x.safetensors", "x"}}};
  ASSERT_TRUE(Kept().Keep("[1]"));
  EXPECT_EQ(Kept().Find(), "");
}

// Where one part ends the next begins: nothing is moved from one to another.
TEST_F(NullResultCacheTest, NoPartStandsForAnother) {
  worker_.interpreter.version = "a\nb";
  worker_.interpreter.torch = "c";
  ASSERT_TRUE(Kept().Keep("[1]"));
  worker_.interpreter.version = "a";
  worker_.interpreter.torch = "b\nc";
  EXPECT_EQ(Kept().Find(), "");
}

TEST_F(NullResultCacheTest, APrecisionHasItsOwn) {
  ASSERT_TRUE(Kept().Keep("[1]"));
  task_.definition.tags = {"precision:float16"};
  EXPECT_EQ(Kept().Find(), "");
  task_.definition.tags = {"level:1"};
  EXPECT_EQ(Kept().Find(), "[1]");
}

// A full disk has the same effect: they are found again, by judging.
TEST_F(NullResultCacheTest, WithoutACacheThereAreNone) {
  fs::remove_all(worker_.caches);
  std::ofstream(worker_.caches) << "no folder";
  EXPECT_EQ(Kept().Find(), "");
  EXPECT_FALSE(Kept().Keep("[1]"));
}

}  // namespace
}  // namespace coppice::eval::torch
