#include "config/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace coppice::config {
namespace {

namespace fs = std::filesystem;

// Each test has an empty working directory and home of its own.
class LoadTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "coppice-config-XXXXXX";
    directory_ = mkdtemp(name.data());
    before_ = fs::current_path();
    fs::current_path(directory_);
    surroundings_.environment["HOME"] = directory_ / "home";
    surroundings_.cores = 8;
    surroundings_.data_directory = "/share";
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(directory_);
  }

  void Write(const fs::path& path, const std::string& text) {
    if (path.has_parent_path()) fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void WriteUserFile(const std::string& text) {
    Write("home/.config/coppice/coppice.conf", text);
  }

  // "value (origin)" of a key, or the error.
  std::string Get(const std::string& key,
                  const std::vector<Override>& command_line = {}) {
    const auto loaded = Load(surroundings_, file_, command_line);
    if (!loaded) return loaded.error().what;
    for (const auto& [name, value, origin] : loaded->origins) {
      if (name == key) return value + " (" + origin + ")";
    }
    return "no such key";
  }

  fs::path directory_;
  fs::path before_;
  Surroundings surroundings_;
  std::optional<fs::path> file_;
};

TEST_F(LoadTest, APresetSetsWhatIsNotGivenBesideIt) {
  const std::vector<Override> line = {{"code_temperature", "0.2"},
                                      {"preset", "sampling"}};
  EXPECT_EQ(Get("preset", line), "sampling (command line)");
  EXPECT_EQ(Get("policy", line), "best_of_k (preset sampling)");
  EXPECT_EQ(Get("agents", line), "alone (preset sampling)");
  EXPECT_EQ(Get("code_temperature", line), "0.2 (command line)");
  EXPECT_EQ(Get("plan_model", line), "catalogue (default)");
}

TEST_F(LoadTest, APresetWinsOverEarlierPlacesAndYieldsToLaterOnes) {
  Write("coppice.conf", "policy = greedy\npreset = reflexion\n");
  EXPECT_EQ(Get("policy"), "greedy (coppice.conf:1)");
  EXPECT_EQ(Get("agents"), "alone (preset reflexion)");
  surroundings_.environment["COPPICE_PRESET"] = "search";
  surroundings_.environment["COPPICE_AGENTS"] = "team";
  EXPECT_EQ(Get("policy"), "stark (preset search)");
  EXPECT_EQ(Get("agents"), "team (environment COPPICE_AGENTS)");
  EXPECT_EQ(Get("policy", {{"policy", "greedy"}}), "greedy (command line)");
}

TEST_F(LoadTest, WhatTheCommandLineSaysIsToldFromWhatIsSaidElsewhere) {
  Write("coppice.conf", "preset = reflexion\nseed = 7\n");
  surroundings_.environment["COPPICE_BUDGET"] = "9";
  const auto said_by = [&](const std::string& key,
                           const std::vector<Override>& command_line) {
    const Loaded loaded = Load(surroundings_, file_, command_line).value();
    return SaidBy(loaded, key).value_or("");
  };
  for (const char* key : {"preset", "policy", "seed", "budget", "lease_s"}) {
    EXPECT_EQ(said_by(key, {}), "") << key;
  }
  const std::vector<Override> line = {{"preset", "search"}, {"budget_s", "5"}};
  EXPECT_EQ(said_by("preset", line), "--preset");
  EXPECT_EQ(said_by("policy", line), "--preset");
  EXPECT_EQ(said_by("budget_s", line), "--budget-s");
  EXPECT_EQ(said_by("seed", line), "");
  EXPECT_EQ(said_by("policy", {{"preset", "search"}, {"policy", "greedy"}}),
            "--policy");
}

TEST_F(LoadTest, AMistypedPresetIsNamedWithItsPlace) {
  Write("coppice.conf", "preset = strak\n");
  EXPECT_EQ(Get("policy"),
            "coppice.conf:1: preset: expected one of xei, stark, "
            "multi_agent, search, reflexion, sampling; did you mean 'stark'?");
}

