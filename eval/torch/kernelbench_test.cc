#include "eval/torch/kernelbench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "eval/judge/evaluators.h"

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Task KernelBenchTask(const std::string& tag) {
  Task task;
  task.format = TaskFormat::kKernelBench;
  task.definition.tags = {"level:1", tag};
  return task;
}

TEST(KernelBenchTest, APrecisionIsATag) {
  EXPECT_EQ(PrecisionOf(KernelBenchTask("problem:1")), DType::kFloat32);
  EXPECT_EQ(PrecisionOf(KernelBenchTask("precision:float16")), DType::kFloat16);
  EXPECT_EQ(PrecisionOf(KernelBenchTask("precision:bfloat16")),
            DType::kBFloat16);
  EXPECT_EQ(PrecisionOf(KernelBenchTask("precision:float")), DType::kFloat32);
}

// Another's tags mean something else.
TEST(KernelBenchTest, OtherTasksAreCastToNothing) {
  Task task = KernelBenchTask("precision:float16");
  task.format = TaskFormat::kFlashInferBench;
  EXPECT_EQ(PrecisionOf(task), DType::kFloat32);
}

Error Unread(const fs::path& file) {
  const auto task = LoadKernelBenchTask({}, file, Protocol::kCoppice,
                                        Delegation::kAny, DType::kFloat32);
  EXPECT_FALSE(task);
  return task.error();
}

// Before anything is started.
TEST(KernelBenchTest, AFileThatCannotBeReadIsNamed) {
  const fs::path folder =
      fs::path(testing::TempDir()) / ("problems" + std::to_string(getpid()));
  fs::create_directories(folder);
  const fs::path large = folder / "large.py";
  std::ofstream(large) << "x";
  fs::resize_file(large, (16 << 20) + 1);
  for (const fs::path& file : {folder / "1_None.py", folder, large}) {
    EXPECT_EQ(Unread(file).code, Errc::kUsage) << file;
    EXPECT_THAT(Unread(file).what, HasSubstr(file.string()));
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace coppice::eval
