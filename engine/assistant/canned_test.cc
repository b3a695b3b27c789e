#include "engine/assistant/canned.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/scratch.h"

namespace coppice::assistant {
namespace {

using ::testing::HasSubstr;

// "Why did node 14 fail?"; the error if nothing is meant.
std::string TakenAs(std::string_view words) {
  const auto meant = WhatIsMeant(words);
  return meant ? meant->InWords() : meant.error().what;
}

TEST(CannedTest, AQuestionInOnesOwnWordsIsTakenForTheLikestOne) {
  EXPECT_EQ(TakenAs("why did node 14 fail"), "Why did node 14 fail?");
  EXPECT_EQ(TakenAs("Why does n14 not compile?"), "Why did node 14 fail?");
  EXPECT_EQ(TakenAs("what did the agent see for node 3"),
            "What did the agent see when it made node 3?");
  EXPECT_EQ(TakenAs("which of these is really faster, 7 or 30?"),
            "Which of 7 and 30 is really faster?");
  EXPECT_EQ(TakenAs("what did it cost"), "What did it cost?");
  EXPECT_EQ(TakenAs("what was tried most and gained least"),
            "What was tried most and gained least?");
  EXPECT_EQ(TakenAs("what is the fastest kernel"), "What is fastest?");
  EXPECT_EQ(TakenAs("what limits node 7?"), "What limits node 7?");
  EXPECT_EQ(TakenAs("what failed most often?"), "What failed, and how often?");
}

TEST(CannedTest, EachIsFoundByItsNameAndByItsOwnWords) {
  for (const store::CannedQuestion& question : store::CannedQuestions()) {
    EXPECT_EQ(WhatIsMeant(std::string(question.name) + " 3 4").value().question,
              &question);
    std::string words(question.question);
    for (const auto& [letter, number] :
         {std::pair{" N", " 3"}, std::pair{" M", " 4"}}) {
      const std::size_t at = words.find(letter);
      if (at != std::string::npos) words.replace(at, 2, number);
    }
    EXPECT_EQ(TakenAs(words), words);
  }
}

TEST(CannedTest, ACueIsTheBeginningOfAWord) {
  for (const char* words : {"why was node 14 rejected?", "n14 crashed",
                            "which errors has N14", "14 compiles not"}) {
    EXPECT_EQ(TakenAs(words), "Why did node 14 fail?") << words;
  }
  EXPECT_EQ(TakenAs("what is limiting node 2"), "What limits node 2?");
  // A word of three letters stands alone: "see" begins no "seed".
  EXPECT_THAT(TakenAs("a seed"), HasSubstr("no question like that"));
  // The beginnings of one word count once: "fail" and "failed" of "failed".
  EXPECT_EQ(TakenAs("failed faster 3 4"), "Which of 3 and 4 is really faster?");
}

// Each says as much, but one needs as many nodes as are named.
TEST(CannedTest, ThatManyNodesDecideBetweenLikeOnes) {
  EXPECT_EQ(TakenAs("wrong"), "Which results were refuted?");
  EXPECT_EQ(TakenAs("wrong 7"), "Why did node 7 fail?");
  EXPECT_EQ(TakenAs("shown in 5"),
            "What did the agent see when it made node "
            "5?");
}

TEST(CannedTest, NumbersBeyondThoseNeededAreDropped) {
  EXPECT_EQ(WhatIsMeant("why_failed 14 7").value().numbers,
            std::vector<std::int64_t>{14});
  EXPECT_EQ(WhatIsMeant("best 14").value().numbers,
            std::vector<std::int64_t>{});
  // In the order of the words, "n3" and "N4" too.
  EXPECT_EQ(WhatIsMeant("which_faster n3 N4").value().numbers,
            (std::vector<std::int64_t>{3, 4}));
  // Digits within a word are no node.
  EXPECT_FALSE(WhatIsMeant("why_failed gemv14"));
}

TEST(CannedTest, WhatIsNoneOfThemSaysHowToSeeThem) {
  EXPECT_THAT(TakenAs("hello"), HasSubstr("`coppice ask --list`"));
  EXPECT_THAT(TakenAs(""), HasSubstr("`coppice ask --list`"));
  EXPECT_THAT(TakenAs("why did it fail to compile"),
              HasSubstr("needs the number of a node"));
  EXPECT_THAT(TakenAs("which is faster than 7"),
              HasSubstr("needs the numbers of two nodes"));
}

// It is not dropped, which would leave another question.
TEST(CannedTest, ANumberThatNoNodeCanHaveIsRefused) {
  EXPECT_EQ(TakenAs("which is faster than 7, 99999999999999999999 or 8"),
            "99999999999999999999 is too large for the number of a node");
}

TEST(CannedTest, ANodeThatIsNotThereIsNamed) {
  const store::ScratchDirectory directory;
  store::Database database = store::NewFile(directory.File("x.db"));
  store::Plant(database, "a");
  const auto answer =
      AnswerCanned(database, "a", WhatIsMeant("why_failed 14").value());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "a has no node 14");
  EXPECT_EQ(answer.error().code, Errc::kUsage);
  EXPECT_EQ(AnswerCanned(database, "a", WhatIsMeant("why_failed 0").value())
                .value()
                .rows.size(),
            1u);
  // The second of two is looked for as the first is.
  const auto second =
      AnswerCanned(database, "a", WhatIsMeant("which_faster 0 9").value());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().what, "a has no node 9");
}

}  // namespace
}  // namespace coppice::assistant