TEST_F(LoadTest, WithoutAnySourceAllAreDefaults) {
  EXPECT_EQ(Get("policy"), "xei_hint (default)");
  EXPECT_EQ(Get("threads"), "8 (default)");
  EXPECT_EQ(Get("data_directory"), "/share (default)");
  EXPECT_EQ(Get("cache_directory"),
            (directory_ / "home/.cache/coppice").string() + " (default)");
}

TEST_F(LoadTest, EachSourceOverridesTheOnesBeforeIt) {
  WriteUserFile("policy = one\n");
  EXPECT_EQ(Get("policy"),
            "one (" +
                (directory_ / "home/.config/coppice/coppice.conf").string() +
                ":1)");
  Write("coppice.conf", "\npolicy = two\n");
  EXPECT_EQ(Get("policy"), "two (coppice.conf:2)");
  surroundings_.environment["COPPICE_POLICY"] = "three";
  EXPECT_EQ(Get("policy"), "three (environment COPPICE_POLICY)");
  EXPECT_EQ(Get("policy", {{"policy", "four"}}), "four (command line)");
}

TEST_F(LoadTest, SourcesAddUpKeyByKey) {
  WriteUserFile("seed = 7\npolicy = one\n");
  Write("coppice.conf", "policy = two\n");
  EXPECT_EQ(Get("policy"), "two (coppice.conf:1)");
  EXPECT_EQ(Get("seed").substr(0, 3), "7 (");
}

TEST_F(LoadTest, ANamedFileReplacesTheUsualOnes) {
  WriteUserFile("seed = 7\n");
  Write("coppice.conf", "seed = 8\n");
  Write("other.conf", "policy = greedy\n");
  surroundings_.environment["COPPICE_CONFIG"] = "other.conf";
  EXPECT_EQ(Get("policy"), "greedy (other.conf:1)");
  EXPECT_EQ(Get("seed"), "1 (default)");
  Write("third.conf", "policy = sampling\n");
  file_ = "third.conf";
  EXPECT_EQ(Get("policy"), "sampling (third.conf:1)");
}

TEST_F(LoadTest, ANamedFileMustExist) {
  file_ = "absent.conf";
  EXPECT_EQ(Get("seed"), "absent.conf: No such file or directory");
  file_ = directory_;
  EXPECT_EQ(Get("seed"), directory_.string() + ": is a directory");
  file_ = "/dev/zero";
  EXPECT_EQ(Get("seed"), "/dev/zero: over 1 MiB: no settings file");
}

// A folder may be anybody's: what runs a program or moves a key is its user's.
TEST_F(LoadTest, AFoldersFileRunsNothing) {
  for (const std::string line :
       {"on_done = id", "code_model = exec:./evil", "python = ./evil",
        "record = x", "openai_key_command = id",
        "openai_base_url = http://evil"}) {
    Write("coppice.conf", "seed = 3\n" + line + "\n");
    EXPECT_THAT(
        Get("seed"),
        ::testing::AllOf(::testing::StartsWith("coppice.conf:2: "),
                         ::testing::HasSubstr("--config coppice.conf")));
    file_ = "coppice.conf";
    EXPECT_EQ(Get("seed"), "3 (coppice.conf:1)");
    file_.reset();
    fs::remove("coppice.conf");
    WriteUserFile(line + "\n");
    EXPECT_EQ(Get("seed"), "1 (default)");
    fs::remove_all("home");
  }
}

TEST_F(LoadTest, AFoldersFileThatOthersMayWriteIsRefused) {
  Write("coppice.conf", "seed = 3\n");
  surroundings_.trusts_folder = false;
  EXPECT_EQ(Get("seed"),
            "coppice.conf: is no plain file that only you may write; if you "
            "trust it, name it: --config coppice.conf");
  file_ = "coppice.conf";
  EXPECT_EQ(Get("seed"), "3 (coppice.conf:1)");
}

