#include "eval/formats/trace_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "eval/formats/test_documents.h"

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;

const char kScale[] = R"({
  "name": "scale",
  "op_type": "blas",
  "axes": {
    "N": {
      "type": "var"
    }
  },
  "inputs": {
    "x": {
      "shape": [
        "N"
      ],
      "dtype": "float32"
    }
  },
  "outputs": {
    "y": {
      "shape": [
        "N"
      ],
      "dtype": "float32"
    }
  },
  "reference": "def run(x):\n    return 2 * x",
  "tags": []
})";

const char kMine[] = R"({
  "name": "mine",
  "definition": "scale",
  "author": "me",
  "spec": {
    "language": "python",
    "target_hardware": [
      "cpu"
    ],
    "entry_point": "main.py::run"
  },
  "sources": [
    {
      "path": "main.py",
      "content": "def run(x, y): y[:] = 2 * x"
    }
  ]
})";

const char kScaleWorkload[] =
    R"({"definition":"scale","workload":{"axes":{"N":4},"inputs":{"x":{)"
    R"("type":"safetensors","path":"blob/x.safetensors","tensor_key":"x"}},)"
    R"("uuid":"w1"},"solution":null,"evaluation":null})"
    "\n";

const char kTrace[] =
    R"({"definition":"scale","workload":{"axes":{"N":4},"inputs":{"x":{)"
    R"("type":"safetensors","path":"blob/x.safetensors","tensor_key":"x"}},)"
    R"("uuid":"w1"},"solution":"mine","evaluation":{"status":"TIMEOUT",)"
    R"("environment":{"hardware":"h","libs":{}},"timestamp":"t","log":"",)"
    R"("correctness":null,"performance":null}})"
    "\n";

class TraceDirectoryTest : public testing::Test {
 protected:
  TraceDirectoryTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(testing::TempDir()) /
            (std::string("coppice_whole_set_") + test->name());
    fs::remove_all(root_);
    Fill("a");
  }
  ~TraceDirectoryTest() override { fs::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << text;
  }

  void Fill(const std::string& set) {
    Write(set + "/definitions/blas/scale.json", kScale);
    Write(set + "/solutions/me/blas/scale/mine.json", kMine);
    Write(set + "/workloads/blas/scale.jsonl", kScaleWorkload);
    Write(set + "/traces/me/blas/scale.jsonl", kTrace);
    Write(set + "/blob/x.safetensors", "bytes");
  }

  // All files below the set with their texts.
  std::map<std::string, std::string> Contents(const std::string& set) {
    std::map<std::string, std::string> contents;
    for (const auto& entry : fs::recursive_directory_iterator(root_ / set)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      contents[fs::relative(entry.path(), root_ / set)] = {
          std::istreambuf_iterator<char>(file), {}};
    }
    return contents;
  }

  std::string LoadComplaint() {
    const auto set = LoadTraceSet(root_ / "a");
    return set ? "" : set.error().what.substr((root_ / "a").string().size());
  }

  // Merges b into a; returns what is wrong, or nothing.
  std::string MergeComplaint() {
    TraceSet into = *LoadTraceSet(root_ / "a");
    const auto merged = Merge(*LoadTraceSet(root_ / "b"), into);
    return merged ? "" : merged.error().what;
  }

  fs::path root_;
};

TEST_F(TraceDirectoryTest, WhatIsReadIsWrittenByteForByte) {
  const TraceSet set = *LoadTraceSet(root_ / "a");
  const auto written = WriteTraceSet(set, root_ / "copy");
  ASSERT_TRUE(written) << written.error().what;
  EXPECT_EQ(written->files, 4u);
  EXPECT_EQ(written->blobs, 1u);
  EXPECT_EQ(Contents("copy"), Contents("a"));
}

TEST_F(TraceDirectoryTest, FilesAreFoundAnywhereAndPutInTheirPlaces) {
  fs::rename(root_ / "a/definitions/blas/scale.json",
             root_ / "a/definitions/renamed.json");
  fs::rename(root_ / "a/traces/me/blas/scale.jsonl",
             root_ / "a/traces/all.jsonl");
  ASSERT_TRUE(WriteTraceSet(*LoadTraceSet(root_ / "a"), root_ / "copy"));
  Fill("whole");
  EXPECT_EQ(Contents("copy"), Contents("whole"));
}

