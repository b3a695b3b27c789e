#include "engine/service/kernel_request.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/service/test_service.h"

namespace coppice::service {
namespace {

std::string Complaint(const std::string& request) {
  Arguments arguments(request);
  ReadWritten(arguments);
  ReadWait(arguments);
  const auto done = arguments.Done();
  return done ? "" : done.error().what;
}

TEST(KernelRequestTest, AKernelIsATextOrAFile) {
  EXPECT_EQ(Complaint(R"({"source":"x"})"), "");
  EXPECT_EQ(Complaint(R"({"path":"x.cc","language":"cpp"})"), "");
  EXPECT_EQ(Complaint("{}"), "source: give it or path, one of them");
  EXPECT_EQ(Complaint(R"({"source":"x","path":"x.cc"})"),
            "source: give it or path, one of them");
  EXPECT_EQ(Complaint(R"({"source":""})"),
            "source: give it or path, one of them");
}

TEST(KernelRequestTest, ASourceHas256KiBAtMost) {
  const std::string most(256 << 10, 'x');
  EXPECT_EQ(Complaint(R"({"source":")" + most + R"("})"), "");
  EXPECT_EQ(Complaint(R"({"source":"x)" + most + R"("})"),
            "source: has more than 256 KiB");
}

TEST(KernelRequestTest, WhoSaysNothingWaitsFortySeconds) {
  Arguments silent("{}");
  EXPECT_EQ(ReadWait(silent), 40.0);
  EXPECT_EQ(Complaint(R"({"source":"x","wait_s":56})"),
            "wait_s: expected a number from 0.0 to 55.0");
}

TEST(KernelRequestTest, FieldsAreJoinedToWhatGoesBeforeThem) {
  EXPECT_EQ(Joined(R"("job":null)", R"({"a":1})"), R"({"job":null,"a":1})");
  EXPECT_EQ(Joined(R"("job":null)", "{}"), R"({"job":null})");
  EXPECT_EQ(Joined("", R"({"a":1})"), R"({"a":1})");
}

TEST(KernelRequestTest, AJobThatIsDoneAnswersAndAnotherSaysHowItIs) {
  const auto text = [](JobState state) {
    return *AnswerOf(JobView{
        .id = "j1", .state = state, .answer = std::string(R"({"a":1})")});
  };
  EXPECT_EQ(text(JobState::kQueued), R"({"job":"j1","state":"queued"})");
  EXPECT_EQ(text(JobState::kRunning), R"({"job":"j1","state":"running"})");
  EXPECT_EQ(text(JobState::kCancelled), R"({"job":"j1","state":"cancelled"})");
  EXPECT_EQ(text(JobState::kDone), R"({"job":"j1","state":"done","a":1})");
}

TEST(KernelRequestTest, AnErrorOfAJobIsTheErrorOfWhoAsks) {
  JobView failed{.id = "j1", .state = JobState::kDone};
  failed.answer = Fail(Errc::kIo, "disk full");
  EXPECT_EQ(AnswerOf(failed).error().what, "disk full");
  EXPECT_EQ(AnswerOf(Fail(Errc::kBusy, "later")).error().code, Errc::kBusy);
}

// The environment has keys.
TEST(FindKernelTest, WhatIsNoFileOnADiskIsNoKernels) {
  TestService service;
  for (const char* path : {"/proc/self/environ", "/dev/../proc/self/maps"}) {
    const auto answer =
        service.Ask("evaluate_kernel", R"({"task":"row_sum","path":")" +
                                           std::string(path) + "\"}");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().what,
              "path: " + std::string(path) + " is no kernel's file");
  }
}

}  // namespace
}  // namespace coppice::service
