// The program as somebody uses it who mistypes, has no file, no disk, no
// patience: each misuse gives its exit code and one clear line, and loses
// nothing.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace coppice {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;
using Words = std::vector<std::string>;

// Clang tells by a feature, g++ by a macro.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COPPICE_IS_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COPPICE_IS_SANITIZED 1
#endif
#ifdef COPPICE_IS_SANITIZED
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif

std::string Text(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Said {
  int exit = -1;  // 128 + signal if it was killed.
  std::string out;
  std::string err;
};

class MisuseTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::path(testing::TempDir()) /
                 testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::string File(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name) << text;
    return (directory_ / name).string();
  }

  // In the test's directory, which is where settings files are looked for.
  pid_t Start(const Words& words) const {
    std::vector<char*> argv{const_cast<char*>(COPPICE_PROGRAM)};
    for (const std::string& word : words) {
      argv.push_back(const_cast<char*>(word.c_str()));
    }
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child != 0) return child;
    const auto redirect = [](const fs::path& path, int flags, int to) {
      dup2(open(path.c_str(), flags, 0600), to);
    };
    constexpr int kFresh = O_WRONLY | O_CREAT | O_TRUNC;
    redirect("/dev/null", O_RDONLY, STDIN_FILENO);
    redirect(directory_ / "out", kFresh, STDOUT_FILENO);
    redirect(directory_ / "err", kFresh, STDERR_FILENO);
    setenv("HOME", directory_.c_str(), 1);
    if (chdir(directory_.c_str()) != 0) _exit(126);
    execv(COPPICE_PROGRAM, argv.data());
    _exit(127);
  }

  Said Finish(pid_t child) const {
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            Text(directory_ / "out"), Text(directory_ / "err")};
  }

  Said Say(const Words& words) const { return Finish(Start(words)); }

  // Exit code 2, nothing on stdout, and one line on stderr that holds `what`.
  void ExpectUsage(const Words& words, const std::string& what) const {
    const Said said = Say(words);
    EXPECT_EQ(said.exit, 2) << what;
    EXPECT_EQ(said.out, "");
    ExpectOneLine(said, what);
  }

  // The same, but with exit code 1: the world is at fault, not the user.
  void ExpectFailure(const Words& words, const std::string& what) const {
    const Said said = Say(words);
    EXPECT_EQ(said.exit, 1) << what;
    ExpectOneLine(said, what);
  }

  static void ExpectOneLine(const Said& said, const std::string& what) {
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1)
        << said.err;
    EXPECT_THAT(said.err, HasSubstr(what));
  }

  // Runs under a limit of the shell's: "-n 20".
  Said Limited(const std::string& limit, const std::string& words) const {
    const std::string command = "cd '" + directory_.string() +
                                "' && exec >out 2>err && ulimit " + limit +
                                " && exec " + COPPICE_PROGRAM + " " + words;
    const int status =
        std::system(("exec bash -c \"" + command + "\"").c_str());
    return {WEXITSTATUS(status), Text(directory_ / "out"),
            Text(directory_ / "err")};
  }

  // Writes a number into a SQLite file's header: big-endian, 4 bytes.
  static void PatchHeader(const fs::path& database, int offset, char number) {
    std::fstream file(database,
                      std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(offset);
    file.write("\0\0\0", 3).put(number);
  }

  fs::path directory_;
};

TEST_F(MisuseTest, BareProgramAndHelpAreNoErrors) {
  EXPECT_EQ(Say({}).exit, 0);
  EXPECT_THAT(Say({}).out, HasSubstr("usage: coppice VERB"));
  EXPECT_EQ(Say({"--version"}).exit, 0);
  for (const char* verb : {"run", "resume", "bench", "eval", "status", "tree",
                           "show", "diff", "best", "sql", "export", "db",
                           "config", "task", "verify", "compare", "replay"}) {
    for (const char* help : {"--help", "-h"}) {
      const Said said = Say({verb, help});
      EXPECT_EQ(said.exit, 0) << verb;
      EXPECT_EQ(said.err, "");
      EXPECT_THAT(said.out, HasSubstr(std::string("usage: coppice ") + verb));
    }
  }
}

TEST_F(MisuseTest, MistypedWordsGetASuggestion) {
  ExpectUsage({"rnu"}, "did you mean 'run'?");
  ExpectUsage({"frobnicate"}, "`coppice --help` lists them");
  ExpectUsage({"run", "sim:basic", "--polcy", "x"}, "did you mean '--policy'?");
  ExpectUsage({"run", "gemm_sqare"}, "did you mean gemm_square?");
  ExpectUsage({"run", "cuda_gem"}, "did you mean cuda_gemv?");
  ExpectUsage({"help", "rnu"}, "did you mean 'run'?");
  ExpectUsage({"--db", "x.db", "status"}, "options follow it");
  ExpectUsage({"status", "-x"}, "see: coppice status --help");
  ExpectUsage({"export", "bset"}, "did you mean 'export best'?");
  ExpectUsage({"export", "everything"}, "there are: export best, export plain");
  ExpectUsage({"run", "sim:basci"}, "did you mean sim:basic?");
  ExpectUsage({"run", "sim:hil/1"}, "did you mean sim:hill/1?");
  ExpectUsage({"run", "recorded:gemm_RTX_309"}, "did you mean gemm_RTX_3090?");
  ExpectUsage({"run", "sim:basic", "--policy", "strak"}, "did you mean stark");
  ExpectUsage({"run", "sim:basic", "--policy", "nope"}, "unknown. Choose one");
  ExpectUsage(
      {"run", "gemm_square", "--plan-model", "opnai:x"},
      "there are catalogue, replay:FILE, exec:COMMAND, session:COMMAND, ");
}

TEST_F(MisuseTest, AListOfModelsHasEachOnceAndNoneEmpty) {
  const auto expect = [&](const std::string& models, const std::string& what) {
    ExpectUsage({"run", "sim:basic", "--code-model", models}, what);
  };
  expect("catalogue,opnai:x", "opnai: no such provider; there are ");
  expect("openai:a,catalogue,openai:a", "openai:a is there twice\n");
  expect("catalogue,,openai:a", "but one is empty\n");
  expect("catalogue,", "but one is empty\n");
  ExpectUsage({"run", "sim:basic", "--model-choice", "dice"},
              "it is bandit, with or without constants, or round_robin\n");
  ExpectUsage({"run", "sim:basic", "--model-choice", "bandit:epsilon=2"},
              "epsilon=2: expected a number, 0 to 1\n");
}

