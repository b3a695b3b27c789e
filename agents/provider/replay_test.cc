#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "agents/provider/cassette.h"
#include "agents/provider/providers.h"

namespace coppice::agents {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

// Answers with the prompt in upper case; "fail" fails, "half" has a fault.
class Shouter final : public Model {
 public:
  std::string_view Provider() const override { return "test"; }
  std::string_view ModelName() const override { return "shouter"; }
  Result<ModelAnswer> Complete(const ModelRequest& request) override {
    if (request.user_prompt == "fail") return Fail(Errc::kBusy, "failed");
    ModelAnswer answer;
    for (const char c : request.user_prompt) {
      answer.text += static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
    }
    answer.usage = {30, 20, 10};
    answer.cost_usd = 0.125;
    if (request.user_prompt == "half") answer.fault = "cut";
    return answer;
  }
};

class ReplayTest : public testing::Test {
 protected:
  ReplayTest()
      : path_(std::filesystem::path(testing::TempDir()) /
              (std::string("cassette-") +
               testing::UnitTest::GetInstance()->current_test_info()->name() +
               ".jsonl")) {
    std::filesystem::remove(path_);
  }
  ~ReplayTest() override { std::filesystem::remove(path_); }

  static ModelRequest Ask(const std::string& prompt) {
    ModelRequest request;
    request.role = Role::kCode;
    request.system_prompt = "Shout.";
    request.user_prompt = prompt;
    request.sampling.temperature = 0.1;
    return request;
  }

  void Record(const std::vector<ModelRequest>& requests) {
    const auto model =
        MakeRecordingModel(std::make_unique<Shouter>(), path_).value();
    for (const ModelRequest& request : requests) (void)model->Complete(request);
  }

  std::string Missing(const ModelRequest& request) {
    const auto answer = MakeReplayModel(path_).value()->Complete(request);
    if (answer) return "no error";
    EXPECT_EQ(answer.error().code, Errc::kNotFound);
    return answer.error().what;
  }

  std::string FileText() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

  std::filesystem::path path_;
};

TEST_F(ReplayTest, AFaultIsReplayedToo) {
  Record({Ask("a"), Ask("half")});
  const auto model = MakeReplayModel(path_).value();
  EXPECT_EQ(model->Complete(Ask("a")).value().fault, "");
  EXPECT_EQ(model->Complete(Ask("half")).value().fault, "cut");
}

TEST_F(ReplayTest, WhatWasRecordedIsReplayedForNothing) {
  Record({Ask("a"), Ask("b")});
  const auto model = MakeReplayModel(path_).value();
  EXPECT_EQ(model->Provider(), "replay");
  EXPECT_EQ(model->ModelName(), path_.filename().string());
  for (int i = 0; i < 2; ++i) {
    const ModelAnswer answer = model->Complete(Ask("b")).value();
    EXPECT_EQ(answer.text, "B");
    EXPECT_EQ(answer.usage.input_tokens, 30);
    EXPECT_EQ(answer.usage.cached_input_tokens, 20);
    EXPECT_EQ(answer.usage.output_tokens, 10);
    EXPECT_EQ(answer.cost_usd, 0.0);
  }
}

TEST_F(ReplayTest, TheRecorderIsSeenAsItsInnerModel) {
  const auto model =
      MakeRecordingModel(std::make_unique<Shouter>(), path_).value();
  EXPECT_EQ(model->Provider(), "test");
  EXPECT_EQ(model->ModelName(), "shouter");
  EXPECT_EQ(model->Complete(Ask("a")).value().cost_usd, 0.125);
}

TEST_F(ReplayTest, ErrorsArePassedOnAndNotRecorded) {
  const auto model =
      MakeRecordingModel(std::make_unique<Shouter>(), path_).value();
  EXPECT_EQ(model->Complete(Ask("fail")).error().code, Errc::kBusy);
  EXPECT_EQ(FileText(), "");
}

TEST_F(ReplayTest, ALineReadsAsTheHeaderSays) {
  Record({Ask("a")});
  const std::string key = RequestKey(CanonicalRequest(Ask("a")));
  EXPECT_EQ(FileText(),
            R"({"answer":"A","cost_usd":0.125,"key":")" + key +
                R"(","model":"shouter","provider":"test","request":)"
                R"({"max_output_tokens":16384,"role":"code","sample_index":0,)"
                R"("system":"Shout.","temperature":0.1,"top_p":null,)"
                R"("user":"a"},"usage":{"cached_input_tokens":20,)"
                R"("input_tokens":30,"output_tokens":10}})"
                "\n");
}

// FNV-1a of the empty text is its offset basis; of "a" the published value.
TEST_F(ReplayTest, KeysAreFnv1a) {
  EXPECT_EQ(RequestKey(""), "cbf29ce484222325");
  EXPECT_EQ(RequestKey("a"), "af63dc4c8601ec8c");
}

