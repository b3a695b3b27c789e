#include "engine/factory/prompt_sets.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "engine/factory/factory_fixture.h"

namespace coppice::engine {
namespace {

namespace fs = std::filesystem;

class PromptSetsTest : public testing::Test {
 protected:
  // Whose templates `--prompts VALUE` chooses, or why none.
  std::string SetOf(const std::string& value) {
    const config::Loaded loaded = lines_.Load({{"prompts", value}});
    PromptSets sets(loaded);
    const auto templates = sets.PromptsOf(loaded.settings);
    return templates ? (*templates)->set() : templates.error().what;
  }

  CommandLines lines_;
};

TEST_F(PromptSetsTest, VersionsAreNamed) {
  EXPECT_EQ(SetOf("v1"), "v1");
  // Today's is that of the program, whatever its number.
  EXPECT_EQ(SetOf("v2"), "coppice");
}

TEST_F(PromptSetsTest, AFolderTakesThePlaceOfWhatItHas) {
  const fs::path folder = lines_.File("mine");
  fs::create_directories(folder);
  EXPECT_EQ(SetOf(folder.string()), folder.string());
  // A template that nobody reads is a mistake in its name.
  std::ofstream(folder / "plann.txt") << "Plan.\n";
  EXPECT_NE(SetOf(folder.string()).find("plann.txt"), std::string::npos);
}

TEST_F(PromptSetsTest, OtherWordsAreRefused) {
  EXPECT_EQ(SetOf("v9"),
            "prompts: v9: neither v1 nor v2, nor a folder of templates");
  EXPECT_EQ(SetOf("./v1"),
            "prompts: ./v1: neither v1 nor v2, nor a folder of templates");
  const config::Loaded loaded = lines_.Load({{"prompts", "v9"}});
  EXPECT_EQ(PromptSets(loaded).PromptsOf(loaded.settings).error().code,
            Errc::kUsage);
}

TEST_F(PromptSetsTest, ThoseOfTheUsersOwnDataAreTheUsers) {
  const config::Loaded loaded =
      lines_.Load({{"data_directory", COPPICE_SOURCE_DIR "/data"}});
  PromptSets sets(loaded);
  EXPECT_EQ(sets.PromptsOf(loaded.settings).value()->set(),
            COPPICE_SOURCE_DIR "/data/prompts");
}

TEST_F(PromptSetsTest, EachIsReadOnce) {
  const config::Loaded loaded = lines_.Load();
  PromptSets sets(loaded);
  const auto* first = sets.PromptsOf(loaded.settings).value();
  EXPECT_EQ(sets.PromptsOf(loaded.settings).value(), first);
  config::Settings older = loaded.settings;
  older.prompts = "v1";
  EXPECT_NE(sets.PromptsOf(older).value(), first);
}

TEST_F(PromptSetsTest, AVersionIsNamedAsItIsWritten) {
  for (const std::string name :
       {"/none", "v1/x", "V1", "v2 ", " v1", "v1/.."}) {
    EXPECT_EQ(SetOf(name), "prompts: " + name +
                               ": neither v1 nor v2, nor a folder of "
                               "templates");
  }
}

// A folder has templates; a file of them is none.
TEST_F(PromptSetsTest, AFileInThePlaceOfAFolderIsRefused) {
  const fs::path file = lines_.File("mine.txt");
  std::ofstream(file) << "Plan.\n";
  EXPECT_EQ(SetOf(file.string()),
            "prompts: " + file.string() +
                ": neither v1 nor v2, nor a folder of templates");
}

}  // namespace
}  // namespace coppice::engine
