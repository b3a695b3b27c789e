#include "agents/prompt/prompt_templates.h"

#include <algorithm>
#include <cassert>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "agents/prompt/attempt_table.h"
#include "agents/prompt/describe.h"
#include "agents/prompt/lesson_table.h"
#include "agents/prompt/prompt_context.h"
#include "agents/prompt/prompt_limits.h"
#include "store/records/formatted.h"
#include "store/records/profile.h"
#include "store/records/unified_diff.h"

namespace coppice::agents {
namespace {

// Lines beside a change: the source that it is of stands whole.
constexpr std::size_t kContext = 1;

// What stands around a table or the changes, at most.
constexpr std::size_t kHeading = 320;

using Names = std::set<std::string_view>;
using Values = std::map<std::string_view, std::string>;

// Every template and the placeholders it may use.
const std::map<std::string_view, Names>& KnownTemplates() {
  static const std::map<std::string_view, Names> known = {
      {"system", {"setting", "stance"}},
      {"system_own", {}},
      {"system_v1", {}},
      {"system_v2", {}},
      {"system_team", {}},
      {"system_alone", {}},
      {"example_team", {"source", "plan", "code"}},
      {"example_alone", {"source", "code"}},
      {"example_cpp", {}},
      {"example_cpp_plan", {}},
      {"example_cpp_code", {}},
      {"example_cuda", {}},
      {"example_cuda_plan", {}},
      {"example_cuda_code", {}},
      {"example_cuda_host", {}},
      {"example_cuda_host_plan", {}},
      {"example_cuda_host_code", {}},
      {"task",
       {"name", "description", "inputs", "outputs", "axes", "workloads",
        "tolerance", "unit", "hardware", "threads"}},
      {"task_python",
       {"name", "description", "inputs", "outputs", "tolerance", "hardware",
        "threads"}},
      {"task_function",
       {"name", "description", "inputs", "outputs", "axes", "workloads",
        "tolerance", "hardware", "threads"}},
      {"rules", {"language", "entry"}},
      {"rules_cpp", {"signature", "entry", "starts"}},
      {"rules_cuda", {"entry", "starts"}},
      {"rules_python", {"entry", "cast", "delegation"}},
      {"rules_function", {"entry", "delegation", "sizes"}},
      {"kernels_cpu", {"libraries"}},
      {"kernels_cuda", {"libraries"}},
      {"root", {"result", "source"}},
      {"latest", {"node", "idea", "source", "compiler", "result"}},
      {"latest_root", {"compiler", "result"}},
      {"attempts", {"table"}},
      {"unrealised", {"list"}},
      {"plateau", {"attempts"}},
      {"lessons", {"table"}},
      {"wishes", {"list"}},
      {"best", {"node", "idea", "source", "result"}},
      {"changes", {"changes"}},
      {"cross", {"node", "idea", "source", "result"}},
      {"plan", {"form"}},
      {"plan_marks", {}},
      {"plan_words", {}},
      {"code", {"idea", "scope"}},
      {"code_marks", {"source"}},
      {"code_words", {}},
      {"debug", {"intent"}},
      {"history", {"kernels"}},
      {"kernel",
       {"number", "node", "kinship", "idea", "source", "compiler", "result"}},
      {"intent", {"idea", "change", "source"}},
      {"intent_words", {"idea"}},
      {"alone", {}},
      {"repair", {"answer", "fault"}}};
  return known;
}

// Whether v1 alone has it.
bool IsOfV1(std::string_view name) {
  return name == "history" || name == "kernel" || name.starts_with("example_");
}

struct Placeholder {
  std::size_t from = 0;  // Of "{{"; [from, to) in bytes.
  std::size_t to = 0;
  std::string_view name;
};

// The next {{name}}.  Other braces are text: kernels are full of them.
std::optional<Placeholder> NextPlaceholder(std::string_view text,
                                           std::size_t at) {
  while ((at = text.find("{{", at)) != std::string_view::npos) {
    const std::size_t name = at + 2;
    const std::size_t end =
        text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", name);
    if (end != std::string_view::npos && end > name &&
        text.substr(end).starts_with("}}")) {
      return Placeholder{at, end + 2, text.substr(name, end - name)};
    }
    ++at;
  }
  return std::nullopt;
}

std::string Fill(std::string_view text, const Values& values) {
  std::string filled;
  std::size_t at = 0;
  while (const auto placeholder = NextPlaceholder(text, at)) {
    filled += text.substr(at, placeholder->from - at);
    const auto value = values.find(placeholder->name);
    assert(value != values.end());  // Load() has checked the names.
    if (value != values.end()) filled += value->second;
    at = placeholder->to;
  }
  filled += text.substr(at);
  return filled;
}

Result<void> CheckPlaceholders(const std::filesystem::path& file,
                               std::string_view text, const Names& known) {
  std::size_t at = 0;
  while (const auto placeholder = NextPlaceholder(text, at)) {
    if (!known.contains(placeholder->name)) {
      const auto line =
          std::ranges::count(text.substr(0, placeholder->from), '\n') + 1;
      return Fail(Errc::kUsage, file.string() + ":" + std::to_string(line) +
                                    ": unknown placeholder {{" +
                                    std::string(placeholder->name) + "}}");
    }
    at = placeholder->to;
  }
  return {};
}

// Joins the sections that are not empty by blank lines.
std::string Join(const std::vector<std::string>& sections) {
  std::string text;
  for (const std::string& section : sections) {
    if (section.empty()) continue;
    if (!text.empty()) text += '\n';
    text += section;
  }
  return text;
}

// Lists end their last line themselves.
std::string Chomped(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string FactorText(double factor) { return Formatted("%.6g", factor); }

std::string DescribeTolerance(const Task& task) {
  if (task.protocol == Protocol::kBenchmark &&
      task.format == TaskFormat::kFlashInferBench) {
    return "an element y passes against the original's r if |y - r| <= " +
           FactorText(task.eval_config.atol) +
           " or |y - r| <= " + FactorText(task.eval_config.rtol) +
           " * |r|. NaN and infinity never pass.";
  }
  if (task.protocol == Protocol::kBenchmark) {
    return "an element y passes against the original's r if |y - r| <= "
           "t + t * |y|, where t is 1e-4 for float32 and 1e-2 for 16-bit "
           "floats.";
  }
  const auto relative = TagValue(task.definition, "rtol");
  const auto absolute = TagValue(task.definition, "atol");
  if (relative && absolute) {
    return "an element y passes against the original's r if |y - r| <= " +
           *absolute + " + " + *relative +
           " * |r|. NaN and infinity must be where the original has them. "
           "Integers must be equal.";
  }
  return "an element y passes against the original's r if |y - r| <= "
         "t * (R + |r|), where R is the root mean square of the output and t "
         "is 1e-4 for float32 and 1e-2 for 16-bit floats. Sums in another "
         "order pass; arithmetic in a lower precision does not. Integers must "
         "be equal.";
}

// Which say all of a workload of GPU MODE.
std::string DescribeNames(const std::vector<Workload>& workloads) {
  std::string list;
  for (const Workload& workload : workloads)
    list += "- " + workload.uuid + "\n";
  return list;
}

// Which a kernel that leads has to be right on.
std::string DescribeOtherShapes(const Task& task) {
  if (task.protocol == Protocol::kBenchmark || WhyShapesAreFixed(task)) {
    return "";
  }
  return " Sizes need not be multiples of anything: a function that leads is "
         "checked on other sizes, too, from 1 to the largest that a workload "
         "has for the axis.";
}

std::string DescribeDelegation(Delegation delegation) {
  switch (delegation) {
    case Delegation::kAny:
      return "Its work may be done by kernels of its own or by operations of "
             "PyTorch.";
    case Delegation::kNoVendorOp:
      return "Its work must not be done by an operation of a library (matmul, "
             "convolution, softmax, norms, torch.nn layers, ...).";
    case Delegation::kOwnKernels:
      return "Its work must be done by kernels of its own (CUDA through "
             "load_inline or Triton; on a CPU C++ through load_inline), not by "
             "operations of a library.";
  }
  return "";
}

std::string StanceOf(SystemMessage message) {
  switch (message) {
    case SystemMessage::kOwn:
      return "system_own";
    case SystemMessage::kV1:
      return "system_v1";
    case SystemMessage::kV2:
      return "system_v2";
  }
  return "system_own";
}

std::string DescribeKinship(Kinship kinship) {
  switch (kinship) {
    case Kinship::kSelected:
      return "the latest attempt";
    case Kinship::kRoot:
      return "the source to speed up";
    case Kinship::kChild:
      return "an earlier change of the latest attempt";
    case Kinship::kLeader:
      return "one of the fastest kernels found on other paths";
    case Kinship::kNephew:
      return "a change of another attempt that began where the latest one did";
    case Kinship::kSibling:
      return "another attempt that began where the latest one did";
    case Kinship::kMate:
      return "the attempt to combine the latest one with";
  }
  return "related";
}

// What a module is cast to, since its source does not tell.
std::string DescribeCast(const Definition& definition) {
  const auto precision = TagValue(definition, "precision");
  return precision ? "is cast to " + *precision + " as the original is, " : "";
}

// Renders the sections of one context.
class Renderer {
 public:
  Renderer(const std::map<std::string, std::string>& texts,
           const PromptContext& context, const PromptLimits& limits)
      : texts_(texts),
        context_(context),
        limits_(limits),
        language_(context.task->root.language),
        best_(FindBest()) {}

  std::string System() const {
    return Section(
        "system",
        {{"setting",
          Chomped(Section(IsAlone() ? "system_alone" : "system_team", {}))},
         {"stance",
          Chomped(Section(StanceOf(context_.request_options.system_message),
                          {}))}});
  }

  // The same for every call of a campaign.
  std::string Stable() const {
    return Join({Example(), Task(), Rules(), Root()});
  }

  // What follows so many bytes.
  std::string Rest(std::size_t before) const {
    const std::string wishes = Wishes();
    if (IsListed()) return Join({Latest(), History(), wishes, Instruction()});
    const std::string standing = Standing();
    const std::string latest = Join({Latest(), Cross()});
    const std::string instruction = Instruction();
    std::size_t room = RoomAfter(before + standing.size() + latest.size() +
                                 wishes.size() + instruction.size());
    const auto take = [&room](std::string section) {
      room -= std::min(room, section.size());
      return section;
    };
    const std::string attempts = take(Attempts(room));
    const std::string unrealised = take(Unrealised(room));
    const std::string lessons = take(Lessons(room));
    return Join({lessons, attempts, unrealised, standing, latest, Others(room),
                 wishes, instruction});
  }

  // The templates of all that was rendered.
  const TemplateNames& Used() const { return used_; }

 private:
  std::string Section(const std::string& name, const Values& values) const {
    return Fill(Template(name), values);
  }

  const std::string& Template(const std::string& name) const {
    used_.insert(name);
    return texts_.at(name);
  }

  std::string Language() const { return std::string(LanguageName(language_)); }

  bool IsAlone() const {
    return context_.role == Role::kCode && !context_.plan;
  }

  // Whether a Python task is a function rather than a module.
  bool IsFunction() const {
    return context_.task->format == TaskFormat::kFlashInferBench ||
           context_.task->format == TaskFormat::kGpuMode;
  }

  // Plans are words alone.
  bool HasNoMarks() const {
    return context_.request_options.grounding == Grounding::kOff;
  }

  std::string Source(std::string_view source) const {
    return SourceBlock(source, language_);
  }

  // An example of what the campaign's agents write; empty if there is none.
  std::string Example() const {
    if (!IsListed()) return "";
    std::string kind;
    if (language_ == Language::kCpp) {
      kind = "example_cpp";
    } else if (language_ == Language::kCuda) {
      const bool has_plan =
          context_.root.source.find("//@ launch") != std::string::npos;
      kind = has_plan ? "example_cuda" : "example_cuda_host";
    } else {
      return "";
    }
    Values values = {{"source", Chomped(Template(kind))},
                     {"code", Chomped(Template(kind + "_code"))}};
    if (IsAlone()) return Section("example_alone", values);
    std::string plan(Template(kind + "_plan"));
    if (HasNoMarks()) plan.resize(plan.rfind("\n\n```") + 1);
    values["plan"] = Chomped(std::move(plan));
    return Section("example_team", values);
  }

  std::string Task() const {
    const coppice::Task& task = *context_.task;
    const Definition& definition = task.definition;
    Values values = {
        {"name", definition.name},
        {"description", definition.description.value_or(definition.op_type)},
        {"inputs", DescribeTensors(definition.inputs)},
        {"outputs", DescribeTensors(definition.outputs)},
        {"hardware", DescribeMachine(context_)},
        {"threads", std::to_string(context_.threads)}};
    if (language_ == Language::kPython) {
      values["tolerance"] = DescribeTolerance(task);
      if (!IsFunction()) return Section("task_python", values);
    }
    values["axes"] = DescribeAxes(definition.axes);
    values["workloads"] = task.format == TaskFormat::kGpuMode
                              ? DescribeNames(task.workloads)
                              : DescribeWorkloads(task.workloads);
    if (IsFunction()) return Section("task_function", values);
    values["tolerance"] = FactorText(task.tolerance.factor);
    values["unit"] = std::string(UnitRoundoff(definition.outputs));
    return Section("task", values);
  }

  std::string Rules() const {
    const std::string& entry = context_.task->root.entry_symbol;
    const std::string starts = DescribeStarts(context_.task->definition);
    if (language_ == Language::kCuda) {
      return Section("rules_cuda", {{"entry", entry}, {"starts", starts}});
    }
    if (language_ == Language::kPython) {
      Values values = {
          {"entry", entry},
          {"delegation", DescribeDelegation(context_.task->delegation)}};
      if (IsFunction()) {
        values["sizes"] = DescribeOtherShapes(*context_.task);
        return Join({Section("rules_function", values), OwnKernels()});
      }
      values["cast"] = DescribeCast(context_.task->definition);
      return Join({Section("rules_python", values), OwnKernels()});
    }
    if (language_ != Language::kCpp) {
      return Section("rules", {{"language", Language()}, {"entry", entry}});
    }
    return Section(
        "rules_cpp",
        {{"signature", CppSignature(context_.task->definition, entry)},
         {"entry", entry},
         {"starts", starts}});
  }

  // How candidates in Python bring some.
  std::string OwnKernels() const {
    std::string libraries;
    for (const auto& [name, version] : context_.libraries) {
      libraries += (libraries.empty() ? "" : ", ") + name + " " + version;
    }
    return Section(
        context_.has_gpu ? "kernels_cuda" : "kernels_cpu",
        {{"libraries", libraries.empty() ? "torch" : std::move(libraries)}});
  }

  std::string Root() const {
    const Sighting& root = context_.root;
    std::string result = "It was not timed yet.";
    if (root.runtime_s) {
      result = "It takes " + FormatSeconds(*root.runtime_s) + ".";
      // An agent that works on the root is told below.
      if (IsListed()) result += DescribeProfile(root);
    }
    return Section("root", {{"result", std::move(result)},
                            {"source", Source(root.source)}});
  }

  bool IsRoot(const Sighting& sighting) const {
    return sighting.id == context_.root.id;
  }

  // The marked source of a plan is the latest attempt's, but for its marks.
  bool IsShownMarked() const {
    return context_.role == Role::kCode && context_.plan && !HasNoMarks() &&
           context_.plan->grounded;
  }

  // The fastest of the history, if it is told apart from the root, and faster
  // than the latest attempt.  None where a marked source is shown that is no
  // other's: then there are two whole ones without it.
  const Sighting* FindBest() const {
    if (context_.role == Role::kCode && context_.plan && !HasNoMarks() &&
        !context_.plan->grounded) {
      return nullptr;
    }
    const auto speed_of = [](const Sighting& sighting) {
      return sighting.speedup ? sighting.speedup->ratio : 0.0;
    };
    const Sighting* best = nullptr;
    double most = std::max(1.0, speed_of(context_.selected));
    for (const Sighting& sighting : context_.history) {
      if (sighting.kinship == Kinship::kMate) continue;  // Whole anyway.
      if (speed_of(sighting) <= most || sighting.speedup->Sign() <= 0) continue;
      most = speed_of(sighting);
      best = &sighting;
    }
    return best;
  }

  std::string Lessons(std::size_t room) const {
    PromptLimits limits = limits_;
    limits.lessons = std::min(limits.lessons, room - std::min(room, kHeading));
    const std::string table = LessonTable(context_.lessons, limits);
    if (table.empty()) return "";
    return Section("lessons", {{"table", CodeBlock(table, "text")}});
  }

  // Rules first, since these are checked; then the newest advice, as much as
  // fits.  Quoted, so that it reads as a person's and no template's.
  std::string Wishes() const {
    std::string rules;
    std::string advice;
    std::size_t room = limits_.wishes;
    for (auto wish = context_.wishes.rbegin(); wish != context_.wishes.rend();
         ++wish) {
      const std::string text = WishText(*wish);
      if (text.size() > room) continue;
      room -= text.size();
      std::string& list = wish->is_rule ? rules : advice;
      list.insert(0, text);
    }
    if (rules.empty() && advice.empty()) return "";
    return Section("wishes", {{"list", Chomped(rules + advice)}});
  }

  std::string WishText(const Wish& wish) const {
    if (wish.is_rule) {
      return "- It " + wish.text + " (checked; " + wish.author + ").\n";
    }
    std::string quoted = "- " + wish.author + " says:\n";
    std::string_view rest = wish.text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      quoted.append("  > ").append(rest.substr(0, end)).append("\n");
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return quoted;
  }

  std::string Attempts(std::size_t room) const {
    PromptLimits limits = limits_;
    limits.table =
        std::min(limits.table,
                 std::max(limits.least_table, room - std::min(room, kHeading)));
    std::vector<const Sighting*> attempts;
    if (!IsRoot(context_.selected)) attempts.push_back(&context_.selected);
    for (const Sighting& other : context_.history) attempts.push_back(&other);
    for (const Sighting& other : context_.others) attempts.push_back(&other);
    if (attempts.empty()) return "";
    return Section(
        "attempts",
        {{"table", CodeBlock(AttemptTable(attempts, context_.attempts, limits),
                             "text")}});
  }

  // As in v1.
  bool IsListed() const { return texts_.contains("history"); }

  std::string History() const {
    if (context_.history.empty()) return "";
    std::vector<std::string> kernels;
    for (const Sighting& sighting : context_.history) {
      kernels.push_back(Section(
          "kernel", {{"number", std::to_string(kernels.size() + 1)},
                     {"node", std::to_string(Index(sighting.id))},
                     {"kinship", DescribeKinship(sighting.kinship)},
                     {"idea", DescribePlan(sighting.plan)},
                     {"source", Source(sighting.source)},
                     {"compiler", Compilation(sighting)},
                     {"result", DescribeExecution(sighting, limits_.log)}}));
    }
    return Section("history", {{"kernels", Chomped(Join(kernels))}});
  }

  std::string Compilation(const Sighting& sighting) const {
    if (!IsListed()) return DescribeCompilation(sighting, limits_.log);
    Sighting without_code = sighting;
    without_code.profile = PartsOf(sighting.profile).limits;
    return DescribeCompilation(without_code, limits_.log);
  }

  std::string Standing() const {
    std::string standing = DescribeStanding(context_.standing);
    if (!standing.empty()) standing += '\n';
    if (!Plans() || context_.standing.plateau == 0) return standing;
    return standing +
           Section("plateau",
                   {{"attempts", std::to_string(context_.standing.plateau)}});
  }

  // Whoever asks what to try next.
  bool Plans() const { return context_.role == Role::kPlan || IsAlone(); }

  // The newest of them, as many as fit.
  std::string Unrealised(std::size_t room) const {
    if (!Plans()) return "";
    std::string list = UnrealisedList(context_.unrealised, limits_);
    while (list.size() > room - std::min(room, kHeading)) {
      list.resize(Chomped(list).rfind('\n') + 1);
    }
    if (list.empty()) return "";
    return Section("unrealised", {{"list", Chomped(std::move(list))}});
  }

  std::string Idea(const Sighting& sighting) const {
    return CutMiddle(DescribePlan(sighting.plan), limits_.idea);
  }

  std::string Latest() const {
    const Sighting& latest = context_.selected;
    if (IsRoot(latest)) {
      return Section("latest_root", {{"compiler", Compilation(latest)},
                                     {"result", DescribeProfile(latest)}});
    }
    return Section("latest",
                   {{"node", std::to_string(Index(latest.id))},
                    {"idea", Idea(latest)},
                    {"source", IsShownMarked() && !IsListed()
                                   ? "Its source stands below, with marks."
                                   : Source(latest.source)},
                    {"compiler", Compilation(latest)},
                    {"result", DescribeExecution(latest, limits_.log)}});
  }

  // Bytes that other attempts may have after so many of all else.  Kernels
  // beyond a small one's size have room for what others made of them.
  std::size_t RoomAfter(std::size_t bytes) const {
    std::size_t sources = context_.root.source.size();
    if (!IsRoot(context_.selected)) {
      sources += context_.selected.source.size();
    }
    const std::size_t most =
        limits_.prompt +
        3 * (std::max(sources, limits_.small_sources) - limits_.small_sources);
    return most - std::min(most, bytes);
  }

  // The fastest whole, if that fits, and the rest as changes.
  std::string Others(std::size_t room) const {
    std::string best = best_ == nullptr ? "" : Best();
    const bool is_whole = !best.empty() && best.size() <= room;
    if (!is_whole) {
      best.clear();
      used_.erase("best");
    }
    return Join(
        {best, Changes(is_whole ? best_ : nullptr, room - best.size())});
  }

  std::string Best() const {
    return Section("best",
                   {{"node", std::to_string(Index(best_->id))},
                    {"idea", Idea(*best_)},
                    {"source", Source(best_->source)},
                    {"result", DescribeExecution(*best_, limits_.log)}});
  }

  std::string Cross() const {
    const Sighting* mate = MateOf(context_);
    if (mate == nullptr) return "";
    // The root is described, and stands whole, before all that changes.
    const bool is_root = IsRoot(*mate);
    return Section(
        "cross",
        {{"node", std::to_string(Index(mate->id))},
         {"idea", is_root ? "" : "Planned change: " + Idea(*mate) + "\n\n"},
         {"source", is_root ? "It is the root: its source stands above."
                            : Source(mate->source)},
         {"result", DescribeExecution(*mate, limits_.log)}});
  }

  // The shortest difference from a source that is shown whole; empty if there
  // is none, or it is longer than the source itself.
  static std::string ChangeTo(const Sighting& sighting,
                              const std::vector<const Sighting*>& whole) {
    std::string change;
    for (const Sighting* from : whole) {
      std::string diff = UnifiedDiff(
          {"node " + std::to_string(Index(from->id)), from->source},
          {"node " + std::to_string(Index(sighting.id)), sighting.source},
          kContext);
      if (diff.empty()) return "";
      if (change.empty() || diff.size() < change.size()) change = diff;
    }
    return change.size() < sighting.source.size() ? change : "";
  }

  // Whose sources a prompt shows that shows that of `best`, if it is not null.
  std::vector<const Sighting*> Whole(const Sighting* best) const {
    std::vector<const Sighting*> whole = {&context_.root};
    if (!IsRoot(context_.selected)) whole.push_back(&context_.selected);
    if (best != nullptr) whole.push_back(best);
    const Sighting* mate = MateOf(context_);
    if (mate != nullptr && !IsRoot(*mate)) whole.push_back(mate);
    return whole;
  }

  // The fastest of those that pass are shown first, then the newest of the
  // others, until there is no more room.
  std::string Changes(const Sighting* best, std::size_t room) const {
    const std::vector<const Sighting*> whole = Whole(best);
    std::size_t sources = 0;
    for (const Sighting* each : whole) sources += each->source.size();
    room =
        std::min({sources, limits_.changes, room - std::min(room, kHeading)});
    std::vector<const Sighting*> others;
    for (const Sighting& other : context_.history) {
      if (&other != best && other.kinship != Kinship::kMate &&
          !other.source.empty()) {
        others.push_back(&other);
      }
    }
    std::ranges::sort(others, std::greater(), [](const Sighting* other) {
      return std::pair(other->speedup ? other->speedup->ratio : 0.0, other->id);
    });
    std::map<NodeId, std::string> changes;
    for (const Sighting* other : others) {
      std::string change = ChangeTo(*other, whole);
      if (change.size() > std::min(room, limits_.change)) continue;
      room -= change.size();
      changes[other->id] = std::move(change);
    }
    std::string text;
    for (const auto& [node, change] : changes) text += change;
    if (text.empty()) return "";
    return Section("changes", {{"changes", CodeBlock(text, "diff")}});
  }

  std::string Instruction() const {
    const std::string kind = HasNoMarks() ? "_words" : "_marks";
    if (context_.role == Role::kPlan) {
      return Section("plan", {{"form", Chomped(Section("plan" + kind, {}))}});
    }
    if (IsAlone()) return Section("alone", {});
    Values plan = {{"idea", DescribePlan(context_.plan)}};
    if (context_.role == Role::kCode) {
      Values scope;
      if (!HasNoMarks()) {
        scope["source"] = Source(context_.plan->annotated_source);
      }
      plan["scope"] = Chomped(Section("code" + kind, scope));
      return Section("code", plan);
    }
    return Section("debug", {{"intent", Intent(std::move(plan))}});
  }

  // What the latest attempt was to be, and what it did with the marked source.
  std::string Intent(Values plan) const {
    if (!context_.plan) return "";
    const std::string& marked = context_.plan->annotated_source;
    const std::string change =
        UnifiedDiff({"as the planner marked it", marked},
                    {"as it is now", context_.selected.source}, kContext);
    const bool is_long =
        change.size() > std::min(marked.size(), limits_.changes);
    if (HasNoMarks() || (is_long && !IsListed())) {
      return Section("intent_words", plan);
    }
    plan["source"] = Source(marked);
    plan["change"] = CodeBlock(change, "diff");
    return Section("intent", plan);
  }

  const std::map<std::string, std::string>& texts_;
  const PromptContext& context_;
  const PromptLimits limits_;
  coppice::Language language_;
  const Sighting* best_;  // Of the history, to be shown whole; may be null.
  mutable TemplateNames used_;
};

}  // namespace

Result<PromptTemplates> PromptTemplates::Load(
    const std::filesystem::path& directory, std::string set,
    const std::filesystem::path& otherwise) {
  PromptTemplates templates;
  templates.set_ = std::move(set);
  const bool is_v1 = std::filesystem::exists(directory / "history.txt");
  for (const auto& [name, placeholders] : KnownTemplates()) {
    const std::string file_name = std::string(name) + ".txt";
    std::filesystem::path file = directory / file_name;
    if (!otherwise.empty() && !std::filesystem::exists(file)) {
      file = otherwise / file_name;
    }
    if (IsOfV1(name) && !is_v1) continue;
    std::ifstream stream(file, std::ios::binary);
    if (!stream || std::filesystem::is_directory(file)) {
      return Fail(Errc::kNotFound, file.string() + ": template missing");
    }
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    TRY_DONE(CheckPlaceholders(file, text, placeholders));
    templates.texts_.emplace(name, std::move(text));
  }
  std::error_code error;
  std::filesystem::directory_iterator files(directory, error);
  for (; !error && files != std::filesystem::directory_iterator();
       files.increment(error)) {
    const std::filesystem::path& file = files->path();
    const std::string name = file.stem();
    if (file.extension() == ".txt" &&
        (!KnownTemplates().contains(name) || (IsOfV1(name) && !is_v1))) {
      return Fail(Errc::kUsage,
                  file.string() + ": no prompt uses a template of this name");
    }
  }
  if (error) {
    return Fail(Errc::kIo, directory.string() + ": " + error.message());
  }
  return templates;
}

Prompt PromptTemplates::Render(const PromptContext& context) const {
  const bool is_v1 = texts_.contains("history");
  return Render(context, is_v1 ? kLimitsOfV1 : PromptLimits{});
}

Prompt PromptTemplates::Render(const PromptContext& context,
                               const PromptLimits& limits) const {
  const Renderer renderer(texts_, context, limits);
  Prompt prompt;
  prompt.system = renderer.System();
  prompt.user = renderer.Stable() + "\n";
  prompt.stable_bytes = prompt.user.size();
  prompt.user += renderer.Rest(prompt.system.size() + prompt.user.size());
  prompt.templates = renderer.Used();
  return prompt;
}

Prompt PromptTemplates::RenderRepair(const Prompt& asked,
                                     std::string_view answer,
                                     std::string_view fault) const {
  while (fault.ends_with('.') || fault.ends_with('\n')) fault.remove_suffix(1);
  Prompt prompt = asked;
  prompt.user +=
      "\n" +
      Fill(texts_.at("repair"),
           {{"answer", CodeBlock(CutMiddle(answer, PromptLimits{}.answer), "")},
            {"fault", std::string(fault)}});
  prompt.templates.insert("repair");
  return prompt;
}

std::string PromptTemplates::TextsOf(const TemplateNames& names) const {
  std::string texts;
  for (const std::string& name : names) {
    texts.append("==== ").append(name).append(".txt\n").append(texts_.at(name));
  }
  return texts;
}

}  // namespace coppice::agents