TEST_F(MisuseTest, TasksOfOthersAreToldByTheirPrefix) {
  ExpectUsage({"eval", "level1/19_ReLU.py", "k.py"},
              "level1/19_ReLU.py: no such task; did you mean "
              "kernelbench:level1/19_ReLU.py?\n");
  ExpectUsage({"eval", "definitions/gemm/a.json", "k.py"},
              "did you mean fib:definitions/gemm/a.json?\n");
  ExpectUsage({"eval", "kernelbnch:a.py", "k.py"},
              "did you mean kernelbench:a.py?\n");
  ExpectUsage({"eval", "fb:a.json", "k.py"}, "did you mean fib:a.json?\n");
  ExpectUsage({"eval", "nosuch", "k.py"},
              "nosuch: no such task; `coppice task list` lists them; there are "
              "also kernelbench:FILE, ");
  EXPECT_LT(Text(directory_ / "err").size(), 200u);
  ExpectUsage({"run", "kernel.cc"},
              "kernel.cc: is a kernel and no task; `coppice new kernel.cc` ");
  fs::create_directories(directory_ / "my_sum");
  File("my_sum/definition.json", "{}");
  ExpectUsage({"run", "./my_sum"},
              "./my_sum: has a definition.json, but neither ");
  File("my_sum/workload.jsonl", "");
  ExpectUsage({"run", "./my_sum"}, "did you mean fib:./my_sum?\n");
  // What is before a colon may be a directory.
  fs::create_directories(directory_ / "fb");
  ExpectUsage({"eval", "fb:a.json", "k.py"}, "fb: no definitions/");
  ExpectUsage({"eval", "kernelbench:", "k.py"}, "names no file; there is ");
  ExpectUsage({"eval", "gpumode:", "k.py"},
              "gpumode: names no folder; there is "
              "gpumode:problems/pmpp/vectoradd_py\n");
  ExpectUsage({"eval", "gpumod:a", "k.py"}, "did you mean gpumode:a?\n");
  ExpectUsage({"eval", "gpumode:nowhere", "k.py"}, "no such folder; ");
  ExpectUsage({"eval", "gpumode:a", "k.py", "--protocol", "kernelbench"},
              "gpumode:a is judged by coppice\n");
  ExpectUsage({"eval", "gpumode:a", "k.py", "--precision", "float16"},
              "has types of its own; a precision is chosen for problems of "
              "KernelBench\n");
  ExpectUsage({"eval", "fib:", "k.json"},
              "fib: names no file; there is "
              "fib:SET/definitions/OP_TYPE/NAME.json\n");
  ExpectUsage({"eval", "fib:fb", "k.json"},
              "fb: no definition is there; a set has them as");
}

// A campaign of a policy that does not exist could never be resumed.
TEST_F(MisuseTest, DamagedRecordedTablesAreNamedByLine) {
  File("t.csv", "tile,status,time_ms\n8,ok,1\n16,ok,soon\n");
  ExpectUsage({"run", "recorded:t.csv"},
              "t.csv:3: time_ms 'soon' is no positive number");
  ExpectUsage({"run", "recorded:none.csv"}, "none.csv: no such file");
  File("t.csv", "tile,status,time_ms\n8,ok,1\n16,ok,2\n");
  EXPECT_EQ(Say({"run", "recorded:t.csv", "--budget", "30"}).exit, 0);
  File("t.csv", "tile,status,time_ms\n8,ok,3\n16,ok,2\n");
  ExpectUsage({"prompt", "0"}, "recorded:t.csv: is another table than when");
}

TEST_F(MisuseTest, ARefusedRunCreatesNothing) {
  ExpectUsage({"run", "sim:basic", "--policy", "strak"}, "strak");
  ExpectUsage({"run", "gemv", "--plan-model", "opnai:x"}, "opnai");
  ExpectUsage({"run", "gemv", "--code-model", "openai"}, "name the model");
  ExpectUsage({"run", "gemv", "--debug-model", "replay:no"}, "no: cannot be");
  ExpectUsage({"run", "gemv", "--plan-model", "replay:."}, ".: cannot be read");
  ExpectUsage({"run", "sim:basic", "nosuch"}, "nosuch: no such task");
  ExpectUsage({"run", "sim:basic", "--progress", "loud"}, "--progress loud");
  ExpectUsage({"run", "sim:basic", "--data-directory", "no"}, "no/prompts");
  fs::create_directories(directory_ / "odd" / "prompts" / "code.txt");
  ExpectUsage({"run", "sim:basic", "--data-directory", "odd"}, "alone.txt: ");
  ExpectUsage({"run", "sim:basic", "gemv", "--name", "x"}, "names one");
  ExpectUsage({"bench", "--level", "9"}, "levels 1, 2 and 3, and foreign");
  ExpectUsage({"bench", "--level", "foreign", "--device", "cuda"},
              "--level foreign: there is no task of this level");
  ExpectUsage({"bench", "--device", "gpu"}, "expected cpu or cuda");
  ExpectUsage({"bench", "--policy", "strak"}, "did you mean stark");
  // Before anything else that may be missing.
  ExpectUsage({"bench", "--baselines", "eagr"}, "did you mean eager?");
  ExpectUsage({"bench", "--kernelbench", "none", "--baselines", "eagr"},
              "did you mean eager?");
  ExpectUsage({"run", "gemv", "--delegation", "some"}, "any, no_vendor_op");
  ExpectUsage({"run", "gemv", "--precision", "fp16"}, "float16 or bfloat16");
  ExpectUsage({"run", "gemv", "--devices", "cuda:1"},
              "--devices: expected auto, cpu, all, or numbers and UUIDs");
  ExpectUsage({"run", "gemv", "--devices", "1"},
              "--devices 1: gemv runs on no GPU");
  ExpectUsage({"run", "cuda_relu", "--devices", "cpu"},
              "--devices cpu: cuda_relu is CUDA C++, which runs on a GPU");
  ExpectUsage({"run", "gemv", "--precision", "float16"},
              "--precision float16: gemv has types of its own");
  for (const char* task : {"gemv", "sim:basic"}) {
    ExpectUsage({"run", task, "--delegation", "own_kernels"},
                std::string("--delegation own_kernels: ") + task +
                    " is not in PyTorch");
  }
  ExpectUsage({"eval", "gemv", "k.cc", "--delegation", "no_vendor_op"},
              "--delegation no_vendor_op: gemv is not in PyTorch");
  // The settings may be meant for others.
  File("coppice.conf", "delegation = own_kernels\nprecision = bfloat16\n");
  EXPECT_EQ(Say({"task", "list"}).exit, 0);
  ExpectUsage({"eval", "gemv", "no.cc"}, "no.cc: No such file");
  fs::remove(directory_ / "coppice.conf");
  ExpectUsage({"resume"}, "coppice.db: no such file");
  for (const auto& entry : fs::directory_iterator(directory_)) {
    EXPECT_EQ(entry.path().filename().string().find("coppice.db"),
              std::string::npos)
        << entry.path();
  }
}

