#include "engine/service/kernel_request.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "engine/service/arguments.h"
#include "engine/service/evaluator_pool.h"
#include "engine/service/jobs.h"
#include "engine/service/operation_context.h"
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

// A verdict counts for all that it depends on, and for nothing else.
TEST(KeyOfTest, AKeyIsOfTheKernelItsTaskAndTheTier) {
  TestService service;
  EvaluatorPool& pool = OperationContextOf(service.service()).evaluator_pool();
  const std::string source =
      "extern \"C\" void run(const float* x, float* y) { y[0] = x[0]; }\n";
  const auto key = [&](const char* task, const std::string& text,
                       const char* tier, const char* entry = "run") {
    RequestedKernel kernel = store::Must(
        FindKernel(service.service(), task, {text, "", ""}, {"test", {}, {}}));
    kernel.candidate.entry_symbol = entry;
    return store::Must(KeyOf(pool, kernel, tier));
  };
  const auto known = key("gelu_tanh", source, "fast");
  ASSERT_TRUE(known);
  EXPECT_EQ(key("gelu_tanh", source, "fast"), known);
  // Layout and comments are no part of a kernel.
  EXPECT_EQ(key("gelu_tanh", "// Mine.\n\n  " + source, "fast"), known);
  EXPECT_NE(key("gelu_tanh", source, "check"), known);
  EXPECT_NE(key("gemv", source, "fast"), known);
  EXPECT_NE(key("gelu_tanh", source + "int more;", "fast"), known);
  EXPECT_NE(key("gelu_tanh", source, "fast", "walk"), known);
}

TEST(FindKernelTest, ALanguageIsTheTasksOrNothingIsSaidOfIt) {
  TestService service;
  const auto found = [&](const char* task, const char* language) {
    const auto kernel = FindKernel(service.service(), task, {"x", "", language},
                                   {"test", {}, {}});
    return kernel ? "" : kernel.error().what;
  };
  EXPECT_EQ(found("gelu_tanh", ""), "");
  EXPECT_EQ(found("gelu_tanh", "cpp"), "");
  EXPECT_EQ(found("gelu_tanh", "python"),
            "language: kernels of gelu_tanh are written in cpp");
  EXPECT_EQ(found("cuda_gemv", "cpp"),
            "language: kernels of cuda_gemv are written in cuda");
}

// A file is read from wherever it lies, but not for whoever asks from afar.
TEST(FindKernelTest, AFileIsReadForWhoeverIsOnThisMachine) {
  TestService service;
  const store::ScratchDirectory directory;
  const auto file = directory.File("mine.cc");
  std::ofstream(file) << "int x;\n";
  Call call{"test", {}, {}};
  const Written written{"", file.string(), ""};
  const auto here = FindKernel(service.service(), "gelu_tanh", written, call);
  ASSERT_TRUE(here) << here.error().what;
  EXPECT_EQ(here->candidate.source, "int x;\n");
  call.is_remote = true;
  EXPECT_EQ(
      FindKernel(service.service(), "gelu_tanh", written, call).error().what,
      "path: no file is opened for who asks over a network; give source");
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
