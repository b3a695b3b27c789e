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

// Programs of --on are told of these, and may be ours.
TEST_F(LoadTest, FactsOfWhatHasHappenedAreNoSettings) {
  for (const char* fact :
       {"EVENT", "MESSAGE", "REASON", "CAMPAIGN", "TASK", "NODE", "SPEEDUP",
        "SPEEDUP_LOW", "SPEEDUP_HIGH", "ATTEMPTS", "COST_USD"}) {
    surroundings_.environment[std::string("COPPICE_") + fact] = "x";
  }
  EXPECT_EQ(Get("seed"), "1 (default)");
  surroundings_.environment["COPPICE_NODES"] = "x";
  EXPECT_THAT(Get("seed"), ::testing::StartsWith("unknown environment variable "
                                                 "'COPPICE_NODES'"));
}

TEST_F(LoadTest, ABadValueIsNamedWithItsPlace) {
  EXPECT_EQ(Get("seed", {{"budget_s", "soon"}}),
            "--budget-s: expected none or a number from 0 to 1e+09");
  surroundings_.environment["COPPICE_BUDGET_S"] = "soon";
  EXPECT_EQ(Get("seed"),
            "COPPICE_BUDGET_S: expected none or a number from 0 to 1e+09");
  surroundings_.environment.clear();
  surroundings_.environment["COPPICE_PRESET"] = "xe";
  EXPECT_THAT(Get("seed"),
              ::testing::AllOf(::testing::StartsWith("COPPICE_PRESET: expected "
                                                     "one of "),
                               ::testing::EndsWith("did you mean 'xei'?")));
  EXPECT_EQ(Get("seed", {{"sede", "3"}}),
            "COPPICE_PRESET: expected one of xei, stark, multi_agent, search, "
            "reflexion, sampling; did you mean 'xei'?");
  surroundings_.environment.clear();
  EXPECT_EQ(Get("seed", {{"sede", "3"}}),
            "unknown setting 'sede'; did you mean 'seed'?");
}

TEST_F(LoadTest, OfTwoOptionsTheLaterCounts) {
  EXPECT_EQ(Get("seed", {{"seed", "3"}, {"budget", "9"}, {"seed", "4"}}),
            "4 (command line)");
  const std::vector<Override> line = {
      {"policy", "greedy"}, {"preset", "search"}, {"preset", "sampling"}};
  EXPECT_EQ(Get("policy", line), "greedy (command line)");
  EXPECT_EQ(Get("window_history", line), "0 (preset sampling)");
  EXPECT_EQ(Get("preset", line), "sampling (command line)");
}

// So that what one preset says never stays behind when another is named later.
TEST_F(LoadTest, ALaterPresetSetsAllThatAnEarlierOneSet) {
  Write("coppice.conf", "preset = sampling\n");
  surroundings_.environment["COPPICE_PRESET"] = "stark";
  for (const char* key : {"policy", "agents", "plan_temperature",
                          "code_temperature", "debug_temperature",
                          "window_history", "window_cap", "window_leaders"}) {
    EXPECT_THAT(Get(key), ::testing::EndsWith(" (preset stark)")) << key;
  }
}

TEST_F(LoadTest, WhatAFolderMaySayIsHowToSearch) {
  Write("coppice.conf",
        "preset = stark\npolicy = greedy\nplan_model = openai:m\ncap_usd = 3\n"
        "devices = cpu\nthreads = 2\nmemory = library\n");
  EXPECT_EQ(Get("policy"), "greedy (coppice.conf:2)");
  EXPECT_EQ(Get("threads"), "2 (coppice.conf:6)");
}

TEST_F(LoadTest, EachProgramAndEachKeyIsRefusedOfAFolder) {
  for (const std::string line :
       {"plan_model = session:./evil", "debug_model = openai:m,exec:./evil",
        "policy = python:evil.py:P", "policy_python = ./evil",
        "assistant_model = openai:m", "assistant_usd_day = 9", "on_best = id",
        "on_trouble = id", "on_steered = id", "openai_api_key_env = AWS_SECRET",
        "anthropic_base_url = http://evil", "anthropic_api_key_env = X",
        "anthropic_key_command = id", "models_file = evil.json",
        "data_directory = ./d", "cache_directory = ./c", "cache_limit_mb = 1",
        "remember = yes"}) {
    Write("coppice.conf", line + "\n");
    const std::string key = line.substr(0, line.find(' '));
    EXPECT_EQ(Get("seed"),
              "coppice.conf:1: " + key +
                  ": is not for the file of a folder, which may be anybody's: "
                  "say it in ~/.config/coppice/coppice.conf, or name this "
                  "file: --config coppice.conf");
  }
}