TEST_F(MisuseTest, MissingAndBadValuesAreNamed) {
  ExpectUsage({"run"}, "missing TASK");
  ExpectUsage({"diff", "1"}, "missing B");
  ExpectUsage({"status", "more"}, "unexpected 'more'; see: coppice status");
  ExpectUsage({"status", "--json", "--json"}, "--json: given twice");
  ExpectUsage({"status", "--db"}, "--db: expected a value");
  ExpectUsage({"run", "sim:basic", "--seed", "18446744073709551616"},
              "to 18446744073709551615");
  for (const char* budget : {"x", "-1", "1e9999", "3.5", ""}) {
    ExpectUsage({"run", "sim:basic", "--budget", budget},
                "--budget: expected a whole number");
  }
  ExpectUsage({"eval", "gemm_square"}, "missing FILE");
  ExpectUsage({"eval", "transpose", "--expert"}, "has no expert solution");
  ExpectUsage({"eval", "gemm_square", "x.cc", "--expert"}, "x.cc: --expert");
  ExpectUsage({"eval", "gemm_square", "no.cc"}, "no.cc: No such file");
  ExpectUsage({"eval", "gemm_square", "."}, ".: Is a directory");
  EXPECT_FALSE(fs::exists(directory_ / "coppice.db"));
}

TEST_F(MisuseTest, SettingsNameTheirPlace) {
  File("coppice.conf", "# mine\npolcy = x\n");
  ExpectUsage({"status"}, "coppice.conf:2: unknown key 'polcy'");
  File("coppice.conf", "budget = many\n");
  ExpectUsage({"status"}, "coppice.conf:1:");
  fs::remove(directory_ / "coppice.conf");
  setenv("COPPICE_BUDGET", "abc", 1);
  ExpectUsage({"run", "sim:basic"}, "COPPICE_BUDGET: expected");
  unsetenv("COPPICE_BUDGET");
}

TEST_F(MisuseTest, WhatIsNoDatabaseOfOursIsLeftAlone) {
  ExpectUsage({"status", "--db", "no.db"}, "no.db: no such file");
  EXPECT_FALSE(fs::exists(directory_ / "no.db"));
  ExpectUsage({"status", "--db", "."}, ".: a directory");
  ASSERT_EQ(mkfifo((directory_ / "fifo.db").c_str(), 0600), 0);
  ExpectUsage({"status", "--db", "fifo.db"}, "fifo.db: not a plain file");
  const std::string text = File("text.db", "just some text, and more of it\n");
  ExpectUsage({"status", "--db", text}, "not a SQLite file");
  ExpectUsage({"run", "sim:basic", "--db", text}, "not a SQLite file");
  EXPECT_EQ(Text(text), "just some text, and more of it\n");
  ExpectUsage({"status", "--db", File("empty.db", "")}, "empty.db: empty");
  EXPECT_EQ(fs::file_size(directory_ / "empty.db"), 0);
}

TEST_F(MisuseTest, AnotherSearchIsNotDroppedInSilence) {
  ASSERT_EQ(Say({"run", "sim:basic", "--name", "c", "--budget", "5"}).exit, 0);
  for (const Words& other :
       {Words{"--seed", "7"}, {"--agents", "alone"}, {"--preset", "search"}}) {
    Words words = {"run", "sim:basic", "--name", "c", "--budget", "9"};
    words.insert(words.end(), other.begin(), other.end());
    ExpectUsage(words, "c: was begun with another " + other.front() +
                           "; choose another --name, or go on as it was begun "
                           "with: coppice resume c");
    ExpectUsage({"resume", "c", other.front(), other.back()},
                "unknown option '" + other.front() + "'");
  }
  File("coppice.conf", "preset = search\nseed = 7\n");
  EXPECT_EQ(Say({"resume", "c", "--budget", "6"}).exit, 0);
}

TEST_F(MisuseTest, DatabasesOfOthersAndOfTheFutureAreLeftAlone) {
  ASSERT_EQ(Say({"run", "sim:basic", "--budget", "2"}).exit, 0);
  ASSERT_EQ(Say({"db", "backup", "other.db"}).exit, 0);
  ASSERT_EQ(Say({"db", "backup", "newer.db"}).exit, 0);
  // Offsets of the SQLite file format, section 1.3.
  PatchHeader(directory_ / "other.db", 68, 7);   // application_id
  PatchHeader(directory_ / "newer.db", 60, 99);  // user_version
  const std::string other = Text(directory_ / "other.db");
  const std::string newer = Text(directory_ / "newer.db");
  for (const Words& words :
       {Words{"status"}, Words{"db", "doctor"}, Words{"db", "compact"},
        Words{"resume"}, Words{"run", "sim:basic"},
        Words{"db", "backup", "copy.db"}, Words{"verify"}}) {
    const auto on = [&words](const char* file) {
      Words all = words;
      all.insert(all.end(), {"--db", file});
      return all;
    };
    ExpectUsage(on("other.db"), "other.db: a database of another program");
    ExpectUsage(on("newer.db"), "newer.db: format 99 is newer");
  }
  EXPECT_EQ(Text(directory_ / "other.db"), other);
  EXPECT_EQ(Text(directory_ / "newer.db"), newer);
  EXPECT_FALSE(fs::exists(directory_ / "copy.db"));
}

