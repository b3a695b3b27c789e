#include "engine/service/operation_context.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "engine/service/test_service.h"
#include "eval/host/whole_file.h"

namespace coppice::service {
namespace {

namespace fs = std::filesystem;

TEST(OperationContextTest, AServiceHasOne) {
  TestService service;
  EXPECT_EQ(&OperationContextOf(service.service()),
            &OperationContextOf(service.service()));
}

// A campaign's name may be a stranger's: no part of it is a folder.
TEST(OperationContextTest, WhatIsLeftLiesInItsFolderWhateverItsName) {
  TestService service;
  const OperationContext& context = OperationContextOf(service.service());
  const fs::path folder =
      service.service().settings().cache_directory / "service";
  const fs::path left = context.Leave("../../context-test.txt", "all of it");
  EXPECT_EQ(left, folder / ".._.._context-test.txt");
  EXPECT_EQ(*eval::ReadWhole(left), "all of it");
  fs::remove(left);
}

// Its name is longer than any file's may be.
TEST(OperationContextTest, WhatCannotBeLeftHasNoFile) {
  TestService service;
  EXPECT_EQ(
      OperationContextOf(service.service()).Leave(std::string(300, 'x'), "x"),
      "");
}

TEST(RemoveOldTest, AFolderGoesWithWhatItHolds) {
  const store::ScratchDirectory directory;
  const fs::path old = directory.File("session");
  fs::create_directories(old / "work");
  RemoveOld(directory.File(""));
  EXPECT_TRUE(fs::exists(old));
  fs::last_write_time(
      old, fs::file_time_type::clock::now() - std::chrono::hours(24 * 8));
  RemoveOld(directory.File(""));
  EXPECT_FALSE(fs::exists(old));
  RemoveOld(directory.File("none"));  // Which is no matter.
}

TEST(OperationContextTest, AFileStaysForAWeek) {
  TestService service;
  const OperationContext& context = OperationContextOf(service.service());
  const fs::path old = context.Leave("context-test-old.txt", "x");
  const fs::path young = context.Leave("context-test-young.txt", "x");
  const auto now = fs::file_time_type::clock::now();
  fs::last_write_time(old, now - std::chrono::hours(24 * 8));
  fs::last_write_time(young, now - std::chrono::hours(24 * 6));
  const fs::path fresh = context.Leave("context-test-fresh.txt", "x");
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
  fs::remove(young);
  fs::remove(fresh);
}

}  // namespace
}  // namespace coppice::service
