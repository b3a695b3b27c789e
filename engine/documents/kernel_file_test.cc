#include "engine/documents/kernel_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Task TaskInCpp() {
  Task task;
  task.root.language = Language::kCpp;
  task.root.entry_symbol = "run";
  return task;
}

// A solution's document, of so many files in a language.
std::string Document(const std::string& language, int files) {
  std::string sources;
  for (int i = 0; i < files; ++i) {
    sources += std::string(i > 0 ? "," : "") + R"({"path":"k)" +
               std::to_string(i) + R"(.cc","content":"int x;"})";
  }
  return R"({"name":"s","definition":"d","author":"ann","spec":{"language":")" +
         language +
         R"(","target_hardware":["cpu"],"entry_point":"k0.cc::mine",)"
         R"("dependencies":[]},"sources":[)" +
         sources + "]}";
}

TEST(KernelFileTest, ASourceIsWrittenAsTheRootIs) {
  const auto kernel = KernelOf("int x;", "mine.cc", TaskInCpp());
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->source, "int x;");
  EXPECT_EQ(kernel->language, Language::kCpp);
  EXPECT_EQ(kernel->entry_symbol, "run");
}

TEST(KernelFileTest, ADocumentNamesItsEntry) {
  const auto kernel = KernelOf(Document("cpp", 1), "mine.json", TaskInCpp());
  ASSERT_TRUE(kernel) << kernel.error().what;
  EXPECT_EQ(kernel->source, "int x;");
  EXPECT_EQ(kernel->entry_symbol, "mine");
}

TEST(KernelFileTest, ADocumentOfSeveralFilesIsNoKernelHere) {
  const auto kernel = KernelOf(Document("cpp", 2), "mine.json", TaskInCpp());
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().code, Errc::kUsage);
  EXPECT_EQ(kernel.error().what,
            "mine.json: is not one file in the language of the task's root");
}

// No kernel of C++ begins with a brace, so it was meant as a document.
TEST(KernelFileTest, ADocumentThatIsNoneIsTheUsersMistake) {
  const auto kernel = KernelOf("{\"name\": 7}", "mine.json", TaskInCpp());
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().code, Errc::kUsage);
  EXPECT_THAT(kernel.error().what, HasSubstr("mine.json"));
}

TEST(KernelFileTest, OfTasksInPythonATextIsAKernelWhateverItBeginsWith) {
  Task task = TaskInCpp();
  task.format = TaskFormat::kKernelBench;
  task.root.language = Language::kPython;
  const auto kernel = KernelOf("{1: 2}\n", "mine.py", task);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->source, "{1: 2}\n");
  EXPECT_EQ(kernel->language, Language::kPython);
}

TEST(KernelFileTest, ADashIsStandardInput) {
  std::istringstream in("int y;");
  EXPECT_EQ(ReadKernel("-", TaskInCpp(), in)->source, "int y;");
  EXPECT_THAT(ReadKernel("/no/kernel.cc", TaskInCpp(), in).error().what,
              StartsWith("/no/kernel.cc: "));
}

}  // namespace
}  // namespace coppice::cli