// Root may write anywhere but in /proc.
TEST_F(MisuseTest, PlacesThatCannotBeWrittenAreNamed) {
  ExpectFailure({"run", "sim:basic", "--db", "/proc/x.db"}, "/proc/x.db: ");
  ExpectFailure({"run", "sim:basic", "--db", "no/x.db"},
                "check that its directory exists");
  ASSERT_EQ(Say({"run", "sim:basic", "--budget", "5"}).exit, 0);
  ExpectFailure({"db", "backup", "no/x.db"}, "no/x.db: ");
  ExpectFailure({"export", "best", "--output", "no/k.cc"}, "no/k.cc: ");
  const std::string kept = File("kept", "mine");
  ExpectUsage({"db", "backup", kept}, "exists already");
  ExpectUsage({"db", "backup", "--plain", kept}, "exists already");
  EXPECT_EQ(Text(kept), "mine");
}

TEST_F(MisuseTest, QuestionsThatCannotBeAnswered) {
  ASSERT_EQ(Say({"run", "sim:basic", "--budget", "5"}).exit, 0);
  ExpectUsage({"sql", "SELEC 1"}, "syntax error");
  ExpectUsage({"sql", "DELETE FROM node"}, "one reading statement");
  ExpectUsage({"sql", ""}, "there is no statement");
  ExpectUsage({"sql", "ATTACH 'y.db' AS y"}, "one reading statement");
  ExpectUsage({"sql", "VACUUM INTO 'y.db'"}, "one reading statement");
  EXPECT_FALSE(fs::exists(directory_ / "y.db"));
  ExpectUsage({"sql", "SELECT 1; SELECT 2"}, "one reading statement");
  ExpectUsage({"sql", "SELECT nosuch FROM nodes"}, "no such column");
  ExpectUsage({"show", "99"}, "no node 99; it has 6");
  ExpectUsage({"show", "abc"}, "'abc' is no node");
  ExpectUsage({"tree", "--campaign", "nope"}, "no campaign 'nope'");
  ExpectUsage({"resume", "nope"}, "no campaign 'nope'");
  ExpectUsage({"resume", "sim:basic.xei_hint.s2"},
              "did you mean 'sim:basic.xei_hint.s1'?");
  ExpectUsage({"best", "--campaign", "sim:basic.xie_b.s1"},
              "did you mean 'sim:basic.xei_hint.s1'?");
  EXPECT_EQ(Say({"db", "doctor"}).exit, 0);
}

TEST_F(MisuseTest, ALessonHasWordsAndIsShownWhole) {
  const std::string longest(240, 'x');
  ExpectUsage({"lessons", "add", " \n"}, "a lesson needs words");
  ExpectUsage({"lessons", "add", longest + "y"}, "agents are shown 240");
  ASSERT_EQ(Say({"lessons", "add", longest}).exit, 0);
  ExpectUsage({"lessons", "edit", "1"}, "give --note");
  ExpectUsage({"lessons", "edit", "1", "--note", longest + "y"},
              "a lesson of 241 bytes");
  ExpectUsage({"lessons", "edit", "2", "--note", "y"}, "has the number 2");
  ExpectUsage({"lessons", "remove", "x"}, "expected the number of a lesson");
}

// A landscape has no kernels, so no library is made of it.
TEST_F(MisuseTest, WhoRemembersNothingIsTold) {
  const Said said = Say({"run", "sim:basic", "--budget", "3", "--remember",
                         "yes", "--progress", "plain"});
  EXPECT_THAT(said.err, HasSubstr("nothing to remember"));
}

// And leave neither a database nor a campaign behind.
TEST_F(MisuseTest, ListsOfKernelsThatCannotBeRead) {
  const auto import = [&](const std::string& name, const std::string& text) {
    return Words{"import", "kernels", File(name, text), "--task", "sim:basic"};
  };
  ExpectUsage(import("empty.json", ""), "empty.json: empty");
  ExpectUsage(import("none.json", "[]"), "none.json: has no entry");
  ExpectUsage(import("torn.jsonl", "{\"code\": \"a\"}\n{\"co"),
              "torn.jsonl:2: not JSON");
  ExpectUsage(import("other.json", R"([{"text": "a"}])"),
              "which member holds the source? The first entry has text; "
              "--source-field names it\n");
  ExpectUsage(import("bare.json", "{}"), "The first entry has no members; ");
  Words told = import("told.json", R"([{"code": "a"}])");
  told.insert(told.end(), {"--speedup-field", "sped"});
  ExpectUsage(told, "no entry has \"sped\"; the first has code");
  ExpectUsage(import("null.json", R"([{"code": null}])"),
              "1 without one): nothing to import");
  ExpectUsage({"import", "kernels", "no.json", "--task", "sim:basic"},
              "no.json: No such file");
  ExpectUsage({"import", "kernels", "told.json", "--task", "sim:basci"},
              "did you mean sim:basic?");
  ExpectUsage({"import", "kernels", "told.json", "--tsak", "sim:basic"},
              "--tsak");
  ExpectUsage({"import", "kernelbench", ".", "--task", "sim:basic"},
              "not a run of KernelBench");
  EXPECT_FALSE(fs::exists(directory_ / "coppice.db"));
}

// What is simulated always holds what it promised.
TEST_F(MisuseTest, LeadersAreVerifiedOrItIsSaidWhyNot) {
  ExpectUsage({"verify"}, "coppice.db: no such file");
  ExpectUsage({"verify", "a.db", "b.db"}, "unexpected 'b.db'");
  ExpectUsage({"verify", "--top", "0"}, "--top: expected at least 1");
  ExpectUsage({"verify", "--top", "-1"}, "--top: expected a whole number");
  ASSERT_EQ(Say({"run", "sim:basic", "--budget", "9"}).exit, 0);
  ExpectUsage({"verify", "--campaign", "sim:basic.xie_b.s1"},
              "did you mean 'sim:basic.xei_hint.s1'?");
  ExpectUsage({"verify", "coppice.db-run"}, "coppice.db-run");
  const Said verified = Say({"verify", "coppice.db", "--top", "2"});
  EXPECT_EQ(verified.exit, 0);
  EXPECT_THAT(verified.out, HasSubstr("confirmed"));
  EXPECT_EQ(Say({"sql", "--csv",
                 "SELECT count(*) AS n FROM evaluations WHERE further"})
                .out,
            "n\n2\n");
  EXPECT_THAT(Say({"verify", "--json"}).out,
              HasSubstr("\"quarantined\": false"));
  EXPECT_EQ(Say({"db", "doctor"}).exit, 0);
}

TEST_F(MisuseTest, NoiseKnowsItsLimits) {
  ExpectUsage({"task", "noise", "gemm_sqare"}, "did you mean gemm_square?");
  ExpectUsage({"task", "noise", "--sessions", "2"},
              "expected 3 to 1000, not 2");
  ExpectUsage({"task", "noise", "--threads", "0"}, "threads");
}

