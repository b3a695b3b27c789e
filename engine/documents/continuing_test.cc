#include "engine/documents/continuing.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace coppice::cli