TEST_F(TraceDirectoryTest, EqualSetsMergeIntoOne) {
  Fill("b");
  TraceSet set = *LoadTraceSet(root_ / "a");
  ASSERT_TRUE(Merge(*LoadTraceSet(root_ / "b"), set));
  ASSERT_TRUE(WriteTraceSet(set, root_ / "copy"));
  EXPECT_EQ(Contents("copy"), Contents("a"));
}

TEST_F(TraceDirectoryTest, ANewTraceIsAddedInMerging) {
  Write("b/traces/t.jsonl", Replaced(kTrace, "\"t\"", "\"later\""));
  TraceSet set = *LoadTraceSet(root_ / "a");
  ASSERT_TRUE(Merge(*LoadTraceSet(root_ / "b"), set));
  ASSERT_TRUE(WriteTraceSet(set, root_ / "copy"));
  EXPECT_EQ(Contents("copy")["traces/me/blas/scale.jsonl"],
            std::string(kTrace) + Replaced(kTrace, "\"t\"", "\"later\""));
}

TEST_F(TraceDirectoryTest, TwoThingsOfOneNameDoNotMerge) {
  Write("b/definitions/x.json", Replaced(kScale, "2 * x", "3 * x"));
  EXPECT_EQ(MergeComplaint(),
            "definition \"scale\": two different ones have this name");
  fs::remove_all(root_ / "b");
  Write("b/solutions/x.json", Replaced(kMine, "\"me\"", "\"you\""));
  EXPECT_EQ(MergeComplaint(),
            "solution \"mine\": two different ones have this name");
  fs::remove_all(root_ / "b");
  Write("b/workloads/x.jsonl", Replaced(kScaleWorkload, "\"N\":4", "\"N\":5"));
  EXPECT_EQ(MergeComplaint(),
            "workload \"w1\" of scale: two different ones have this uuid");
  fs::remove_all(root_ / "b");
  Fill("b");
  Write("b/blob/x.safetensors", "other");
  EXPECT_THAT(MergeComplaint(), EndsWith("b/blob/x.safetensors differ"));
}

TEST_F(TraceDirectoryTest, EachFolderHoldsItsKind) {
  Write("a/workloads/blas/scale.jsonl", kTrace);
  EXPECT_EQ(LoadComplaint(),
            "/workloads/blas/scale.jsonl:1: a workload has no solution and no "
            "evaluation");
  Write("a/workloads/blas/scale.jsonl", "");
  Write("a/traces/me/blas/scale.jsonl", std::string("\n") + kScaleWorkload);
  EXPECT_EQ(LoadComplaint(),
            "/traces/me/blas/scale.jsonl:2: neither solution nor evaluation: a "
            "workload, which belongs in workloads/");
}

TEST_F(TraceDirectoryTest, WhatIsThereTwiceOrNotAtAllIsNamed) {
  Write("a/definitions/zcopy.json", kScale);
  EXPECT_EQ(LoadComplaint(),
            "/definitions/zcopy.json: /name: \"scale\" is there twice");
  fs::remove_all(root_ / "a");
  EXPECT_THAT(LoadComplaint(), HasSubstr("no such directory"));
  fs::create_directories(root_ / "a");
  EXPECT_THAT(LoadComplaint(), HasSubstr("no trace set: it has none of"));
}

TEST_F(TraceDirectoryTest, WhatHasNothingInItNeedsADirectoryToo) {
  ASSERT_TRUE(WriteTraceSet({}, root_ / "new"));
  EXPECT_TRUE(fs::is_directory(root_ / "new"));
  EXPECT_EQ(WriteTraceSet({}, "/proc/new").error().code, Errc::kIo);
}

TEST_F(TraceDirectoryTest, WhatHasNoPlaceIsNotWritten) {
  const TraceSet whole = *LoadTraceSet(root_ / "a");
  EXPECT_THAT(WriteTraceSet(whole, root_ / "a").error().what,
              EndsWith("/a: is not empty"));
  const auto complaint = [&](const TraceSet& set) {
    return WriteTraceSet(set, root_ / "copy").error().what;
  };
  TraceSet orphans = whole;
  orphans.definitions.clear();
  EXPECT_EQ(complaint(orphans), "\"scale\": no such definition");
  TraceSet escaping = whole;
  escaping.solutions.at("mine").value.author = "../..";
  EXPECT_EQ(complaint(escaping), "\"../..\": cannot be a file's name");
}

}  // namespace
}  // namespace coppice::eval
