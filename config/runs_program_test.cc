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

}  // namespace
}  // namespace coppice::config
