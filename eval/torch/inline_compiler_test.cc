#include "eval/torch/inline_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <nlohmann/json.hpp>
#include <optional>

namespace coppice::eval::torch {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

// The first level needs nothing of torch: a toolchain that has none stands in.
constexpr char kNoTorch[] =
    R"({"torch": "/none", "torch_version": "", "python_include": "/none",
        "standard": "c++20", "abi": 1})";

class InlineCompilerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists("/usr/bin/python3")) GTEST_SKIP() << "no /usr/bin/python3";
    auto opened = InlineCompiler::Open(
        {.python = "/usr/bin/python3",
         .scripts = fs::path(COPPICE_SOURCE_DIR) / "eval" / "torch",
         .toolchain = kNoTorch,
         .folders = {},
         .cache_directory = cache_});
    ASSERT_TRUE(opened) << opened.error().what;
    compiler_.emplace(std::move(*opened));
  }
  void TearDown() override { fs::remove_all(cache_); }

  InlineLibrary Compile(const json& request) {
    auto library = compiler_->Compile(request.dump());
    EXPECT_TRUE(library) << library.error().what;
    return library.value_or(InlineLibrary{});
  }
  static json Outcome(const InlineLibrary& library) {
    return json::parse(library.outcome, nullptr, false);
  }

  const fs::path cache_ =
      fs::path(testing::TempDir()) /
      (std::string("coppice_inline_") +
       testing::UnitTest::GetInstance()->current_test_info()->name());
  std::optional<InlineCompiler> compiler_;
};

constexpr char kTwice[] = R"(#include <torch/extension.h>
torch::Tensor twice(torch::Tensor x) { return x * 2; }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("twice", &twice); })";

TEST_F(InlineCompilerTest, MakesALibraryAndKeepsIt) {
  const json request = {{"name", "twice"}, {"cpp", kTwice}};
  const InlineLibrary first = Compile(request);
  ASSERT_EQ(first.compiled.verdict, Verdict::kPassed)
      << first.compiled.diagnostics << first.outcome;
  EXPECT_EQ(Outcome(first)["level"], "lookalike");
  EXPECT_FALSE(first.compiled.cached);
  const InlineLibrary second = Compile(request);
  EXPECT_TRUE(second.compiled.cached);
  EXPECT_EQ(second.compiled.object, first.compiled.object);
  EXPECT_EQ(second.outcome, first.outcome);
}

TEST_F(InlineCompilerTest, AMistakeIsShownInItsOwnLine) {
  const InlineLibrary library = Compile(
      {{"name", "wrong"},
       {"cpp", "#include <torch/extension.h>\nint f() { return 1 }\n"}});
  EXPECT_EQ(library.compiled.verdict, Verdict::kCompileFailed);
  const json outcome = Outcome(library);
  EXPECT_THAT(outcome["diagnostics"].get<std::string>(),
              HasSubstr("main.cpp:2:"));
  // It ends there: no other headers were tried.
  EXPECT_EQ(outcome["seconds"].size(), 1u);
}

TEST_F(InlineCompilerTest, FlagsWriteNothingOutside) {
  const InlineLibrary library =
      Compile({{"name", "twice"},
               {"cpp", kTwice},
               {"extra_ldflags", {"-Wl,-Map=/scripts/inline/map"}}});
  EXPECT_EQ(library.compiled.verdict, Verdict::kCompileFailed);
  EXPECT_FALSE(
      fs::exists(fs::path(COPPICE_SOURCE_DIR) / "eval/torch/inline/map"));
}

TEST_F(InlineCompilerTest, WhatIsNoRequestDoesNotCompile) {
  for (const json& request :
       {json("text"), json{{"name", "a b"}, {"cpp", ""}}, json::object(),
        json{{"name", "a"}, {"cpp", 7}}}) {
    EXPECT_EQ(Compile(request).compiled.verdict, Verdict::kCompileFailed)
        << request;
  }
}

// The disk's failure, and not the candidate's.
TEST_F(InlineCompilerTest, AFullDiskIsNoVerdict) {
  fs::create_directories(cache_);
  if (mount("tmpfs", cache_.c_str(), "tmpfs", 0, "size=16k") != 0) {
    GTEST_SKIP() << "skipped: may not mount a tmpfs";
  }
  const auto library =
      compiler_->Compile(json{{"name", "twice"}, {"cpp", kTwice}}.dump());
  umount(cache_.c_str());
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().code, Errc::kFull);
  EXPECT_THAT(library.error().what,
              HasSubstr("coppice_inline_AFullDiskIsNoVerdict: disk full"));
}

TEST(InlineCompilerOpenTest, SaysWhatIsMissing) {
  const auto opened =
      InlineCompiler::Open({.python = "",
                            .scripts = "/nowhere",
                            .toolchain = "",
                            .folders = {},
                            .cache_directory = testing::TempDir()});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().what, "/nowhere/inline/build.py: not found");
}

}  // namespace
}  // namespace coppice::eval::torch