// Outside it a file would be another's to write, or to be read to a model.
TEST_F(LoadTest, AFolderNamesFilesBelowItselfAlone) {
  fs::create_directories("in");
  fs::create_directories("home");
  fs::create_directory_symlink("..", "out");
  fs::create_directory_symlink("in", "inner");
  fs::create_symlink("../nothing.db", "dangling.db");
  const auto said = [&](const std::string& line) {
    Write("coppice.conf", line + "\n");
    return Get("seed");
  };
  for (const std::string line :
       {"db = mine.db", "db = in/mine.db", "db = inner/mine.db",
        "db = in/../..mine.db", "memory = library,old.db", "memory = none",
        "prompts = v1", "prompts = ./mine", "eval_config = in/eval.yaml",
        "code_model = replay:in/answers.jsonl,openai:/m"}) {
    EXPECT_EQ(said(line), "1 (default)") << line;
  }
  for (const std::string line :
       {"db = /tmp/mine.db", "db = ../mine.db", "db = in/../../mine.db",
        "db = out/mine.db", "db = dangling.db", "memory = old.db,/home/a.db",
        "prompts = /etc", "eval_config = ../eval.yaml",
        "plan_model = openai:m,replay:/etc/passwd"}) {
    EXPECT_EQ(said(line),
              "coppice.conf:1: " + line.substr(0, line.find(' ')) +
                  " outside the folder: is not for the file of a folder, which "
                  "may be anybody's: say it in ~/.config/coppice/coppice.conf, "
                  "or name this file: --config coppice.conf");
  }
}

// It is refused even where nothing good or bad is said by it.
TEST_F(LoadTest, AFolderIsRefusedBeforeItsValueIsRead) {
  Write("coppice.conf", "openai_base_url = none at all\n");
  EXPECT_THAT(Get("seed"), ::testing::HasSubstr("is not for the file of a"));
  Write("coppice.conf", "plan_model = openai:\n");
  EXPECT_EQ(Get("seed"),
            "coppice.conf:1: plan_model: expected PROVIDER or PROVIDER:MODEL");
}

TEST_F(LoadTest, AHomeThatIsNoWholePathIsNone) {
  surroundings_.environment["HOME"] = "home";
  WriteUserFile("seed = 7\n");
  EXPECT_EQ(Get("seed"), "1 (default)");
  surroundings_.user = 5;
  EXPECT_THAT(Get("cache_directory"),
              ::testing::EndsWith("/coppice-5/cache (default)"));
}

TEST_F(LoadTest, TheLibraryIsThisUsers) {
  const auto library = [&] {
    return Load(surroundings_, file_, {}).value().settings.library.string();
  };
  EXPECT_EQ(library(),
            (directory_ / "home/.local/share/coppice/memory.db").string());
  surroundings_.environment["XDG_DATA_HOME"] = "/data";
  EXPECT_EQ(library(), "/data/coppice/memory.db");
  surroundings_.environment["XDG_DATA_HOME"] = "data";
  EXPECT_EQ(library(),
            (directory_ / "home/.local/share/coppice/memory.db").string());
}

TEST_F(LoadTest, ANamedFileMayBeNamedOnceOnly) {
  Write("first.conf", "seed = 7\n");
  surroundings_.environment["COPPICE_CONFIG"] = "absent.conf";
  EXPECT_EQ(Get("seed"), "absent.conf: No such file or directory");
  file_ = "first.conf";
  EXPECT_EQ(Get("seed"), "7 (first.conf:1)");
  file_.reset();
  surroundings_.environment["COPPICE_CONFIG"] = "";  // As good as unset.
  EXPECT_EQ(Get("seed"), "1 (default)");
}

TEST_F(LoadTest, WhatAPresetSaysIsGivenAsWell) {
  const Loaded loaded =
      Load(surroundings_, file_, {{"preset", "search"}}).value();
  EXPECT_TRUE(IsGiven(loaded, "preset"));
  EXPECT_TRUE(IsGiven(loaded, "policy"));
  EXPECT_FALSE(IsGiven(loaded, "seed"));
  EXPECT_FALSE(IsGiven(loaded, "no_such_key"));
}

// Each line may say the most that there is, and a file no more than that.
TEST_F(LoadTest, ThreadsOverTheCoresAreRefusedWhereverTheyAreSaid) {
  Write("coppice.conf", "\nthreads = 9\n");
  EXPECT_EQ(Get("seed"), "coppice.conf:2: threads: this machine has 8");
  fs::remove("coppice.conf");
  surroundings_.environment["COPPICE_THREADS"] = "9";
  EXPECT_EQ(Get("seed"), "COPPICE_THREADS: this machine has 8");
}

// What is loaded is what every key's own text says.
TEST_F(LoadTest, WhatIsLoadedIsReadBackFromItsOrigins) {
  const Loaded loaded = Load(surroundings_, file_,
                             {{"preset", "stark"},
                              {"plan_model", "openai:a,exec:b c"},
                              {"cap_usd", "2.5"},
                              {"plan_effort", "high"}})
                            .value();
  std::vector<Override> line;
  for (const auto& [key, value, origin] : loaded.origins) {
    line.push_back({key, value});
  }
  const Loaded again = Load(surroundings_, file_, line).value();
  ASSERT_EQ(again.origins.size(), loaded.origins.size());
  for (std::size_t i = 0; i < line.size(); ++i) {
    EXPECT_EQ(again.origins[i].value, loaded.origins[i].value) << line[i].key;
    EXPECT_EQ(again.origins[i].origin, "command line");
  }
}

TEST_F(LoadTest, NobodyGetsMoreThreadsThanThereAreCores) {
  EXPECT_EQ(Get("threads", {{"threads", "8"}}), "8 (command line)");
  EXPECT_EQ(Get("threads", {{"threads", "9"}}),
            "--threads: this machine has 8");
}

}  // namespace
}  // namespace coppice::config