TEST_F(LoadTest, XdgDirectoriesCountOnlyIfAbsolute) {
  Write("xdg/coppice/coppice.conf", "seed = 9\n");
  surroundings_.environment["XDG_CONFIG_HOME"] = "xdg";
  EXPECT_EQ(Get("seed"), "1 (default)");
  surroundings_.environment["XDG_CONFIG_HOME"] = directory_ / "xdg";
  EXPECT_EQ(Get("seed").substr(0, 3), "9 (");
  surroundings_.environment["XDG_CACHE_HOME"] = "/cache";
  EXPECT_EQ(Get("cache_directory"), "/cache/coppice (default)");
}

TEST_F(LoadTest, WhoHasNoHomeSharesNoCache) {
  surroundings_.user = 1234;
  surroundings_.environment.erase("HOME");
  surroundings_.environment.erase("XDG_CACHE_HOME");
  EXPECT_THAT(Get("cache_directory"),
              ::testing::EndsWith("/coppice-1234/cache (default)"));
}

TEST_F(LoadTest, CommentsAndSpaceAreSkipped) {
  Write("coppice.conf",
        "# A comment.\n"
        "\n"
        "  seed=3   # Ours.\n"
        "\tdb = a#b.db\r\n");
  EXPECT_EQ(Get("seed"), "3 (coppice.conf:3)");
  EXPECT_EQ(Get("db"), "a#b.db (coppice.conf:4)");
}

TEST_F(LoadTest, AnEmptyFileSetsNothing) {
  Write("coppice.conf", "");
  EXPECT_EQ(Get("seed"), "1 (default)");
}

TEST_F(LoadTest, FileErrorsNameTheirLine) {
  Write("coppice.conf", "seed = 3\nseed = 4\n");
  EXPECT_EQ(Get("seed"), "coppice.conf:2: seed was already set in line 1");
  Write("coppice.conf", "\n\nseed 3\n");
  EXPECT_EQ(Get("seed"), "coppice.conf:3: expected: key = value");
  Write("coppice.conf", "budget = lots\n");
  EXPECT_EQ(Get("seed"),
            "coppice.conf:1: budget: expected a whole number from 0 to 1e+15");
  Write("coppice.conf", "seed =\n");
  EXPECT_NE(Get("seed").find("coppice.conf:1: seed: expected"),
            std::string::npos);
}

TEST_F(LoadTest, UnknownNamesGetTheNearestKnownOne) {
  Write("coppice.conf", "polcy = greedy\n");
  EXPECT_EQ(Get("seed"),
            "coppice.conf:1: unknown key 'polcy'; did you mean 'policy'?");
  fs::remove("coppice.conf");
  surroundings_.environment["COPPICE_SEDE"] = "3";
  EXPECT_EQ(Get("seed"),
            "unknown environment variable 'COPPICE_SEDE'; did you mean "
            "'COPPICE_SEED'?");
}

TEST_F(LoadTest, AKeyOfSecretsIsNotRepeatedNorAccepted) {
  Write("coppice.conf", "openai_api_key = sk-secret\n");
  EXPECT_EQ(Get("seed").find("secret"), std::string::npos);
  EXPECT_NE(Get("seed").find("openai_api_key_env"), std::string::npos);
}

TEST_F(LoadTest, VariablesOfTestsAreNotSettings) {
  surroundings_.environment["COPPICE_TEST_ANYTHING"] = "1";
  surroundings_.environment["COPPICE_SEED"] = "";  // As good as unset.
  EXPECT_EQ(Get("seed"), "1 (default)");
}

TEST_F(LoadTest, NobodyGetsMoreThreadsThanThereAreCores) {
  EXPECT_EQ(Get("threads", {{"threads", "8"}}), "8 (command line)");
  EXPECT_EQ(Get("threads", {{"threads", "9"}}),
            "--threads: this machine has 8");
}

}  // namespace
}  // namespace coppice::config
