#include "store/write/environments.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "store/connection.h"
#include "store/scratch.h"

namespace coppice::store {
namespace {

class EnvironmentsTest : public ::testing::Test {
 protected:
  EnvironmentId Put(const Environment& environment) {
    EnvironmentId id{};
    Must(connection_.Write([&]() -> Result<void> {
      id = PutEnvironment(connection_, environment);
      return {};
    }));
    return id;
  }
  Environment Load(EnvironmentId id) {
    return Must(
        connection_.Read([&] { return LoadEnvironment(connection_, id); }));
  }
  static Environment Whole() {
    return {.hardware = "NVIDIA H200",
            .threads = 16,
            .system = "Linux 6.1",
            .driver = "580.126.09",
            .facts = "132 multiprocessors",
            .compiler = "nvcc 13.0",
            .flags = "-O3 'a b'",
            .libraries = {{"torch", "2.9"}, {"cudnn", "9"}, {"a", ""}}};
  }

  ScratchDirectory directory_;
  Database database_ = NewFile(directory_.File("x.db"));
  Connection& connection_ = database_.connection();
};

TEST_F(EnvironmentsTest, WhatIsPutComesBackWhole) {
  for (const Environment& each : {Whole(), Environment{}}) {
    EXPECT_EQ(Load(Put(each)), each);
  }
}

// So that two nodes of one machine are seen to be of one.
TEST_F(EnvironmentsTest, AnEqualOneIsTheSameRow) {
  const EnvironmentId first = Put(Whole());
  EXPECT_EQ(Put(Whole()), first);
  EXPECT_EQ(Rows(database_, "SELECT count(*) FROM environment"),
            std::vector<std::string>{"1"});
  EXPECT_EQ(Rows(database_, "SELECT count(*) FROM environment_library"),
            std::vector<std::string>{"3"});
}

TEST_F(EnvironmentsTest, WhateverDiffersIsAnotherRow) {
  const std::vector<std::function<void(Environment&)>> changes = {
      [](Environment& e) { e.hardware = "NVIDIA H100"; },
      [](Environment& e) { e.threads = 8; },
      [](Environment& e) { e.system = "Linux 6.2"; },
      [](Environment& e) { e.driver = ""; },
      [](Environment& e) { e.driver = "570"; },
      [](Environment& e) { e.facts = "114 multiprocessors"; },
      [](Environment& e) { e.compiler = "nvcc 12.9"; },
      [](Environment& e) { e.flags = "-O2"; },
      [](Environment& e) { e.libraries.pop_back(); },
      [](Environment& e) { e.libraries[0].second = "2.8"; },
      [](Environment& e) { std::swap(e.libraries[0], e.libraries[1]); },
      // Fields of other borders, but the same letters.
      [](Environment& e) { e.compiler = "nvcc 13.0-", e.flags = "O3 'a b'"; },
  };
  std::vector<EnvironmentId> ids = {Put(Whole())};
  for (const auto& change : changes) {
    Environment other = Whole();
    change(other);
    const EnvironmentId id = Put(other);
    for (const EnvironmentId before : ids) EXPECT_NE(id, before);
    EXPECT_EQ(Load(id), other);
    ids.push_back(id);
  }
}

TEST_F(EnvironmentsTest, WhatWasNeverPutIsNotFound) {
  Must(connection_.Read([&]() -> Result<void> {
    EXPECT_FALSE(FindEnvironment(connection_, Whole()));
    return {};
  }));
  const EnvironmentId id = Put(Whole());
  Must(connection_.Read([&]() -> Result<void> {
    EXPECT_EQ(FindEnvironment(connection_, Whole()), id);
    return {};
  }));
  const auto missing = connection_.Read(
      [&] { return LoadEnvironment(connection_, EnvironmentId{99}); });
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::kCorrupt);
  EXPECT_TRUE(missing.error().what.ends_with("environment 99 is missing"));
}

}  // namespace
}  // namespace coppice::store
