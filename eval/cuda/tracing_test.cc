#include "eval/cuda/tracing.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace coppice::eval::cuda {
namespace {

namespace fs = std::filesystem;

class FindCuptiTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "cupti-XXXXXX";
    toolkit_ = fs::canonical(mkdtemp(name.data()));
  }
  void TearDown() override { fs::remove_all(toolkit_); }
  void Install(const fs::path& file) {
    fs::create_directories((toolkit_ / file).parent_path());
    std::ofstream(toolkit_ / file) << "x";
  }

  fs::path toolkit_;
};

TEST_F(FindCuptiTest, ItsOwnFolderCountsBeforeOthersAndTheLaterVersionFirst) {
  EXPECT_EQ(FindCupti(toolkit_), fs::path());
  Install("lib/libcupti.so.12");
  EXPECT_EQ(FindCupti(toolkit_), toolkit_ / "lib/libcupti.so.12");
  Install("lib64/libcupti.so.12");
  EXPECT_EQ(FindCupti(toolkit_), toolkit_ / "lib64/libcupti.so.12");
  Install("lib64/libcupti.so.13");
  EXPECT_EQ(FindCupti(toolkit_), toolkit_ / "lib64/libcupti.so.13");
  Install("extras/CUPTI/lib64/libcupti.so.12");
  EXPECT_EQ(FindCupti(toolkit_),
            toolkit_ / "extras/CUPTI/lib64/libcupti.so.12");
}

// The sandbox shows the file itself, and no link to it.
TEST_F(FindCuptiTest, ALinkIsFollowedToItsFile) {
  Install("lib64/libcupti.so.2025.3.1");
  fs::create_symlink("libcupti.so.2025.3.1", toolkit_ / "lib64/libcupti.so.13");
  EXPECT_EQ(FindCupti(toolkit_), toolkit_ / "lib64/libcupti.so.2025.3.1");
}

TEST_F(FindCuptiTest, ALinkToNothingAndAnOtherVersionAreNone) {
  fs::create_directories(toolkit_ / "lib64");
  fs::create_symlink("gone", toolkit_ / "lib64/libcupti.so.13");
  Install("lib64/libcupti.so.11.8");
  EXPECT_EQ(FindCupti(toolkit_), fs::path());
}

}  // namespace
}  // namespace coppice::eval::cuda
