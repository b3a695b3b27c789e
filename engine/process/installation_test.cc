#include "engine/process/installation.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace coppice::engine {
namespace {
namespace fs = std::filesystem;

class InstallationTest : public testing::Test {
 protected:
  void SetUp() override {
    prefix_ = fs::path(testing::TempDir()) / "installation_test";
    fs::remove_all(prefix_);
    fs::create_directories(prefix_ / "bin");
  }
  void TearDown() override { fs::remove_all(prefix_); }
  void Touch(const fs::path& path) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "x";
  }
  fs::path prefix_;
};

TEST_F(InstallationTest, FindsABuildTreeBesideTheProgram) {
  fs::create_directories(prefix_ / "bin/data");
  Touch(prefix_ / "bin/coppice-runner");
  const auto found = FindInstallation(prefix_ / "bin/coppice");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->data, prefix_ / "bin/data");
}

TEST_F(InstallationTest, FindsAnInstalledPrefix) {
  fs::create_directories(prefix_ / "share/coppice");
  Touch(prefix_ / "libexec/coppice/coppice-runner");
  const auto found = FindInstallation(prefix_ / "bin/coppice");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->runner, prefix_ / "libexec/coppice/coppice-runner");
}

TEST_F(InstallationTest, SaysSoWhenItsFilesAreGone) {
  const auto found = FindInstallation(prefix_ / "bin/coppice");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, Errc::kUnavailable);
}

}  // namespace
}  // namespace coppice::engine
