#include "engine/own/task_trial.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "eval/admission.h"
#include "eval/judge/same_task.h"
#include "eval/sandbox/compiler.h"
#include "store/records/candidate.h"
#include "store/records/evaluation.h"
#include "store/records/joined.h"
#include "store/records/tier.h"

namespace coppice::engine::own {
namespace {

// Seconds that a call of the root takes.
constexpr double kLeastCall = 0.001;
constexpr double kWantedCall = 0.0025;
constexpr double kMostCall = 0.010;
constexpr double kMostBytes = 4 << 20;
constexpr int kSizings = 6;
constexpr int kMends = 20;
// The root may use this part of the error that is allowed.
constexpr double kMostOfTolerance = 0.5;
constexpr double kMostTolerance = 4096.0;

// The compiler's first error alone, where there is one: it says many lines of
// a draft that nobody has seen.
std::string WithFirstComplaint(const std::string& what) {
  constexpr std::string_view kBefore = "does not compile: ";
  constexpr std::string_view kError = " error: ";
  const std::string complaint = eval::FirstComplaint(what);
  if (complaint.empty()) return what;
  const std::size_t before = what.find(kBefore);
  return (before == what.npos ? "" : what.substr(0, before + kBefore.size())) +
         complaint.substr(complaint.find(kError) + kError.size());
}

class Trial {
 public:
  Trial(eval::Evaluator& evaluator, const std::vector<Piece>& pieces,
        Reading reading, const Wishes& wishes, Drafting drafting,
        const Say& say)
      : evaluator_(evaluator),
        pieces_(pieces),
        wishes_(wishes),
        drafting_(std::move(drafting)),
        say_(say) {
    tried_.reading = std::move(reading);
    for (const auto& [name, sizes] : wishes.all_sizes) {
      const std::string list = coppice::Joined(
          sizes, ", ", [](std::int64_t size) { return std::to_string(size); });
      drafting_.constraints.push_back(name + " in (" + list + ")");
    }
  }

  Result<TrialResult> Run() {
    TRY(sizes, FindSizes());
    TRY(three, ThreeWorkloads(tried_.reading, wishes_, drafting_.name, sizes));
    say_("judging the function on three shapes, and on shapes between them");
    TRY(evaluation, Judge(three, Tier::kFull));
    tried_.root_s = evaluation.root_runtime_s.value_or(0.0);
    for (const WorkloadResult& result : evaluation.workloads) {
      tried_.worst_error_ratio =
          std::max(tried_.worst_error_ratio, result.worst_error_ratio);
    }
    TRY_DONE(JudgeNulls());
    if (!tried_.why_unfit.empty() && HalveReturned()) return Run();
    return std::move(tried_);
  }

 private:
  tl::unexpected<Error> Refuse(const std::string& what) const {
    return Fail(Errc::kUsage, tried_.reading.name + ": " + what);
  }

  // At which a call takes long enough, and inputs are not too large.
  Result<AxisSizes> FindSizes() {
    double scale = 1.0;
    double power = std::max(1, tried_.reading.depth);
    std::optional<std::pair<double, double>> before;
    for (int i = 0;; ++i) {
      const AxisSizes sizes = FirstSizes(tried_.reading, wishes_, scale);
      TRY(workload, WorkloadOf(tried_.reading, drafting_.name, sizes));
      const double bytes = BytesOf(tried_.reading, workload);
      say_("timing the function, with inputs of " +
           std::to_string(static_cast<int>(bytes / 1024)) + " KiB");
      TRY(evaluation, Judge({workload}, Tier::kFast));
      const double call_s = evaluation.root_runtime_s.value_or(kWantedCall);
      const bool fits = call_s <= kMostCall &&
                        (call_s >= kLeastCall || bytes > kMostBytes / 2);
      if (fits || i + 1 == kSizings || sizes == before_sizes_) return sizes;
      before_sizes_ = sizes;
      if (before && before->first != scale && call_s != before->second) {
        power = std::clamp(
            std::log(call_s / before->second) / std::log(scale / before->first),
            0.5, 4.0);
      }
      before = {scale, call_s};
      double next = scale * std::pow(kWantedCall / call_s, 1.0 / power);
      next = std::clamp(next, scale / 16.0, scale * 16.0);
      // Bytes grow with at most as many axes as there are loops.
      const double room = std::pow(kMostBytes / bytes, 0.5);
      if (next > scale) next = std::min(next, scale * std::max(room, 1.0));
      if (next == scale) return sizes;
      scale = next;
    }
  }