TEST_F(MisuseTest, AKernelThatDoesNotCompileIsAResult) {
  const Said empty = Say({"eval", "gemm_square", File("empty.cc", "")});
  EXPECT_EQ(empty.exit, 3);
  EXPECT_THAT(empty.out, HasSubstr("compile_failed"));
  EXPECT_EQ(empty.err, "");
  const std::string bytes = File("bytes.cc", "\x01\xff\xfe\x80 {\n");
  EXPECT_EQ(Say({"eval", "gemm_square", bytes}).exit, 3);
}

// row_sum, whose last line is said twice: once into an array of its own.
constexpr char kOverflowing[] = R"(#include <cstdint>
extern "C" void run(const float* x, float* y, int64_t R, int64_t C) {
  float seen[4] = {};
  for (int64_t i = 0; i < R; ++i) {
    float sum = 0.0f;
    for (int64_t j = 0; j < C; ++j) sum += x[i * C + j];
    seen[i == R - 1 ? 4 : i % 4] = sum;
    y[i] = sum + 0.0f * seen[0];
  }
}
)";

TEST_F(MisuseTest, ToolsLookAtOneKernel) {
  const std::string root = COPPICE_SOURCE_DIR "/data/cpu/row_sum/root.cc";
  const Said profiled = Say({"eval", "row_sum", root, "--profile"});
  EXPECT_EQ(profiled.exit, 0) << profiled.err;
  EXPECT_THAT(profiled.out, HasSubstr("A call must move"));
  const Said clean = Say({"eval", "row_sum", root, "--sanitize"});
  EXPECT_EQ(clean.exit, 0) << clean.err;
  EXPECT_EQ(clean.out,
            "clean: the address and undefined-behaviour sanitizers found "
            "nothing\n");
  const Said found = Say(
      {"eval", "--sanitize", "row_sum", File("overflows.cc", kOverflowing)});
  EXPECT_EQ(found.exit, 3);
  EXPECT_THAT(found.out, HasSubstr("under the sanitizers"));
}

TEST_F(MisuseTest, ToolsSayWhatTheyCannotLookAt) {
  ExpectUsage({"eval", "--profile", "row_sum"}, "--profile: missing FILE");
  ExpectUsage({"eval", "--profile", "row_sum", "--expert"},
              "--profile: does not go with --expert");
  ExpectUsage({"eval", "--sanitize", "row_sum", "gone.cc"},
              "gone.cc: No such file");
  const std::string set = COPPICE_SOURCE_DIR "/tests/trace_set";
  ExpectUsage({"eval", "--sanitize", set + ":gemm_k8", "gone.py"},
              "gone.py: No such file");
  ExpectUsage({"eval", "--sanitize", "row_sum",
               COPPICE_SOURCE_DIR "/tests/solutions/cpp_tvm_ffi.json"},
              "is not one file in the language of the task's root");
  for (const char* how : {"--full", "--profile", "--sanitize"}) {
    ExpectUsage({"eval", how, "row_sum", File("other.json", "{\"a\": 1}")},
                "other.json: \"name\" is missing");
  }
  ExpectUsage({"eval", set + ":gemm_k8", File("cut.json", "{\"name\": ")},
              "cut.json: not JSON");
}

TEST_F(MisuseTest, AProtocolIsOfTheTasksOwnBenchmark) {
  const std::string gemm =
      COPPICE_SOURCE_DIR "/tests/trace_set/definitions/gemm/gemm_k8.json";
  ExpectUsage({"eval", "fib:" + gemm, "x.py", "--protocol", "kernelbench"},
              "is judged by coppice or flashinfer-bench");
  ExpectUsage(
      {"eval", "kernelbench:1_A.py", "x.py", "--protocol", "flashinfer-bench"},
      "kernelbench:1_A.py is judged by coppice or kernelbench");
  ExpectUsage({"run", "gemv", "--protocol", "kernelbench"},
              "--protocol kernelbench: gemv is judged by coppice");
  fs::create_directories(directory_ / "definitions");
  fs::create_directories(directory_ / "workloads");
  const std::string top_p = File("definitions/top_p.json",
                                 R"({"name": "top_p", "op_type": "sampling",
          "axes": {"V": {"type": "var"}},
          "inputs": {"probs": {"shape": ["V"], "dtype": "float32"}},
          "outputs": {"samples": {"shape": [], "dtype": "int64"}},
          "reference": "def run(probs):\n    return probs.argmax()\n"})");
  File("workloads/top_p.jsonl",
       R"({"definition": "top_p", "workload": {"uuid": "w", "axes": )"
       R"({"V": 8}, "inputs": {"probs": {"type": "random"}}}})");
  ExpectUsage(
      {"eval", "fib:" + top_p, "x.py", "--protocol", "flashinfer-bench"},
      "of op_type sampling the distribution of 500,000 draws is judged there, "
      "which coppice does not do; --protocol coppice judges");
}

TEST_F(MisuseTest, AConfigurationIsOfItsProtocol) {
  const std::string gemm = "fib:" COPPICE_SOURCE_DIR
                           "/tests/trace_set/definitions/gemm/gemm_k8.json";
  const std::string config =
      File("c.yaml", "op_type_config: {gemm: {atol: 0}}");
  for (const std::string& task : {gemm, std::string("gemv")}) {
    ExpectUsage({"eval", task, "x.py", "--eval-config", config},
                "--eval-config: is of --protocol flashinfer-bench, by which " +
                    task + " is not judged");
  }
  ExpectUsage({"eval", gemm, "x.py", "--protocol", "flashinfer-bench",
               "--eval-config", config},
              "c.yaml: /op_type_config/gemm/atol: expected a number above 0");
  ExpectUsage({"eval", gemm, "x.py", "--protocol", "flashinfer-bench",
               "--eval-config", "gone.yaml"},
              "gone.yaml: No such file");
}

TEST_F(MisuseTest, WhatHasNoEndIsNotRead) {
  ExpectUsage({"eval", "gemm_square", "/dev/zero"}, "/dev/zero: more than");
  ExpectUsage({"run", "gemv", "--plan-model", "replay:/dev/zero"},
              "/dev/zero: cannot be read");
}