TEST_F(ReplayTest, EveryPartOfTheRequestCounts) {
  Record({Ask("a")});
  ModelRequest request = Ask("a");
  request.sample_index = 1;
  EXPECT_THAT(Missing(request),
              EndsWith("differs first in sample_index: asked 1, stored 0"));
  request = Ask("a");
  request.role = Role::kDebug;
  EXPECT_THAT(Missing(request),
              HasSubstr("in role, line 1: asked \"debug\", stored \"code\""));
  request = Ask("a");
  request.sampling.temperature.reset();
  EXPECT_THAT(Missing(request),
              EndsWith("in temperature: asked null, stored 0.1"));
  request = Ask("a");
  request.sampling.top_p = 0.5;
  EXPECT_THAT(Missing(request), EndsWith("in top_p: asked 0.5, stored null"));
  request = Ask("a");
  request.sampling.max_output_tokens = 1;
  EXPECT_THAT(Missing(request),
              EndsWith("in max_output_tokens: asked 1, stored 16384"));
  request = Ask("a");
  request.sampling.effort = "high";
  EXPECT_THAT(Missing(request), EndsWith("in effort: asked high, stored none"));
  request = Ask("a");
  request.system_prompt = "Shout!";
  EXPECT_THAT(Missing(request),
              EndsWith("in system, line 1: asked \"Shout!\", stored "
                       "\"Shout.\""));
}

TEST_F(ReplayTest, AnEffortIsFoundAgain) {
  ModelRequest request = Ask("a");
  request.sampling.effort = "high";
  Record({request});
  EXPECT_TRUE(MakeReplayModel(path_).value()->Complete(request));
  EXPECT_THAT(Missing(Ask("a")),
              EndsWith("in effort: asked none, stored high"));
}

// On another day the machine is slower, or another element is wrong.
TEST_F(ReplayTest, WhatWasMeasuredMayDiffer) {
  Record(
      {Ask("It takes 985.2 us: 1.27e+03 times.\n"
           "```text\ny[0, 3]: got -0.5\n```\n")});
  const auto model = MakeReplayModel(path_).value();
  EXPECT_TRUE(
      model->Complete(Ask("It takes 1.01 ms: 0.9 times.\n"
                          "```text\ny[17, 0]: got 2.25\n```\n")));
  EXPECT_FALSE(
      model->Complete(Ask("It took 1.01 ms: 0.9 times.\n"
                          "```text\ny[17, 0]: got 2.25\n```\n")));
}

// Noise decides which of these an attempt of equal speed is told by.
TEST_F(ReplayTest, WhetherADifferenceIsToldMayDiffer) {
  Record(
      {Ask("```text\n"
           "5 | 3 | tile | passed | 1.02x (1.01-1.03)\n"
           "6 | 3 | tile | wrong_output | got 0.5, expected 0.25, allo...\n"
           "```\n"
           "correct, 1.02x (95 % interval 1.01-1.03) as fast as the source\n"
           "The fastest so far is node 5: 1.02x (1.01-1.03).\n")});
  const auto model = MakeReplayModel(path_).value();
  EXPECT_TRUE(model->Complete(
      Ask("```text\n"
          "5 | 3 | tile | passed | no difference told (0.98-1.03)\n"
          "6 | 3 | tile | wrong_output | got 0.123456789, expected 0...\n"
          "```\n"
          "correct, no difference told (0.98-1.03) from the source\n"
          "Nothing faster than the source to speed up was found so far.\n")));
}

TEST_F(ReplayTest, NumbersOfASourceCount) {
  Record({Ask("4 ms\n```cpp\nint x = 3;\n```\n5 ms\n")});
  const auto model = MakeReplayModel(path_).value();
  EXPECT_TRUE(model->Complete(Ask("6 ms\n```cpp\nint x = 3;\n```\n7 ms\n")));
  EXPECT_FALSE(model->Complete(Ask("4 ms\n```cpp\nint x = 4;\n```\n5 ms\n")));
}

TEST_F(ReplayTest, TheSameRequestComesBeforeOneThatIsAlike) {
  Record({Ask("1 ms"), Ask("2 ms")});
  const auto model = MakeReplayModel(path_).value();
  EXPECT_EQ(model->Complete(Ask("2 ms")).value().text, "2 MS");
}

TEST_F(ReplayTest, AMissNamesTheNearestAndItsFirstDifferentLine) {
  Record({Ask("one\ntwo\nthree\n"), Ask("one\nnil\n")});
  const std::string what = Missing(Ask("one\ntwo\ntree\n"));
  const std::string nearest =
      RequestKey(CanonicalRequest(Ask("one\ntwo\nthree\n")));
  EXPECT_THAT(
      what, AllOf(HasSubstr(path_.string()), HasSubstr("nearest is " + nearest),
                  EndsWith("in user, line 3: asked \"tree\", stored "
                           "\"three\"")));
}

