#include "eval/torch/shell.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace coppice::eval::torch {
namespace {

TEST(ShellTest, AQuotedTextIsOneWord) {
  EXPECT_EQ(ShellQuoted(""), "''");
  EXPECT_EQ(ShellQuoted("a b"), "'a b'");
  EXPECT_EQ(ShellQuoted("it's"), "'it'\\''s'");
}

// The shell would make something of each of these.
TEST(ShellTest, AQuotedTextComesBackAsItIs) {
  for (const std::string text :
       {"", "'", "''", "a'b\"c", "$HOME `id` $(id)", "*", "a\nb\n", "\\", "-n",
        "; exit 1", "\xc3\xa9\xff"}) {
    EXPECT_EQ(OutputOf("printf %s " + ShellQuoted(text)), text);
  }
}

TEST(ShellTest, AllOfAnOutputIsRead) {
  EXPECT_EQ(OutputOf("head -c 100000 /dev/zero"), std::string(100000, '\0'));
}

TEST(ShellTest, WhatThereWasOfItIsToldHoweverItEnded) {
  EXPECT_EQ(OutputOf("printf begun; exit 3"), "begun");
  EXPECT_EQ(OutputOf("printf begun; kill -9 $$"), "begun");
  EXPECT_EQ(OutputOf("/no/such/program 2>/dev/null"), "");
}

// What a terminal sends is for us: the program does not die of it, and we are
// told as before.
TEST(ShellTest, WhatItStartsIsNotInterrupted) {
  EXPECT_EQ(OutputOf("kill -INT $$; kill -QUIT $$; printf on"), "on");
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGINT), 0);
  EXPECT_EQ(sigismember(&blocked, SIGQUIT), 0);
}

}  // namespace
}  // namespace coppice::eval::torch