TEST_F(MisuseTest, BrokenTasksAreTheUsersOwn) {
  fs::create_directories(directory_ / "mine" / "definitions");
  File("mine/definitions/t.json", "{\"name\": ");
  ExpectUsage({"run", "mine:t"}, "t.json: not JSON: parse error at line 1");
  File("mine/definitions/t.json", "[]");
  ExpectUsage({"run", "mine:t"}, "t.json: expected an object");
  File("mine/definitions/t.json", "{\"name\": \"u\"}");
  ExpectUsage({"run", "mine:t"}, "t.json: ");
}

TEST_F(MisuseTest, NamesMayBeOddButKeepToTheirLine) {
  ExpectUsage({"run", "sim:basic", "--name", "a\nb"}, "control characters");
  ExpectUsage({"run", "sim:basic", "--name", "\033[31m"}, "--name ?[31m: ");
  ExpectUsage({"run", "\033[31m"}, "run: ?[31m: no such task");
  for (const char* name : {"na\xc3\xafve \xf0\x9f\x8c\xb2", "\xff\xfe"}) {
    EXPECT_EQ(Say({"run", "sim:basic", "--budget", "2", "--json", "--name",
                   name, "--progress", "none"})
                  .exit,
              0);
  }
  EXPECT_EQ(Say({"status", "--json"}).exit, 0);
  setenv("COPPICE_DB", "\xff", 1);
  EXPECT_EQ(Say({"config", "show", "--json"}).exit, 0);
  unsetenv("COPPICE_DB");
}

// What we print must not land in a file that we opened.
TEST_F(MisuseTest, ClosedDescriptorsAreNotTakenByFiles) {
  const std::string command =
      std::string("cd '") + directory_.string() + "' && " + COPPICE_PROGRAM +
      " run sim:basic --budget 2 --progress plain <&- >&- 2>&-";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
  EXPECT_EQ(fs::file_size(directory_ / "coppice.db-run"), 0);
  EXPECT_EQ(Say({"db", "doctor"}).exit, 0);
}

TEST_F(MisuseTest, AFileLimitIsAFullDisk) {
  const std::string command =
      std::string("cd '") + directory_.string() + "' && ulimit -f 2000 && " +
      COPPICE_PROGRAM + " run sim:basic --budget 100000 --progress none 2>err";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
  EXPECT_THAT(Text(directory_ / "err"), HasSubstr("coppice.db: "));
  EXPECT_EQ(Say({"db", "doctor"}).exit, 0);
}

TEST_F(MisuseTest, AFinishedCampaignSaysItsReportAgain) {
  const Words run = {"run", "sim:basic", "--budget", "5"};
  const Said first = Say(run);
  const Said again = Say(run);
  EXPECT_EQ(again.exit, 0);
  EXPECT_EQ(again.out, first.out);
  const Said larger = Say({"run", "sim:basic", "--budget", "9"});
  EXPECT_EQ(larger.exit, 0);
  EXPECT_EQ(Say({"sql", "--csv", "SELECT count(*) AS n FROM attempts"}).out,
            "n\n9\n");
}

TEST_F(MisuseTest, AReaderThatHasSeenEnoughIsNoError) {
  ASSERT_EQ(Say({"run", "sim:basic", "--budget", "60"}).exit, 0);
  for (const std::string words : {"tree", "prompt best"}) {
    const std::string command = std::string("cd '") + directory_.string() +
                                "' && { " + COPPICE_PROGRAM + " " + words +
                                " 2>err; } | head -n 0";
    EXPECT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(Text(directory_ / "err"), "") << words;
  }
}

// Also after a verdict that has an exit code of its own.
TEST_F(MisuseTest, AnAnswerThatCannotBeWrittenIsAFailure) {
  const std::string kernel = File("k.txt", "no point\n");
  ASSERT_EQ(Say({"eval", "sim:basic", kernel}).exit, 3);
  for (const std::string& words :
       {std::string("config show"), "eval sim:basic '" + kernel + "'"}) {
    const std::string command = std::string("cd '") + directory_.string() +
                                "' && " + COPPICE_PROGRAM + " " + words +
                                " >/dev/full 2>err";
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1) << words;
    EXPECT_EQ(Text(directory_ / "err"),
              "coppice: standard output: cannot be written\n");
  }
}

class InterruptTest : public MisuseTest {
 protected:
  static constexpr const char* kCount =
      "SELECT count(*) AS n FROM attempts WHERE stage <> 'committed'";

  // A campaign that would take minutes, some attempts in.
  pid_t StartLongRun() const {
    fs::remove(directory_ / "err");  // What another has said.
    const pid_t child = Start({"run", "sim:basic", "--budget", "1000000"});
    while (Text(directory_ / "err").find("attempts") == std::string::npos) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return child;
  }

  // Another command while that one runs.
  Said Beside(const std::string& words) const {
    const std::string command = "cd '" + directory_.string() + "' && " +
                                COPPICE_PROGRAM + " >/dev/null 2>second " +
                                words;
    const int status = std::system(command.c_str());
    return {WEXITSTATUS(status), "", Text(directory_ / "second")};
  }
};

TEST_F(InterruptTest, TheFirstSignalDrainsAndCommits) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const pid_t child = StartLongRun();
    kill(child, signal);
    const Said said = Finish(child);
    EXPECT_EQ(said.exit, 130);
    EXPECT_THAT(said.err, HasSubstr("coppice resume --db coppice.db"));
    EXPECT_EQ(Say({"sql", "--csv", kCount}).out, "n\n0\n");
    EXPECT_THAT(Say({"status"}).out, HasSubstr("paused"));
    EXPECT_EQ(Say({"db", "doctor"}).exit, 0);
  }
}

TEST_F(InterruptTest, TheSecondSignalEndsAtOnceAndLosesNothing) {
  const pid_t child = StartLongRun();
  kill(child, SIGINT);
  kill(child, SIGINT);
  EXPECT_EQ(Finish(child).exit, 130);
  EXPECT_EQ(Say({"db", "doctor"}).exit, 0);
}

TEST_F(InterruptTest, ACampaignThatRunsCannotBeVerified) {
  const pid_t child = StartLongRun();
  const Said second = Beside("verify");
  EXPECT_EQ(second.exit, 1);
  EXPECT_THAT(second.err,
              HasSubstr("another process is running this campaign"));
  kill(child, SIGINT);
  Finish(child);
}

