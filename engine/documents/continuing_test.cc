#include "engine/documents/continuing.h"

#include <gtest/gtest.h>

#include <string>

namespace coppice::cli {
namespace {

TEST(ContinuingTest, AFilesNameIsOneWordOfTheShell) {
  config::Loaded loaded;
  loaded.settings.db = "runs/a.db";
  EXPECT_EQ(ContinueCommand("resume --db", loaded),
            "coppice resume --db runs/a.db");
  loaded.settings.db = "my runs/it's.db";
  EXPECT_EQ(ContinueCommand("compare", loaded),
            "coppice compare 'my runs/it'\\''s.db'");
}

TEST(ContinuingTest, WhatTheShellWouldReadIsQuoted) {
  const auto word = [](const std::string& file) {
    config::Loaded loaded;
    loaded.settings.db = file;
    return ContinueCommand("resume", loaded)
        .substr(std::string("coppice resume ").size());
  };
  for (const char* plain : {"a", "a_b-c.d/e:f=g@h%i+j,k", "/A/0.db"}) {
    EXPECT_EQ(word(plain), plain);
  }
  for (const std::string text :
       {"a b",  "$HOME", "`id`", "a;b", "a&b",  "a|b",  "*",
        "?",    "~",     "(a)",  "{a}", "[a]",  "!a",   "#a",
        "a\\b", "\"a\"", "<a",   ">a",  "a\nb", "a\tb", "\xC3\xA9"}) {
    EXPECT_EQ(word(text), "'" + text + "'");
  }
  EXPECT_EQ(word(""), "''");
  EXPECT_EQ(word("'"), "''\\'''");
  EXPECT_EQ(word(std::string("a\0b", 3)), std::string("'a\0b'", 5));
}

// What a database may not decide has to be said again, in a form that the shell
// takes for one word.
TEST(ContinuingTest, WhatIsToBeSaidAgainIsInTheCommand) {
  const auto loaded = config::Load({}, "/dev/null",
                                   {{"db", "a.db"},
                                    {"code_model", "exec:sh -c 'x'"},
                                    {"record", "a.jsonl"},
                                    {"cap_usd", "5"}});
  ASSERT_TRUE(loaded);
  EXPECT_EQ(ContinueCommand("resume", *loaded),
            "coppice resume a.db --code-model 'exec:sh -c '\\''x'\\''' "
            "--record a.jsonl");
}

}  // namespace
}  // namespace coppice::cli