  // The root as a candidate, mended until it passes.
  Result<Evaluation> Judge(const std::vector<Workload>& workloads, Tier tier) {
    for (int mend = 0; mend < kMends; ++mend) {
      TRY(task, DraftTask(pieces_, tried_.reading, drafting_));
      task.workloads = workloads;
      // Arrays that are found to be updated have an input, too.
      for (Workload& workload : task.workloads) {
        TRY_ASSIGN(workload, WithInputsOf(workload));
      }
      auto evaluation = evaluator_.Evaluate(
          task, {Language::kCpp, eval::SourceOf(task.root), "run"}, tier);
      if (!evaluation) {
        if (evaluation.error().code != Errc::kUsage) return evaluation;
        if (!MendText(evaluation.error().what)) {
          return Refuse("no task as it is: " +
                        WithFirstComplaint(evaluation.error().what) +
                        SaidSizes(evaluation.error().what, task));
        }
        continue;
      }
      if (evaluation->verdict == Verdict::kPassed) {
        if (!IsComfortable(*evaluation)) continue;
        tried_.task = std::move(task);
        return evaluation;
      }
      if (!Repair(*evaluation)) {
        return Refuse("judged against itself in wider numbers it is " +
                      std::string(Name(evaluation->verdict)) +
                      HintOf(*evaluation) + ": " +
                      WithFirstComplaint(evaluation->log) +
                      SaidSizes(evaluation->log, task));
      }
    }
    return Refuse("judged against itself in wider numbers it keeps failing");
  }

  Result<Workload> WithInputsOf(const Workload& workload) const {
    AxisSizes sizes(workload.axes.begin(), workload.axes.end());
    TRY(made, WorkloadOf(tried_.reading, drafting_.name, sizes));
    made.uuid = workload.uuid;
    return made;
  }

  bool IsComfortable(const Evaluation& evaluation) {
    double worst = 0.0;
    for (const WorkloadResult& result : evaluation.workloads) {
      worst = std::max(worst, result.worst_error_ratio);
    }
    if (worst <= kMostOfTolerance) return true;
    return !Loosen(worst);
  }

  bool Loosen(double ratio) {
    const double factor =
        std::exp2(std::ceil(std::log2(drafting_.tolerance * ratio / 0.4)));
    if (!(factor <= kMostTolerance)) return false;
    drafting_.tolerance = factor;
    Note("roundings that are not independent are allowed for: tolerance " +
         std::to_string(static_cast<int>(factor)));
    return true;
  }

  bool MendText(const std::string& what) {
    if (what.find("_root") == std::string::npos ||
        drafting_.sizes == SizeTypes::kOfFunction) {
      return false;
    }
    drafting_.sizes = SizeTypes::kOfFunction;
    return true;
  }

  // Says whether there is something to try again.
  bool Repair(const Evaluation& evaluation) {
    const std::string& log = evaluation.log;
    if (evaluation.verdict == Verdict::kCompileFailed) return MendText("_root");
    if (evaluation.verdict != Verdict::kWrongOutput) return false;
    if (MendPart(log)) return true;
    constexpr std::string_view kInputs = "on inputs ";
    if (const std::size_t at = log.find(kInputs); at != std::string::npos) {
      const std::size_t from = at + kInputs.size();
      const std::string name = log.substr(from, log.find(':', from) - from);
      const auto& without = drafting_.without;
      if (std::ranges::find(without, name) != without.end()) return false;
      drafting_.without.push_back(name);
      Note("it is not held to inputs \"" + name +
           "\": there its own numbers are wrong");
      return true;
    }
    double worst = 0.0;
    for (const WorkloadResult& result : evaluation.workloads) {
      if (result.verdict != Verdict::kWrongOutput) continue;
      worst = std::max(worst, result.worst_error_ratio);
    }
    return std::isfinite(worst) && worst > 1.0 && Loosen(worst);
  }

