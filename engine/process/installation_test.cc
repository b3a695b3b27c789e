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

TEST_F(InstallationTest, HasItsPagesWhereItsDataAre) {
  fs::create_directories(prefix_ / "share/coppice");
  Touch(prefix_ / "libexec/coppice/coppice-runner");
  EXPECT_EQ(FindInstallation(prefix_ / "bin/coppice")->documents,
            prefix_ / "share/doc/coppice/docs");
  // What lies beside the program counts before what is installed.
  fs::create_directories(prefix_ / "bin/data");
  Touch(prefix_ / "bin/coppice-runner");
  const auto found = FindInstallation(prefix_ / "bin/coppice");
  EXPECT_EQ(found->runner, prefix_ / "bin/coppice-runner");
  EXPECT_EQ(found->documents, prefix_ / "bin/docs");
}

TEST_F(InstallationTest, HalfOfOneIsNone) {
  fs::create_directories(prefix_ / "bin/data");
  EXPECT_FALSE(FindInstallation(prefix_ / "bin/coppice"));
  Touch(prefix_ / "libexec/coppice/coppice-runner");
  const auto found = FindInstallation(prefix_ / "bin/coppice");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what,
            (prefix_ / "bin/coppice").string() +
                ": its data and coppice-runner are neither beside it nor in " +
                (prefix_ / "share/coppice").string() +
                "; build or install it again");
}

// The runner of a build is two folders below what scripts/setup makes.
TEST_F(InstallationTest, ThePythonThatIsNamedCountsBeforeTheOneBesideABuild) {
  const fs::path runner = prefix_ / "dev/coppice-runner";
  EXPECT_EQ(PythonFor("mine/python", runner), "mine/python");
  EXPECT_EQ(PythonFor(std::nullopt, runner), "python3");
  Touch(prefix_ / "python/bin/python3");
  EXPECT_EQ(PythonFor(std::nullopt, runner),
            (prefix_ / "python/bin/python3").string());
  EXPECT_EQ(PythonFor("mine/python", runner), "mine/python");
}

TEST_F(InstallationTest, ThisProgramKnowsWhereItIs) {
  EXPECT_TRUE(ExecutablePath().is_absolute());
  EXPECT_TRUE(fs::exists(ExecutablePath()));
  EXPECT_EQ(PythonHere("named"), "named");
}

}  // namespace
}  // namespace coppice::engine