// What was verified before the campaign that runs is told all the same.
TEST_F(InterruptTest, AVerificationThatCannotGoOnTellsWhatItFound) {
  ASSERT_EQ(Say({"run", "sim:basic", "--budget", "9", "--seed", "7"}).exit, 0);
  const pid_t child = StartLongRun();
  const Said second = Beside("verify >found");
  EXPECT_EQ(second.exit, 1);
  EXPECT_THAT(second.err,
              HasSubstr("another process is running this campaign"));
  EXPECT_THAT(Text(directory_ / "found"), HasSubstr("confirmed"));
  kill(child, SIGINT);
  Finish(child);
}

// The disk's failure, and not the kernel's.
TEST_F(MisuseTest, AFullCacheIsNoVerdict) {
  const fs::path small = directory_ / "small";
  fs::create_directory(small);
  if (mount("tmpfs", small.c_str(), "tmpfs", 0, "size=16k") != 0) {
    GTEST_SKIP() << "skipped: may not mount a tmpfs";
  }
  ExpectFailure({"eval", "row_sum", File("k.cc", "int i;"), "--cache-directory",
                 (small / "cache").string()},
                "small/cache: disk full");
  umount(small.c_str());
}

// Root may write anywhere but where nobody may.
TEST_F(MisuseTest, ACacheThatCannotBeWrittenIsNamed) {
  const std::string kernel = File("k.cc", "int i;");
  ExpectUsage({"eval", "row_sum", kernel, "--cache-directory", "k.cc"},
              "k.cc: Not a directory; give another --cache-directory");
  const std::string cache = (directory_ / "cache").string();
  const Words eval = {"eval", "row_sum", kernel, "--cache-directory", cache};
  ASSERT_EQ(Say(eval).exit, 3);
  if (mount(cache.c_str(), cache.c_str(), nullptr, MS_BIND, nullptr) != 0) {
    GTEST_SKIP() << "skipped: may not mount";
  }
  mount(nullptr, cache.c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY,
        nullptr);
  ExpectFailure(eval, "/cache: Read-only file system; give another");
  umount(cache.c_str());
}

// A shell keeps its limits for all that it starts.
TEST_F(MisuseTest, FewDescriptorsAreTheReasonThatIsTold) {
  if (kIsSanitized) {
    GTEST_SKIP() << "skipped: a sanitizer looks at memory through a pipe, and "
                    "takes having no descriptor left for a wrong type";
  }
  const std::string kernel = File("k.cc", "int i;");
  for (const std::string& words :
       {std::string("run row_sum --budget 1 --progress none"),
        "eval row_sum '" + kernel + "'"}) {
    for (const int limit : {5, 6, 8, 10, 12, 16, 20, 32, 64, 200}) {
      const Said said = Limited("-n " + std::to_string(limit), words);
      EXPECT_EQ(said.exit, 1) << limit;
      ExpectOneLine(said, "ulimit -n 1024");
    }
  }
  // A soft limit is ours to raise.
  EXPECT_EQ(Limited("-Sn 64", "eval row_sum '" + kernel + "'").exit, 3);
  EXPECT_EQ(Limited("-n 24", "run sim:basic --budget 2").exit, 0);
  EXPECT_EQ(Limited("-n 24", "doctor").exit, 0);
}