  // A size that somebody said and that is too small is the likely cause of an
  // access beyond an array.
  std::string SaidSizes(const std::string& log, const Task& task) const {
    if (log.find("SIGSEGV") == std::string::npos) return "";
    const Workload* met = &task.workloads.front();
    for (const Workload& workload : task.workloads) {
      if (log.find(workload.uuid + ":") != std::string::npos) met = &workload;
    }
    std::string said;
    for (const Argument& argument : tried_.reading.arguments) {
      const auto wish = wishes_.shapes.find(argument.name);
      if (wish == wishes_.shapes.end()) continue;
      said += (said.empty() ? "; " : ", ") + argument.name + " had " +
              std::to_string(ElementsOf(tried_.reading, argument, *met)) +
              " elements by --shape " + argument.name + "=" +
              coppice::Joined(wish->second, ",");
    }
    if (!said.empty()) said += ": are those too few?";
    for (const Argument& argument : tried_.reading.arguments) {
      if (argument.picks_along.empty()) continue;
      said += "; elements of " + argument.name +
              " are in subscripts; perhaps --input " + argument.name +
              "=index:" + argument.picks_along;
    }
    return said;
  }

  static std::string HintOf(const Evaluation& evaluation) {
    if (evaluation.log.find("integer overflow") != std::string::npos) {
      return " (say smaller integers with --input ARRAY=integers:0..99)";
    }
    if (evaluation.verdict == Verdict::kCrashed) {
      return " (is each size right that was read? --shape says one)";
    }
    return "";
  }

  // A result that is not written as a whole, or not before it is read.
  bool MendPart(const std::string& log) {
    const bool is_on_plain = log.find("on inputs ") == std::string::npos;
    const bool is_unwritten = log.find("never written") != std::string::npos;
    if (!is_on_plain && !is_unwritten) return false;
    std::vector<Argument*> results;
    for (Argument& argument : tried_.reading.arguments) {
      if (argument.part != ArgumentRole::kResult || argument.shape.empty())
        continue;
      const bool is_named =
          log.find("output " + argument.name + "[") != std::string::npos;
      if (is_named) results = {&argument};
      if (is_named) break;
      results.push_back(&argument);  // The wrong one may be made of it.
    }
    for (Argument* result : results) {
      result->part = ArgumentRole::kInPlace;
      result->part_how = "tried: not all of it is written";
    }
    return !results.empty();
  }

  // A checksum that is returned in 64 bits uses 32: nothing is in its second
  // half, so a kernel that leaves that out is right.
  bool HalveReturned() {
    Argument& last = tried_.reading.arguments.back();
    if (tried_.reading.returns.empty() || !last.is_pair ||
        last.dtype != DType::kUInt32) {
      return false;
    }
    last.is_pair = false;
    last.dtype = DType::kInt64;
    last.shape.clear();
    tried_.why_unfit.clear();
    Note("what is returned is taken to be below 2^53");
    return true;
  }

  // The last word of several on one matter.
  void Note(std::string note) {
    const std::string matter = note.substr(0, note.find(':'));
    std::erase_if(tried_.notes, [&](const std::string& known) {
      return known == note ||
             (matter.size() < note.size() && known.starts_with(matter + ":") &&
              matter.starts_with("roundings"));
    });
    tried_.notes.push_back(std::move(note));
  }

  // Judges by the rule of `task check`.
  Result<void> JudgeNulls() {
    say_("judging kernels that must fail");
    TRY(findings, eval::ExamineNulls(evaluator_, tried_.task));
    std::set<std::string> failing;
    for (const eval::Finding& finding : findings) {
      if (finding.found != Verdict::kPassed) failing.insert(finding.candidate);
      if (finding.Good() || !tried_.why_unfit.empty()) continue;
      if (finding.Condemns()) {
        tried_.why_unfit = finding.candidate + " passes on " +
                           finding.workload + WhatToDo(finding);
      } else {
        Note("the kernel that must fail \"" + finding.candidate + "\" is " +
             std::string(Name(finding.found)) + ", which tells nothing");
      }
    }
    tried_.nulls = static_cast<int>(failing.size());
    return {};
  }

  // Where signs differ, the bound of a long sum is wide beside what it is.
  static std::string WhatToDo(const eval::Finding& finding) {
    if (!finding.candidate.starts_with("rounded to ")) return "";
    return ", since its sums are long and of both signs; say --input "
           "ARRAY=positive, or a smaller --size";
  }

  eval::Evaluator& evaluator_;
  const std::vector<Piece>& pieces_;
  const Wishes& wishes_;
  Drafting drafting_;
  const Say& say_;
  TrialResult tried_;
  AxisSizes before_sizes_;
};

}  // namespace

Result<TrialResult> TryOut(eval::Evaluator& evaluator,
                           const std::vector<Piece>& pieces, Reading reading,
                           const Wishes& wishes, Drafting drafting,
                           const Say& say) {
  return Trial(evaluator, pieces, std::move(reading), wishes,
               std::move(drafting), say)
      .Run();
}

}  // namespace coppice::engine::own