TEST_F(ReplayTest, AnEmptyCassetteAnswersNothing) {
  Record({});
  EXPECT_THAT(Missing(Ask("a")), HasSubstr("the cassette is empty"));
}

// The disk is full after the first line and a part of the second.
TEST_F(ReplayTest, AnAnswerThatCannotBeRecordedIsUsedAndKeptForLater) {
  Record({Ask("a")});
  const auto size = std::filesystem::file_size(path_);
  const auto model =
      MakeRecordingModel(std::make_unique<Shouter>(), path_).value();
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit full{size + 20, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &full);
  const auto second = model->Complete(Ask("b"));
  const auto third = model->Complete(Ask("c"));
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->text, "B");
  EXPECT_EQ(std::filesystem::file_size(path_), size);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, Errc::kIo);
  EXPECT_THAT(third.error().what, HasSubstr("used but not recorded"));
  ASSERT_TRUE(model->Flush());
  EXPECT_TRUE(MakeReplayModel(path_).value()->Complete(Ask("b")));
}

TEST_F(ReplayTest, ADiskWithoutRoomIsToldAsSuch) {
  const auto model =
      MakeRecordingModel(std::make_unique<Shouter>(), "/dev/full").value();
  ASSERT_TRUE(model->Complete(Ask("a")));
  EXPECT_EQ(model->Flush().error().code, Errc::kFull);
  EXPECT_EQ(model->Complete(Ask("b")).error().code, Errc::kFull);
}

TEST_F(ReplayTest, RecordingGoesOnWhereItEnded) {
  Record({Ask("a")});
  Record({Ask("b")});
  const auto model = MakeReplayModel(path_).value();
  EXPECT_TRUE(model->Complete(Ask("a")));
  EXPECT_TRUE(model->Complete(Ask("b")));
}

TEST_F(ReplayTest, AnUnfinishedLastLineIsIgnoredAndThenOverwritten) {
  Record({Ask("a")});
  std::ofstream(path_, std::ios::app) << R"({"answer":"B","cost)";
  EXPECT_TRUE(MakeReplayModel(path_).value()->Complete(Ask("a")));
  Record({Ask("b")});
  EXPECT_TRUE(MakeReplayModel(path_).value()->Complete(Ask("b")));
}

// Recursion, of which copying and printing are made, would not survive it.
TEST_F(ReplayTest, WhatNestsDeeplyIsNoField) {
  Record({Ask("a")});
  std::string line = FileText();
  const std::string top_p = R"("top_p":null)";
  line.replace(
      line.find(top_p), top_p.size(),
      R"("top_p":)" + std::string(100000, '[') + std::string(100000, ']'));
  std::ofstream(path_) << line;
  EXPECT_THAT(Missing(Ask("a")), EndsWith("top_p: asked null, stored []"));
}

TEST_F(ReplayTest, TokensAreWholeNumbers) {
  Record({Ask("a")});
  std::string line = FileText();
  line.replace(line.find(R"("input_tokens":30)"), 17,
               R"("input_tokens":1e300)");
  std::ofstream(path_) << line;
  EXPECT_EQ(MakeReplayModel(path_).error().code, Errc::kCorrupt);
}

TEST_F(ReplayTest, TheLastOfEqualRequestsWins) {
  Record({Ask("a")});
  std::string line = FileText();
  line.replace(line.find(":\"A\""), 4, ":\"Z\"");
  std::ofstream(path_, std::ios::app) << line;
  EXPECT_EQ(MakeReplayModel(path_).value()->Complete(Ask("a")).value().text,
            "Z");
}

TEST_F(ReplayTest, TextThatIsNoUtf8IsFoundAgain) {
  Record({Ask("log \xFF!")});
  EXPECT_EQ(
      MakeReplayModel(path_).value()->Complete(Ask("log \xFF!")).value().text,
      "LOG \xEF\xBF\xBD!");
}

TEST_F(ReplayTest, BadLinesAreErrorsWithTheirNumber) {
  for (const char* line : {"nonsense", "[]", "{}", R"({"request": 7})", ""}) {
    std::filesystem::remove(path_);
    Record({Ask("a")});
    std::ofstream(path_, std::ios::app) << line << "\n";
    const auto model = MakeReplayModel(path_);
    ASSERT_FALSE(model) << line;
    EXPECT_EQ(model.error().code, Errc::kCorrupt);
    EXPECT_THAT(model.error().what, HasSubstr(path_.string() + ":2: "));
  }
}

TEST_F(ReplayTest, AbsentFilesAndFoldersAreErrors) {
  EXPECT_EQ(MakeReplayModel(path_).error().code, Errc::kNotFound);
  EXPECT_EQ(
      MakeRecordingModel(std::make_unique<Shouter>(), path_ / "x").error().code,
      Errc::kIo);
}

}  // namespace
}  // namespace coppice::agents
