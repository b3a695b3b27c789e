#include "config/runs_program.h"

#include <gtest/gtest.h>

namespace coppice::config {
namespace {

TEST(RunsProgramTest, CommandsFilesOfPythonAndInterpretersDo) {
  EXPECT_TRUE(RunsProgram("code_model", "catalogue,exec:touch it"));
  EXPECT_TRUE(RunsProgram("code_model", "catalogue,session:./agent"));
  EXPECT_FALSE(RunsProgram("code_model", "openai:gpt-5.4-mini"));
  EXPECT_TRUE(RunsProgram("policy", "python:mine.py:Mine"));
  EXPECT_FALSE(RunsProgram("policy", "stark"));
  EXPECT_TRUE(RunsProgram("python", "/opt/python3"));
  EXPECT_FALSE(RunsProgram("budget", "30"));
}

// Each role's models, and no text that only looks like one.
TEST(RunsProgramTest, EveryRoleMayNameACommand) {
  for (const char* key :
       {"plan_model", "code_model", "debug_model", "assistant_model"}) {
    EXPECT_TRUE(RunsProgram(key, "exec:./it")) << key;
    EXPECT_FALSE(RunsProgram(key, "replay:exec:it")) << key;
    EXPECT_FALSE(RunsProgram(key, "openai:exec")) << key;
    EXPECT_FALSE(RunsProgram(key, "")) << key;
  }
  EXPECT_TRUE(RunsProgram("policy_python", "./python3"));
  EXPECT_FALSE(RunsProgram("policy", "mcts:python:"));
  EXPECT_FALSE(RunsProgram("memory", "python:x"));
}

}  // namespace
}  // namespace coppice::config
