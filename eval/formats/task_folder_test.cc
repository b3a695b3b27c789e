#include "eval/formats/task_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "eval/formats/trace_set.h"

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;

// A task of one input, in a folder of its own.
class TaskFolderTest : public testing::Test {
 protected:
  TaskFolderTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) /
              (std::string("coppice_task_folder_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    Write("definition.json", R"({"name": "twice", "tags": ["tolerance:3"],
      "axes": {"N": {"type": "var"}},
      "inputs": {"x": {"shape": ["N"], "dtype": "float32"}},
      "outputs": {"y": {"shape": ["N"], "dtype": "float32"}}})");
    Write("workloads.jsonl",
          R"({"definition": "twice", "workload": {"uuid": "n8", )"
          R"("axes": {"N": 8}, "inputs": {"x": {"type": "random"}}}})");
    Write("root.cc", "the root");
    Write("oracle.cc", "the oracle");
  }
  ~TaskFolderTest() override { fs::remove_all(folder_); }

  void Write(const std::string& file, const std::string& text) {
    std::ofstream(folder_ / file) << text;
  }

  // "" if there is none.
  std::string Complaint() {
    const auto task = LoadTaskFolder(folder_);
    return task ? "" : task.error().what;
  }

  fs::path folder_;
};

TEST_F(TaskFolderTest, IsReadAsItLies) {
  Write("expert.cc", "//@ library blas\nthe expert");
  ASSERT_TRUE(IsTaskFolder(folder_));
  const auto task = LoadTaskFolder(folder_);
  ASSERT_TRUE(task) << task.error().what;
  EXPECT_EQ(task->definition.name, "twice");
  EXPECT_EQ(task->tolerance.factor, 3.0);
  EXPECT_EQ(task->workloads.size(), 1u);
  EXPECT_EQ(task->root.entry_symbol, "run");
  EXPECT_EQ(task->root.sources.front().content, "the root");
  EXPECT_EQ(task->oracle.entry_symbol, "oracle");
  EXPECT_THAT(task->expert->dependencies, testing::Contains("blas"));
}

// Every task that comes with the program, against what the packer makes of it.
TEST_F(TaskFolderTest, IsTheTaskThatThePackerMakesOfIt) {
  int tasks = 0;
  for (const char* device : {"cpu", "cuda"}) {
    const fs::path sources = fs::path(COPPICE_SOURCE_DIR) / "data" / device;
    const auto packed = LoadTasks(fs::path(COPPICE_TASKS_DIR) / device);
    ASSERT_TRUE(packed) << packed.error().what;
    for (Task task : *packed) {
      std::string name = task.definition.name;
      if (name.starts_with("cuda_")) name.erase(0, 5);
      auto folder = LoadTaskFolder(sources / name);
      ASSERT_TRUE(folder) << folder.error().what;
      // Said for readers of the set alone.
      for (Task* one : {&task, &*folder}) {
        for (Solution* solution : {&one->root, &one->oracle}) {
          solution->description.reset();
        }
        if (one->expert) one->expert->description.reset();
      }
      EXPECT_EQ(SerialiseTask(task), SerialiseTask(*folder));
      ++tasks;
    }
  }
  EXPECT_GT(tasks, 60);
}

TEST_F(TaskFolderTest, SaysWhichFileIsWrong) {
  fs::remove(folder_ / "oracle.cc");
  EXPECT_THAT(Complaint(), HasSubstr("oracle.cc: No such file"));
  Write("oracle.cc", "");
  Write("workloads.jsonl", "");
  EXPECT_THAT(Complaint(), EndsWith("workloads.jsonl: no workload of \"twice\" "
                                    "is in it"));
  Write("workloads.jsonl", "{}");
  EXPECT_THAT(Complaint(), HasSubstr("workloads.jsonl:1: "));
  Write("definition.json", "{");
  EXPECT_THAT(Complaint(), HasSubstr("definition.json: "));
}

TEST_F(TaskFolderTest, NoLinkAddsAFileOfAnotherPlace) {
  for (const char* file : {"root.cc", "oracle.cc", "expert.cc", "reference.py",
                           "workloads.jsonl", "definition.json"}) {
    const fs::path aside = folder_ / "aside";
    if (fs::exists(folder_ / file)) fs::rename(folder_ / file, aside);
    for (const char* target : {"/etc/passwd", "../elsewhere"}) {
      fs::create_symlink(target, folder_ / file);
      EXPECT_EQ(Complaint(), (folder_ / file).string() +
                                 ": is a link that leads out of the folder");
      fs::remove(folder_ / file);
    }
    if (fs::exists(aside)) fs::rename(aside, folder_ / file);
  }
  fs::rename(folder_ / "root.cc", folder_ / "other.cc");
  fs::create_symlink("other.cc", folder_ / "root.cc");
  EXPECT_EQ(Complaint(), "");
}

TEST_F(TaskFolderTest, NeedsMoreThanADefinition) {
  fs::remove(folder_ / "workloads.jsonl");
  EXPECT_TRUE(IsTaskFolder(folder_));
  fs::remove(folder_ / "root.cc");
  EXPECT_FALSE(IsTaskFolder(folder_));
}

}  // namespace
}  // namespace coppice::eval
