#include "agents/prompt/prompt_templates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "agents/prompt/code_fences.h"
#include "agents/prompt/grounded_instructions.h"
#include "agents/prompt/prompt_context.h"
#include "agents/prompt/prompt_limits.h"

namespace coppice::agents {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

const fs::path kPrompts = fs::path(COPPICE_SOURCE_DIR) / "data/prompts";
const fs::path kGolden = fs::path(COPPICE_SOURCE_DIR) / "agents/testdata";

std::string ReadFile(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

constexpr const char* kRootSource =
    "#include <cstdint>\n"
    "\n"
    "// y[M] = A[M,K] * x[K]\n"
    "extern \"C\" void run(const float* A, const float* x, float* y,\n"
    "                    int64_t M) {\n"
    "  constexpr int64_t K = 256;\n"
    "  for (int64_t i = 0; i < M; ++i) {\n"
    "    float sum = 0.0f;\n"
    "    for (int64_t k = 0; k < K; ++k) {\n"
    "      sum += A[i * K + k] * x[k];\n"
    "    }\n"
    "    y[i] = sum;\n"
    "  }\n"
    "}\n";

Task MatVec() {
  Task task;
  task.definition.name = "matvec_k256";
  task.definition.description = "Matrix times vector.";
  task.definition.axes = {{"M", std::nullopt, "rows"}, {"K", 256, {}}};
  task.definition.inputs = {{"A", {{"M", "K"}}, DType::kFloat32, "matrix"},
                            {"x", {{"K"}}, DType::kFloat32, {}}};
  task.definition.outputs = {{"y", {{"M"}}, DType::kFloat32, {}}};
  task.workloads = {{"w1", {{"M", 128}}, {}}, {"w2", {{"M", 1000}}, {}}};
  task.root.language = Language::kCpp;
  task.root.entry_symbol = "run";
  return task;
}

Plan Advice(const std::string& technique, const std::string& advice) {
  Plan plan;
  plan.technique = technique;
  plan.advice = advice;
  return plan;
}

// Twenty lines, of which the tile is the node's own.
std::string Loops(std::int64_t id) {
  std::string source = kRootSource;
  source.insert(source.find("    for (int64_t k"),
                "    constexpr int64_t kTile = " + std::to_string(id + 4) +
                    ";\n"
                    "    if (i % kTile == 0 && i + kTile < M) {\n"
                    "      __builtin_prefetch(A + (i + kTile) * K);\n"
                    "    }\n"
                    "#pragma omp simd reduction(+ : sum)\n");
  return source + "// A tile of rows is fetched ahead.\n";
}

Sighting Passed(std::int64_t id, Kinship kinship, double runtime_s) {
  Sighting sighting;
  sighting.id = NodeId{id};
  if (id > 0) sighting.parent = NodeId{id > 4 ? 3 : 0};
  sighting.kinship = kinship;
  sighting.source = Loops(id);
  sighting.plan = Advice("unroll", "Sum in four accumulators.");
  sighting.verdict = Verdict::kPassed;
  sighting.runtime_s = runtime_s;
  sighting.speedup = Around(80e-6 / runtime_s, 0.05);
  return sighting;
}

Sighting Failed(std::int64_t id, Kinship kinship, Verdict verdict,
                const std::string& log) {
  Sighting sighting = Passed(id, kinship, 1);
  sighting.verdict = verdict;
  sighting.log = log;
  sighting.runtime_s.reset();
  sighting.speedup.reset();
  return sighting;
}

// Every test owns its task: a context only points to one.
struct Scene {
  Task task = MatVec();
  PromptContext context;

  explicit Scene(Role role) {
    context.role = role;
    context.task = &task;
    context.hardware = "Example CPU";
    context.hardware_facts = "2 processors, AVX2 (8 floats a vector)";
    context.roof_bytes_per_s = 28.2e9;
    context.roof_flops_per_s = 95e9;
    context.threads = 2;
    context.root = Passed(0, Kinship::kRoot, 80e-6);
    context.root.source = kRootSource;
    context.root.plan.reset();
    context.standing = {.budget = 40,
                        .remaining = 33,
                        .best = NodeId{4},
                        .best_speedup = Around(4.0, 0.05),
                        .yardsticks = {{"expert", Around(5.0, 0.1)}},
                        .ceiling = 12.0};
  }
};

Scene PlanScene() {
  Scene scene(Role::kPlan);
  scene.context.selected = Passed(3, Kinship::kSelected, 40e-6);
  scene.context.history = {
      Failed(5, Kinship::kChild, Verdict::kCompileFailed,
             "kernel.cc:9:5: error: 'sum1' was not declared\n"),
      Passed(6, Kinship::kChild, 32e-6), Passed(4, Kinship::kLeader, 20e-6)};
  return scene;
}

Scene CodeScene() {
  Scene scene(Role::kCode);
  scene.context.selected = Passed(3, Kinship::kSelected, 40e-6);
  scene.context.history = {Passed(7, Kinship::kNephew, 25e-6)};
  scene.context.plan = Advice("vectorise", "Let k run in eight lanes.");
  scene.context.plan->annotated_source =
      "// <<<IMPROVE BEGIN>>>\n" + Loops(3) + "// <<<IMPROVE END>>>\n";
  scene.context.plan->grounded = true;
  return scene;
}

Scene DebugScene() {
  Scene scene(Role::kDebug);
  scene.context.selected = Failed(8, Kinship::kSelected, Verdict::kWrongOutput,
                                  "w2: y[999] = 0, expected 3.25\n");
  scene.context.history = {
      Failed(9, Kinship::kSibling, Verdict::kCrashed, "signal 11\n")};
  scene.context.plan = CodeScene().context.plan;
  return scene;
}

PromptTemplates Templates() { return PromptTemplates::Load(kPrompts).value(); }

PromptTemplates FirstTemplates() {
  return PromptTemplates::Load(kPrompts / "v1", "v1", kPrompts).value();
}

// The whole prompt as one text.  To accept changed wording, run
//   COPPICE_UPDATE_GOLDEN=1 agents_test --gtest_filter='PromptGolden*'
// and read the difference before committing it.
void ExpectGolden(const std::string& name, const PromptContext& context) {
  const Prompt prompt = Templates().Render(context);
  const std::string text =
      "==== system\n" + prompt.system + "==== user\n" + prompt.user;
  const fs::path file = kGolden / (name + ".txt");
  if (std::getenv("COPPICE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(file) << text;
  }
  EXPECT_EQ(text, ReadFile(file)) << file;
  EXPECT_THAT(text, Not(HasSubstr("{{")));
}

// Node 12 stands whole once, in a part that says to combine the two; it is
// neither told again as the fastest nor as a change.
TEST(PromptTest, WhatIsToBeCombinedIsShownWholeAndSaidSo) {
  Scene scene = PlanScene();
  Sighting mate = Passed(12, Kinship::kMate, 10e-6);
  mate.source = "// of node 12\n";
  scene.context.history.insert(scene.context.history.begin(), mate);
  scene.context.mate = Mate{NodeId{12}, {}};
  const std::string text = Templates().Render(scene.context).user;
  EXPECT_THAT(text, HasSubstr("To be combined with it: another attempt "
                              "(node 12)"));
  const std::size_t at = text.find("// of node 12");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(text.find("// of node 12", at + 1), std::string::npos);
  EXPECT_EQ(text.find("Fastest of these attempts (node 12)"),
            std::string::npos);
  scene.context.mate = Mate{kRootNode, {}};
  EXPECT_THAT(Templates().Render(scene.context).user,
              HasSubstr("It is the root: its source stands above."));
}

TEST(PromptGoldenTest, Plan) {
  ExpectGolden("prompt_plan", PlanScene().context);
}
TEST(PromptGoldenTest, Code) {
  ExpectGolden("prompt_code", CodeScene().context);
}
TEST(PromptGoldenTest, Debug) {
  ExpectGolden("prompt_debug", DebugScene().context);
}

TEST(PromptTest, TheRootIsNotRepeatedAsTheLatestAttempt) {
  Scene scene(Role::kPlan);
  scene.context.selected = scene.context.root;
  const std::string user = Templates().Render(scene.context).user;
  EXPECT_THAT(user, HasSubstr("The latest attempt is the source above itself"));
  EXPECT_EQ(user.find(kRootSource), user.rfind(kRootSource));
  EXPECT_THAT(user, Not(HasSubstr("# Attempts so far")));
}

TEST(PromptTest, AFailureWithoutSourceOrPlanStillRenders) {
  Scene scene = DebugScene();
  scene.context.selected.source.clear();
  scene.context.selected.verdict = Verdict::kNoCandidate;
  scene.context.plan.reset();
  const std::string user = Templates().Render(scene.context).user;
  EXPECT_THAT(user, AllOf(HasSubstr("(It has no source.)"),
                          HasSubstr("held no kernel that could be read"),
                          Not(HasSubstr("It was meant to bring about"))));
}

TEST(PromptTest, OtherLanguagesGetTheirOwnRules) {
  Scene scene = PlanScene();
  scene.task.root.language = Language::kTriton;
  const std::string user = Templates().Render(scene.context).user;
  EXPECT_THAT(user, AllOf(HasSubstr("in Python with Triton with the entry"),
                          Not(HasSubstr("g++"))));
}

TEST(PromptTest, CudaTasksAreToldOfTheLaunchPlanAndTheirUnit) {
  Scene scene(Role::kPlan);
  scene.task.root.language = Language::kCuda;
  scene.task.definition.outputs[0].dtype = DType::kFloat16;
  const std::string user = Templates().Render(scene.context).user;
  EXPECT_THAT(user, AllOf(HasSubstr("//@ launch row_finish<<<M, 128>>>"),
                          HasSubstr("extern \"C\" void run(inputs in order"),
                          HasSubstr("<= 8 * 2^-11 * m")));
}

TEST(PromptTest, FunctionsAreToldOfOtherSizesWhereThereAreSome) {
  const auto told = [](const auto& change) {
    Scene scene(Role::kPlan);
    scene.task.root.language = Language::kPython;
    scene.task.format = TaskFormat::kFlashInferBench;
    change(scene.task);
    const std::string user = Templates().Render(scene.context).user;
    EXPECT_THAT(user, HasSubstr("one Python file that defines a function"));
    return user.find(
               "plain contiguous tensors. Sizes need not be multiples of "
               "anything: a function that leads is checked on other "
               "sizes, too") != std::string::npos;
  };
  EXPECT_TRUE(told([](Task&) {}));
  EXPECT_FALSE(told([](Task& task) { task.protocol = Protocol::kBenchmark; }));
  EXPECT_FALSE(
      told([](Task& task) { task.definition.constraints = {"M > 1"}; }));
  EXPECT_FALSE(told([](Task& task) {
    task.format = TaskFormat::kGpuMode;
    task.definition.axes[0].constant = 128;
  }));
}

TEST(PromptTest, AgentsAreToldWhatLimitsEachKernel) {
  Scene scene = PlanScene();
  scene.context.root.profile = "Memory bound at 11 %.";
  scene.context.selected.profile = "Memory bound at 22 %.";
  scene.context.history[2].profile = "Memory bound at 33 %.";
  const std::string user = Templates().Render(scene.context).user;
  EXPECT_THAT(user, HasSubstr("to speed up. Memory bound at 22 %."));
  EXPECT_THAT(user, HasSubstr("to speed up. Memory bound at 33 %."));
  EXPECT_THAT(user, Not(HasSubstr("at 11 %")));
  scene.context.selected = scene.context.root;
  EXPECT_THAT(Templates().Render(scene.context).user,
              HasSubstr("work on that. Memory bound at 11 %."));
}

TEST(PromptTest, LogsAreCutInTheMiddle) {
  Scene scene = DebugScene();
  scene.context.selected.log = "first\n" + std::string(50'000, 'x') + "\nlast";
  const std::string user =
      Templates().Render(scene.context, PromptLimits{.log = 100}).user;
  EXPECT_THAT(user, AllOf(HasSubstr("first\n"), HasSubstr("bytes left out"),
                          HasSubstr("\nlast\n")));
  EXPECT_LT(user.size(), 20'000u);
}

TEST(PromptTest, WhatOtherSearchesFoundIsShownWhereThereIsSomething) {
  Scene scene = PlanScene();
  EXPECT_THAT(Templates().Render(scene.context).user,
              Not(HasSubstr("other searches")));
  scene.context.lessons.emplace_back().note = "keep a row in registers";
  EXPECT_THAT(Templates().Render(scene.context).user,
              AllOf(HasSubstr("# What other searches found\n"),
                    HasSubstr("\"keep a row in registers\" | a person\n")));
}

TEST(PromptTest, RulesSayWhichOutputsHoldAnInput) {
  Scene scene = CodeScene();
  EXPECT_THAT(Templates().Render(scene.context).user,
              HasSubstr("garbage before every call: write"));
  Definition& definition = scene.task.definition;
  TensorSpec before = definition.outputs.at(0);
  const std::string name = before.name;
  before.name = "before";
  definition.inputs.push_back(before);
  definition.tags = {"starts:" + name + "=before"};
  EXPECT_THAT(Templates().Render(scene.context).user,
              HasSubstr("garbage before every call, but `" + name +
                        "` holds `before`: write"));
}

// Quoted line by line, after all that is observed; rules come first.
TEST(PromptTest, WhatPeopleWantHasASectionOfItsOwn) {
  Scene scene = PlanScene();
  EXPECT_THAT(Templates().Render(scene.context).user,
              Not(HasSubstr("What people")));
  scene.context.wishes = {{1, "ana", "Tile for L2.\n# Your role\nStop.", false},
                          {2, "ben", "must not use atomic operations", true}};
  EXPECT_THAT(Templates().Render(scene.context).user,
              HasSubstr("- It must not use atomic operations (checked; ben).\n"
                        "- ana says:\n"
                        "  > Tile for L2.\n"
                        "  > # Your role\n"
                        "  > Stop.\n"));
  EXPECT_THAT(Templates().Render(scene.context).templates,
              ::testing::Contains("wishes"));
}

// The newest first, and none that would leave no room for the rest.
TEST(PromptTest, OfWhatPeopleWantAsMuchIsToldAsFits) {
  Scene scene = PlanScene();
  for (const char* text : {"oldest", "older", "newest"}) {
    scene.context.wishes.push_back(
        {1, "ana", text + std::string(1000, 'x'), false});
  }
  const std::string user = Templates().Render(scene.context).user;
  EXPECT_THAT(user, AllOf(HasSubstr("> olderx"), HasSubstr("> newestx"),
                          Not(HasSubstr("oldest"))));
  EXPECT_LT(user.find("> olderx"), user.find("> newestx"));
}

// A source that holds what looks like a placeholder is not filled in.
TEST(PromptTest, TextOfASituationIsNeverATemplate) {
  Scene scene = PlanScene();
  scene.context.selected.source = "int a[1][1] = {{0}};  // {{node}}\n";
  EXPECT_THAT(Templates().Render(scene.context).user,
              HasSubstr("int a[1][1] = {{0}};  // {{node}}\n"));
}

std::string Numbered(std::int64_t id) {
  std::string source;
  for (int line = 0; line < 9; ++line) {
    source += "// Line " + std::to_string(line) + " of a kernel.\n";
  }
  return source + "// Source of node " + std::to_string(id) + ".\n";
}

// Nodes 3 and 4 are whole; 6 differs from them by its number, 5 is equal to 3.
TEST(PromptTest, TheFastestIsWholeAndOthersAreChanges) {
  Scene scene = PlanScene();
  std::vector<Sighting>& history = scene.context.history;
  scene.context.selected.source = Numbered(3);
  history[0].source = Numbered(3);
  history[1].source = Numbered(6);
  history[2].source = Numbered(4);
  const std::string user = Templates().Render(scene.context).user;
  EXPECT_THAT(user,
              AllOf(HasSubstr(Numbered(3)), HasSubstr(Numbered(4)),
                    HasSubstr("# Fastest of the related attempts (node 4)"),
                    HasSubstr("--- node 3\n+++ node 6\n"
                              "@@ -9,2 +9,2 @@\n"
                              " // Line 8 of a kernel.\n"
                              "-// Source of node 3.\n"
                              "+// Source of node 6.\n"),
                    Not(HasSubstr(Numbered(6))), Not(HasSubstr("+++ node 5"))));
}

TEST(PromptTest, AChangeThatIsLongerThanItsSourceIsLeftOut) {
  Scene scene = PlanScene();
  scene.context.history[1].source = "// Another.\n";
  EXPECT_THAT(
      Templates().Render(scene.context).user,
      AllOf(HasSubstr("6 | 3 | unroll | "), Not(HasSubstr("+++ node 6"))));
}

// The faster of two changes is shown, or of two that fail the newer one.
TEST(PromptTest, ChangesEndWhereTheirRoomDoes) {
  Scene scene = PlanScene();
  scene.context.selected.source = Numbered(3);
  scene.context.history = {Passed(5, Kinship::kChild, 50e-6),
                           Passed(6, Kinship::kChild, 45e-6),
                           Failed(7, Kinship::kChild, Verdict::kCrashed, ""),
                           Failed(8, Kinship::kChild, Verdict::kCrashed, "")};
  for (Sighting& other : scene.context.history) {
    other.source = Numbered(Index(other.id));
  }
  const auto shown = [&](const PromptLimits& limits) {
    const std::string user = Templates().Render(scene.context, limits).user;
    std::string nodes;
    for (const char node : {'5', '6', '7', '8'}) {
      if (user.find(std::string("+++ node ") + node) != user.npos) {
        nodes += node;
      }
    }
    return nodes;
  };
  // A change has 105 bytes: 11 and 11 of its heads, 16 of its place, 25 of the
  // line before it, and 22 and 22 of the line.
  EXPECT_EQ(shown({}), "5678");
  EXPECT_EQ(shown({.changes = 330}), "568");
  EXPECT_EQ(shown({.changes = 120}), "6");
  EXPECT_EQ(shown({.change = 100}), "");
}

TEST(PromptTest, MarkedSourcesAreNotShownTwice) {
  Scene scene = CodeScene();
  scene.context.selected.source = Numbered(3);
  scene.context.plan->annotated_source =
      "// <<<IMPROVE BEGIN>>>\n" + Numbered(3) + "// <<<IMPROVE END>>>\n";
  const std::string user = Templates().Render(scene.context).user;
  EXPECT_EQ(user.find(Numbered(3)), user.rfind(Numbered(3)));
  // One that is not the latest attempt's stands beside it, and is the second.
  scene.context.plan->grounded = false;
  const std::string both = Templates().Render(scene.context).user;
  EXPECT_NE(both.find(Numbered(3)), both.rfind(Numbered(3)));
  EXPECT_THAT(both, Not(HasSubstr("# Fastest of the related attempts")));
}

TEST(PromptTest, ADebuggerSeesWhatWasMadeOfThePlan) {
  Scene scene = DebugScene();
  scene.context.selected.source = Numbered(8);
  scene.context.plan->annotated_source =
      "// <<<IMPROVE BEGIN>>>\n" + Numbered(3) + "// <<<IMPROVE END>>>\n";
  const std::string user = Templates().Render(scene.context).user;
  EXPECT_THAT(user, AllOf(HasSubstr("-// <<<IMPROVE BEGIN>>>\n"),
                          HasSubstr("+// Source of node 8.\n"),
                          Not(HasSubstr(Numbered(3)))));
}

// A kernel of about so many bytes.
std::string Sized(std::int64_t id, std::size_t bytes) {
  std::string source = Numbered(id);
  while (source.size() < bytes) source += "    sum[lane] += A[i * K + k];\n";
  return source;
}

// All that there can be to tell of kernels as small as those of level 1.
Scene SmallKernels(Role role) {
  Scene scene(role);
  PromptContext& context = scene.context;
  context.root.source = Sized(0, 1'000);
  context.selected = Passed(20, Kinship::kSelected, 20e-6);
  if (role == Role::kDebug) {
    context.selected = Failed(20, Kinship::kSelected, Verdict::kCompileFailed,
                              std::string(9'000, 'x'));
  }
  context.selected.source = Sized(20, 2'300);
  context.selected.plan = Advice("unroll", std::string(3'000, 'y'));
  context.selected.profile =
      std::string(500, 'p') + "\n\n" + std::string(3'000, 'c');
  for (std::int64_t id = 21; id < 31; ++id) {
    Sighting other = id % 3 == 0
                         ? Failed(id, Kinship::kChild, Verdict::kCompileFailed,
                                  "kernel.cc:9:5: error: 'sum" +
                                      std::string(300, 'x') + "'\n")
                         : Passed(id, Kinship::kChild, 19e-6);
    other.source = Sized(id, 2'400);
    other.plan = Advice(std::string(60, 't'), "");
    (id < 25 ? context.history : context.others).push_back(other);
  }
  context.attempts = 30;
  context.standing.plateau = 20;
  for (int i = 0; i < 3; ++i) {
    context.unrealised.emplace_back().plan =
        Advice(std::string(60, 't'), std::string(200, 'a'));
    context.lessons.emplace_back().note = std::string(200, 'n');
  }
  if (role == Role::kCode) {
    context.plan = Advice("vectorise", std::string(600, 'v'));
    context.plan->annotated_source = "// <<<IMPROVE BEGIN>>>\n" +
                                     context.selected.source +
                                     "// <<<IMPROVE END>>>\n";
    context.plan->grounded = true;
  }
  return scene;
}

std::size_t BytesBetween(const Prompt& prompt, const std::string& from,
                         const std::string& to) {
  const std::size_t begin = prompt.user.find(from);
  return prompt.user.find(to, begin) - begin;
}

TEST(PromptTest, APromptForASmallKernelIsSmall) {
  constexpr SmallPrompt kParts;
  static_assert(kParts.system + kParts.same + kParts.table + kParts.latest +
                    kParts.role ==
                PromptLimits{}.prompt);
  for (const Role role : {Role::kPlan, Role::kCode, Role::kDebug}) {
    const Scene scene = SmallKernels(role);
    const Prompt prompt = Templates().Render(scene.context);
    EXPECT_LE(prompt.system.size() + prompt.user.size(), PromptLimits{}.prompt)
        << prompt.user;
    EXPECT_LE(prompt.system.size(), kParts.system);
    EXPECT_LE(prompt.stable_bytes, kParts.same);
    EXPECT_THAT(prompt.user, HasSubstr("# Attempts so far"));
  }
  const Scene scene = SmallKernels(Role::kPlan);
  const Prompt plan = Templates().Render(scene.context);
  EXPECT_LE(BytesBetween(plan, "# Latest attempt", "# Your role"),
            kParts.latest);
  EXPECT_LE(plan.user.size() - plan.user.find("# Your role"), kParts.role);
}

TEST(PromptTest, OtherAttemptsHaveTheRoomThatIsLeft) {
  Scene scene = SmallKernels(Role::kPlan);
  EXPECT_THAT(Templates().Render(scene.context).user,
              AllOf(Not(HasSubstr("+++ node ")), Not(HasSubstr("# Fastest"))));
  // Two short sources, and nothing told of what the compiler made of one.
  scene.context.selected.source = Sized(20, 500);
  scene.context.selected.profile.clear();
  scene.context.history[1].source = Sized(22, 500);
  EXPECT_THAT(Templates().Render(scene.context).user,
              HasSubstr("# Fastest of the related attempts (node 22)"));
  // A large kernel has room for other large ones.
  Scene large = SmallKernels(Role::kPlan);
  large.context.selected.source = Sized(20, 12'000);
  large.context.history[1].source = Sized(22, 12'000);
  EXPECT_THAT(Templates().Render(large.context).user,
              HasSubstr(Sized(22, 12'000)));
}

TEST(PromptTest, TheSystemMessageMayBeAnother) {
  Scene scene = PlanScene();
  const auto system = [&](SystemMessage message) {
    scene.context.request_options.system_message = message;
    return Templates().Render(scene.context).system;
  };
  EXPECT_THAT(system(SystemMessage::kOwn),
              HasSubstr("Reason from the machine"));
  EXPECT_THAT(system(SystemMessage::kV1),
              AllOf(HasSubstr("strong baselines"), HasSubstr("The harness"),
                    Not(HasSubstr("Reason from the machine"))));
  EXPECT_THAT(system(SystemMessage::kV2),
              AllOf(HasSubstr("CUTLASS"), HasSubstr("The harness"),
                    Not(HasSubstr("Reason from the machine"))));
}

TEST(PromptTest, WithoutGroundingNobodyIsToldOfMarks) {
  for (const Role role : {Role::kPlan, Role::kCode, Role::kDebug}) {
    Scene scene(role);
    scene.context.selected = Passed(3, Kinship::kSelected, 40e-6);
    scene.context.plan = CodeScene().context.plan;
    const auto user = [&] { return Templates().Render(scene.context).user; };
    EXPECT_THAT(user(), HasSubstr("<<<IMPROVE"));
    scene.context.request_options.grounding = Grounding::kOff;
    EXPECT_THAT(user(), Not(HasSubstr("<<<IMPROVE")));
  }
}

// What v1 shows as good answers must pass our own check.
TEST(PromptTest, EveryExampleObeysTheAnswerFormat) {
  for (const std::string kind : {"cpp", "cuda", "cuda_host"}) {
    SCOPED_TRACE(kind);
    const std::string name = "v1/example_" + kind;
    const auto given = FindFencedBlocks(ReadFile(kPrompts / (name + ".txt")));
    ASSERT_EQ(given.size(), 1u);
    const Plan plan = ParsePlanAnswer(ReadFile(kPrompts / (name + "_plan.txt")),
                                      given[0].content)
                          .value();
    EXPECT_THAT(plan.technique, Not(testing::IsEmpty()));
    EXPECT_TRUE(plan.grounded);
    const std::string code =
        ParseCodeAnswer(ReadFile(kPrompts / (name + "_code.txt"))).value();
    const EditFootprint edits = MeasureEdits(plan.annotated_source, code);
    EXPECT_GT(edits.changed_inside, 0);
    EXPECT_EQ(edits.changed_outside, 0);
  }
}

TEST(PromptTest, TheExampleOfV1IsOfTheRootsKind) {
  Scene scene(Role::kPlan);
  scene.context.selected = scene.context.root;
  const auto user = [&] { return FirstTemplates().Render(scene.context).user; };
  EXPECT_THAT(user(), HasSubstr("Technique: interchange"));
  scene.task.root.language = Language::kCuda;
  EXPECT_THAT(user(), AllOf(HasSubstr("cudaMemsetAsync"),
                            Not(HasSubstr("partial[ceil_div(M, 64) * N]"))));
  scene.context.root.source = "//@ launch k<<<1, 1>>>(A)\n";
  EXPECT_THAT(user(), AllOf(HasSubstr("partial[ceil_div(M, 64) * N]"),
                            Not(HasSubstr("cudaMemsetAsync"))));
}

TEST(PromptTest, WhoPlansIsToldOfUnrealisedIdeasAndOfAPlateau) {
  Scene plan = PlanScene();
  plan.context.unrealised.emplace_back().plan.technique = "use tables";
  plan.context.standing.plateau = 20;
  EXPECT_THAT(Templates().Render(plan.context).user,
              AllOf(HasSubstr("- never realised: use tables"),
                    HasSubstr("The last 20 attempts brought nothing")));
  Scene code = CodeScene();
  code.context.standing.plateau = 20;
  EXPECT_THAT(Templates().Render(code.context).user,
              Not(HasSubstr("The last 20 attempts")));
}

TEST(PromptTest, WhatTuningCameToIsTold) {
  Scene scene = PlanScene();
  scene.context.selected.tuning =
      "Tuned: TILE=64 won of 4 configurations tried";
  EXPECT_THAT(Templates().Render(scene.context).user,
              HasSubstr(" Tuned: TILE=64 won of 4 configurations tried.\n"));
}

// Whatever the role and whatever it works on.
TEST(PromptTest, PromptsOfACampaignBeginAlike) {
  const PromptTemplates templates = Templates();
  const Scene plan_scene = PlanScene();
  const Prompt plan = templates.Render(plan_scene.context);
  EXPECT_THAT(plan.user.substr(0, plan.stable_bytes),
              AllOf(HasSubstr("# Task: matvec_k256"), HasSubstr(kRootSource),
                    EndsWith("\n\n")));
  EXPECT_THAT(plan.user.substr(plan.stable_bytes),
              testing::StartsWith("# Attempts so far"));
  for (Scene scene : {CodeScene(), DebugScene()}) {
    scene.context.task = &plan_scene.task;
    scene.context.standing.remaining = 20;
    const Prompt other = templates.Render(scene.context);
    EXPECT_EQ(other.stable_bytes, plan.stable_bytes);
    EXPECT_EQ(other.user.substr(0, other.stable_bytes),
              plan.user.substr(0, plan.stable_bytes));
    EXPECT_EQ(other.system, plan.system);
  }
}

TEST(PromptTest, AnAgentWithoutATeamIsToldOfNone) {
  Scene scene = CodeScene();
  scene.context.plan.reset();
  const Prompt prompt = Templates().Render(scene.context);
  for (const std::string word : {"planner", "implementer", "team", "IMPROVE"}) {
    EXPECT_THAT(prompt.system + prompt.user, Not(HasSubstr(word)));
  }
  EXPECT_THAT(prompt.user, HasSubstr("# What to do"));
  EXPECT_THAT(FirstTemplates().Render(scene.context).user,
              HasSubstr("<example_answer>"));
}

TEST(PromptTest, APromptNamesTheTemplatesThatItIsOf) {
  const PromptTemplates templates = Templates();
  const Prompt alone = templates.Render(Scene(Role::kCode).context);
  EXPECT_TRUE(alone.templates.contains("alone"));
  EXPECT_TRUE(alone.templates.contains("rules_cpp"));
  EXPECT_FALSE(alone.templates.contains("plan"));
  EXPECT_FALSE(alone.templates.contains("repair"));
  EXPECT_TRUE(
      templates.RenderRepair(alone, "x", "y").templates.contains("repair"));
}

TEST(PromptTest, TheTextsOfTemplatesAreTheirFiles) {
  EXPECT_EQ(Templates().TextsOf({"plan", "alone"}),
            "==== alone.txt\n" + ReadFile(kPrompts / "alone.txt") +
                "==== plan.txt\n" + ReadFile(kPrompts / "plan.txt"));
  EXPECT_EQ(Templates().set(), "coppice");
}

TEST(PromptTest, ARepairQuotesTheAnswerAndWhatIsWrong) {
  const PromptTemplates templates = Templates();
  const Scene scene = CodeScene();
  const Prompt asked = templates.Render(scene.context);
  const Prompt repair = templates.RenderRepair(
      asked, "Here:\n```cpp\nint x;\n", "the code block is never closed.");
  EXPECT_EQ(repair.system, asked.system);
  EXPECT_EQ(repair.stable_bytes, asked.stable_bytes);
  ASSERT_TRUE(repair.user.starts_with(asked.user));
  EXPECT_THAT(
      repair.user.substr(asked.user.size()),
      testing::StartsWith(
          "\n# Your answer could not be used\n\nYou answered:\n\n````\nHere:\n"
          "```cpp\nint x;\n````\n\nWhat is wrong with it: the code block is "
          "never closed.\n\nAnswer again"));
}

TEST(PromptTest, ARepairCutsAnEndlessAnswer) {
  const Prompt repair = Templates().RenderRepair(
      {}, "head" + std::string(100'000, 'x') + "tail", "too long");
  EXPECT_LT(repair.user.size(), 25'000u);
  EXPECT_THAT(repair.user, AllOf(HasSubstr("head"), HasSubstr("tail")));
}

TEST(PromptTest, V1ShowsTheWindowWholeAndNothingOfOthers) {
  const PromptTemplates v1 = FirstTemplates();
  EXPECT_EQ(v1.set(), "v1");
  const std::string plan = v1.Render(PlanScene().context).user;
  EXPECT_THAT(plan,
              AllOf(HasSubstr("# Earlier attempts"),
                    HasSubstr("## Kernel #1 (node 5)"), HasSubstr(Loops(5)),
                    HasSubstr(Loops(6)), Not(HasSubstr("# Attempts so far")),
                    Not(HasSubstr("This is attempt"))));
  const std::string debug = v1.Render(DebugScene().context).user;
  EXPECT_THAT(debug, HasSubstr("with the lines to change marked:\n\n```cpp\n"
                               "// <<<IMPROVE BEGIN>>>\n"));
}

// What a compiler said is told of the node that is worked on.
TEST(PromptTest, TheCodeOfTheLatestAttemptIsTold) {
  const std::string code = "\n\nOf its loops g++ says:\nline 9: vectorised\n";
  Scene scene = PlanScene();
  scene.context.root.profile = "Memory bound at 11 %." + code;
  scene.context.selected.profile = "Memory bound at 22 %." + code;
  scene.context.history[2].profile = "Memory bound at 33 %." + code;
  const std::string user = Templates().Render(scene.context).user;
  EXPECT_THAT(user, HasSubstr("Compiler observation: it compiles. Of its loops "
                              "g++ says:\nline 9: vectorised\n"));
  EXPECT_EQ(user.find("g++ says"), user.rfind("g++ says"));
  scene.context.selected = scene.context.root;
  EXPECT_THAT(Templates().Render(scene.context).user,
              HasSubstr("work on that. Memory bound at 11 %.\n\n"
                        "Compiler observation: it compiles. "
                        "Of its loops g++ says:\nline 9"));
  EXPECT_THAT(FirstTemplates().Render(scene.context).user,
              Not(HasSubstr("g++ says")));
}

// A planner that knows nothing but its prompt: it vectorises the loop of which
// a compiler says that it did not, unless that was tried, and else unrolls.
std::string TechniqueOf(const std::string& prompt) {
  const std::size_t table = prompt.find("# Attempts so far");
  const bool was_tried = table != prompt.npos &&
                         prompt.find("| vectorise |", table) != prompt.npos;
  const bool is_scalar = prompt.find(": not vectorised, ") != prompt.npos;
  return is_scalar && !was_tried ? "vectorise" : "unroll";
}

TEST(PromptTest, WhatIsAddedChangesTheAnswerOfWhoOnlyReads) {
  Scene scene = PlanScene();
  scene.context.selected.profile =
      "Memory bound at 22 %.\n\nOf its loops g++ says:\n"
      "line 9, `for (...)`: not vectorised, complicated access pattern\n";
  const PromptTemplates v1 = FirstTemplates();
  EXPECT_EQ(TechniqueOf(v1.Render(scene.context).user), "unroll");
  EXPECT_EQ(TechniqueOf(Templates().Render(scene.context).user), "vectorise");
  // An attempt that no window shows.
  Sighting other = Failed(2, Kinship::kChild, Verdict::kWrongOutput, "");
  other.plan = Advice("vectorise", "");
  scene.context.others = {other};
  EXPECT_EQ(TechniqueOf(Templates().Render(scene.context).user), "unroll");
}

TEST(PromptTest, CandidatesInPythonAreToldHowToBringKernels) {
  Scene scene(Role::kPlan);
  scene.task.root.language = Language::kPython;
  scene.context.libraries = {{"torch", "2.9.0"}, {"triton", "3.6.0"}};
  const auto user = [&] { return Templates().Render(scene.context).user; };
  EXPECT_THAT(user(), AllOf(HasSubstr("extra_cflags=[\"-O3\", \"-march"),
                            Not(HasSubstr("@triton.jit"))));
  EXPECT_THAT(user(), HasSubstr("Example CPU: 2 processors, AVX2"));
  scene.context.has_gpu = true;
  scene.context.hardware = "NVIDIA H100";
  scene.context.hardware_facts = "compute capability 9.0; its host: a CPU";
  scene.context.libraries.emplace_back("nvcc", "13.0");
  EXPECT_THAT(
      user(),
      AllOf(HasSubstr("cuda_sources="), HasSubstr("@triton.jit"),
            HasSubstr("Here are torch 2.9.0, triton 3.6.0, nvcc 13.0: "),
            HasSubstr("Machine: NVIDIA H100: compute capability 9.0; its host: "
                      "a CPU. Its tensor cores take float16, int8, bfloat16, "
                      "tf32, float64, float8.")));
}

class TemplateFilesTest : public testing::Test {
 protected:
  TemplateFilesTest()
      : directory_(
            fs::path(testing::TempDir()) /
            (std::string("prompts-") +
             testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(directory_);
    fs::copy(kPrompts, directory_);
  }
  ~TemplateFilesTest() override { fs::remove_all(directory_); }

  Error LoadError() {
    const auto loaded = PromptTemplates::Load(directory_);
    return loaded ? Error{Errc::kIo, "no error"} : loaded.error();
  }

  fs::path directory_;
};

TEST_F(TemplateFilesTest, AnUnknownPlaceholderIsNamedWithFileAndLine) {
  std::ofstream(directory_ / "latest.txt") << "{{node}}\n{{0}} {{nod}}\n";
  const Error error = LoadError();
  EXPECT_EQ(error.code, Errc::kUsage);
  EXPECT_THAT(error.what,
              EndsWith("latest.txt:2: unknown placeholder {{nod}}"));
}

TEST_F(TemplateFilesTest, PlaceholdersOfOtherTemplatesAreUnknown) {
  std::ofstream(directory_ / "plan.txt") << "{{node}}\n";
  EXPECT_THAT(LoadError().what, HasSubstr("plan.txt:1: unknown placeholder"));
}

TEST_F(TemplateFilesTest, AMissingTemplateIsNamed) {
  fs::remove(directory_ / "debug.txt");
  EXPECT_EQ(LoadError().code, Errc::kNotFound);
  EXPECT_THAT(LoadError().what, HasSubstr("debug.txt: template missing"));
  fs::remove_all(directory_);
  EXPECT_EQ(LoadError().code, Errc::kNotFound);
}

TEST_F(TemplateFilesTest, AFolderMayHaveThoseAloneThatDiffer) {
  fs::remove_all(directory_);
  fs::create_directories(directory_);
  std::ofstream(directory_ / "alone.txt") << "Make it faster.\n";
  const auto loaded = PromptTemplates::Load(directory_, "mine", kPrompts);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().what;
  const std::string user = loaded->Render(Scene(Role::kCode).context).user;
  EXPECT_THAT(user, AllOf(HasSubstr("# Task: matvec_k256"),
                          EndsWith("\nMake it faster.\n")));
}

TEST_F(TemplateFilesTest, ATemplateThatNobodyReadsIsNamed) {
  std::ofstream(directory_ / "plann.txt") << "x";
  EXPECT_EQ(LoadError().code, Errc::kUsage);
  EXPECT_THAT(LoadError().what, HasSubstr("plann.txt: no prompt uses"));
}

}  // namespace
}  // namespace coppice::agents