TEST_F(MisuseTest, LittleMemoryIsTheReasonThatIsTold) {
  if (kIsSanitized) {
    GTEST_SKIP() << "skipped: a sanitizer's own memory is above these limits";
  }
  for (const int kilobytes : {200'000, 2'000'000}) {
    const Said said = Limited("-v " + std::to_string(kilobytes),
                              "run row_sum --budget 1 --progress none");
    EXPECT_EQ(said.exit, 1);
    ExpectOneLine(said, "ulimit -v unlimited");
  }
  // Between what its libraries take, before which none of it runs, and enough.
  constexpr int kNotLoaded = 127;
  int refusals = 0;
  for (int kilobytes = 20'000;; kilobytes += 2'000) {
    ASSERT_LT(kilobytes, 200'000);
    const Said said = Limited("-v " + std::to_string(kilobytes),
                              "run sim:basic --budget 2 --progress none");
    if (said.exit == 0) break;
    if (said.exit == kNotLoaded) continue;
    EXPECT_EQ(said.exit, 1);
    ExpectOneLine(said, "ulimit -v");
    ++refusals;
  }
  EXPECT_GT(refusals, 0);
  EXPECT_EQ(Say({"resume", "--progress", "none"}).exit, 0);
}

// The setting refuses it, and so does a chroot; both are tried as somebody
// without rights.
TEST_F(MisuseTest, AMissingUserNameSpaceIsTheReasonThatIsTold) {
  const std::string eval = std::string(COPPICE_PROGRAM) +
                           " eval row_sum k.cc --cache-directory cache "
                           "2>err >out";
  File("k.cc", "int i;");
  const std::string root = (directory_ / "root").string();
  fs::create_directory(root);
  // As uid 0 of a name space of its own it may do both, and owns its files.
  const auto within = [&](const std::string& script) {
    const std::string command = "cd '" + directory_.string() +
                                "' && unshare -Urm sh -c '" + script +
                                "' 2>setup";
    const int status = std::system(command.c_str());
    return Said{WEXITSTATUS(status), "", Text(directory_ / "err")};
  };
  if (within("echo 0 >/proc/sys/user/max_user_namespaces").exit != 0) {
    GTEST_SKIP() << "skipped: no user name space to take it away in";
  }
  // Root of a machine needs none, but who is root here only may not mount.
  const std::string powerless = "setpriv --bounding-set -all --inh-caps -all ";
  const Said limited = within("echo 0 >/proc/sys/user/max_user_namespaces && " +
                              powerless + eval);
  EXPECT_EQ(limited.exit, 1) << Text(directory_ / "setup");
  ExpectOneLine(limited, "since user.max_user_namespaces is 0: sudo sysctl");
  const Said inside = within("mount --rbind / " + root + " && chroot " + root +
                             " " + powerless + "sh -c \"cd " +
                             directory_.string() + " && " + eval + "\"");
  EXPECT_EQ(inside.exit, 1) << Text(directory_ / "setup");
  ExpectOneLine(inside,
                "the kernel gives no user name space, as it gives none "
                "inside a chroot");
}

// A limit of the user's own, lower than those of the sandbox.
TEST_F(MisuseTest, AUsersLimitsAreKept) {
  const std::string root =
      "#include <cstdint>\n"
      "extern \"C\" void run(const float* x, float* y, int64_t R,\n"
      "                    int64_t C) {\n"
      "  for (int64_t i = 0; i < R; ++i) {\n"
      "    y[i] = 0.0f;\n"
      "    for (int64_t j = 0; j < C; ++j) y[i] += x[i * C + j];\n"
      "  }\n"
      "}\n";
  const std::string command =
      std::string("cd '") + directory_.string() + "' && ulimit -t 1000 && " +
      COPPICE_PROGRAM + " eval row_sum '" + File("k.cc", root) + "' >out 2>err";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0)
      << Text(directory_ / "out") << Text(directory_ / "err");
}

TEST_F(MisuseTest, TasksAreListedAndCheckedByName) {
  const Said list = Say({"task", "list"});
  EXPECT_EQ(list.exit, 0);
  EXPECT_THAT(list.out, HasSubstr("softmax_rows"));
  EXPECT_THAT(list.out, HasSubstr("x[R, C] -> y[R, C]"));
  EXPECT_THAT(list.out, HasSubstr("sim:hill/1"));
  EXPECT_THAT(list.out, HasSubstr("recorded:gemm_RTX_3090"));
  ExpectUsage({"task", "check", "gemv", "gemm_sqare"},
              "did you mean gemm_square?");
  ExpectFailure({"task", "check", "sim:basic"}, "null candidates are C++");
}

// What is wrong with one of its definitions ends nothing.
TEST_F(MisuseTest, AWholeSetIsCheckedOneByOne) {
  for (const char* folder : {"L1/broken", "L1/empty", "L2/alone"}) {
    fs::create_directories(directory_ / "set" / folder);
  }
  File("set/L1/broken/definition.json", "{");
  File("set/L1/broken/workload.jsonl", "");
  File("set/L1/empty/definition.json",
       R"({"name": "e", "axes": {"N": {"type": "const", "value": 0}},
           "inputs": {"x": {"shape": ["N"], "dtype": "float32"}},
           "outputs": {"y": {"shape": ["N"], "dtype": "float32"}},
           "reference": "def run(x):\n    return x\n"})");
  File("set/L1/empty/workload.jsonl",
       R"({"uuid": "w", "axes": {}, "inputs": {"x": {"type": "random"}}})");
  File("set/L2/alone/definition.json", "{}");
  const std::string set = "fib:" + (directory_ / "set").string();
  const Said said = Say({"task", "check", set});
  EXPECT_EQ(said.exit, 1) << said.err;
  EXPECT_EQ(
      said.out,
      "L1/broken: malformed: not JSON: parse error at line 1, column 2: syntax "
      "error while parsing object key - unexpected end of input; expected "
      "string literal\n"
      "L1/empty: malformed: /axes/N: is 0, so that output y has no element by "
      "which a kernel could be judged\n"
      "L2/alone: malformed: " +
          (directory_ / "set/L2/alone/workload.jsonl").string() +
          ": No such file; a problem of SOL-ExecBench has its workloads there\n"
          "L1: 0 of 2 problems are fit for use, 2 malformed\n"
          "L2: 0 of 1 problems are fit for use, 1 malformed\n"
          "0 of 3 problems are fit for use, 3 malformed\n");
  ExpectUsage({"task", "check", set, "--level", "2"},
              "--level: is of a checkout of KernelBench");
  ExpectUsage({"task", "check", "kernelbench:" + (directory_ / "set").string()},
              "no problem of levels 1 to 3 (levelN/ID_NAME.py) is there");
  ExpectUsage({"task", "check", "kernelbench:" + (directory_ / "set").string(),
               "--subset", "most"},
              "--subset most: expected all, representative or "
              "representative_sound");
}

// A file of theirs that changes nothing would look as if it did.
TEST_F(MisuseTest, AConfigurationSaysSomething) {
  const std::string gemm = "fib:" COPPICE_SOURCE_DIR
                           "/tests/trace_set/definitions/gemm/gemm_k8.json";
  const auto judged_by = [&](const std::string& text) -> Words {
    return {"eval",
            gemm,
            "x.py",
            "--protocol",
            "flashinfer-bench",
            "--eval-config",
            File("c.yaml", text)};
  };
  ExpectUsage(judged_by("rotl: 0.5"),
              "c.yaml: /rotl: unknown key; did you mean 'rtol'?");
  ExpectUsage(judged_by(""), "c.yaml: is empty");
}

// No shapes are drawn there, so no seed draws them again.
TEST_F(MisuseTest, ASeedOfShapesIsOfWhereTheyAreDrawn) {
  const std::string set = "fib:" COPPICE_SOURCE_DIR "/tests/trace_set/";
  ExpectUsage({"eval", set + "definitions/gemm/gemm_k8.json", "x.py",
               "--shapes-seed", "3"},
              "--shapes-seed: gemm_k8 is judged on no other shapes: input A is "
              "stored");
  ExpectUsage({"eval", set + "definitions/rowwise/row_scale.json", "x.py",
               "--shapes-seed", "3", "--protocol", "flashinfer-bench"},
              "--shapes-seed: row_scale is judged on no other shapes: its "
              "benchmark's protocol has none");
}

// The bundled row_sum, on one workload and with a tolerance as wide as the
// errors of bfloat16.
TEST_F(MisuseTest, AnUnfitTaskIsSaidToBeUnfit) {
  const fs::path data = fs::path(COPPICE_PROGRAM).parent_path() / "data/cpu";
  const fs::path own = directory_ / "own";
  fs::copy(data, own, fs::copy_options::recursive);
  for (const auto& entry : fs::recursive_directory_iterator(own)) {
    if (entry.path().stem() != "row_sum" || !entry.is_regular_file()) continue;
    std::string text = Text(entry.path());
    const std::size_t tag = text.find("tolerance:2");
    if (tag != std::string::npos) text.insert(tag + 11, "000000");
    if (entry.path().extension() == ".jsonl") text.resize(text.find('\n') + 1);
    std::ofstream(entry.path()) << text;
  }
  const Said said = Say({"task", "check", own.string() + ":row_sum"});
  EXPECT_EQ(said.exit, 1) << said.out << said.err;
  EXPECT_THAT(said.out, testing::ContainsRegex(
                            "rounded to bfloat16 +wrong_output +passed +0/1 "
                            "+UNFIT"));
  EXPECT_THAT(said.out, testing::ContainsRegex("root +passed +passed +1/1"));
  EXPECT_THAT(said.out, HasSubstr("0 of 1 tasks are fit for use"));
}

}  // namespace
}  // namespace coppice
