#include "search/landscapes/simulation.h"

#include <algorithm>
#include <cmath>

namespace coppice::search {
namespace {

constexpr double kHardForTeam = 0.35;  // Of the penalty of one alone.
constexpr double kRepairsStubborn = 0.01;
constexpr double kRepairCompiles = -0.4;   // Logits, against new code.
constexpr double kRepairsByLeaving = 0.3;  // Added to repairs.

double Logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

double WindowTerm(const Parameters& parameters, std::int64_t relatives) {
  const auto seen = static_cast<double>(std::min(kPaperWindow, relatives));
  return parameters.window_gain * std::log1p(seen);
}

double Astray(const HintDoubt& doubt, const KeyedDraws& draws) {
  const bool is_false =
      draws.Uniform(DrawKey::kIsFalseHint) < doubt.false_share;
  return doubt.sd * draws.Normal(DrawKey::kHint) +
         (is_false ? doubt.false_mean * draws.Exponential(DrawKey::kFalseHint)
                   : 0.0);
}

double CeilingOf(CeilingLaw law, const Parameters& parameters,
                 std::uint64_t task_key) {
  return parameters.ceiling_scale *
         KeyedDraws(task_key).Gamma(DrawKey::kCeiling, law.shape, law.scale);
}

std::unique_ptr<Terrain> MakeTerrain(Family family, double ceiling,
                                     const Parameters& parameters,
                                     std::uint64_t task_key) {
  const Shape shape = {
      ceiling,        parameters.shortfall, parameters.conservative,
      parameters.gap, parameters.inherited, parameters.step};
  switch (family) {
    case Family::kHill:
      return MakeHill(shape);
    case Family::kNk:
      return MakeNk(shape, task_key);
    case Family::kLadder:
      return MakeLadder(shape, task_key);
    case Family::kWeak:
      return MakeWeak(shape);
    case Family::kDeceptive:
      return MakeDeceptive(shape);
  }
  return nullptr;
}

}  // namespace

Simulation::Simulation(Family family, int level, std::uint64_t task_key)
    : Simulation(family, CeilingsOf(level), Calibrated(family, level),
                 task_key) {}

Simulation::Simulation(Family family, CeilingLaw ceilings,
                       const Parameters& parameters, std::uint64_t task_key)
    : parameters_(parameters),
      task_key_(task_key),
      traits_(DrawTraits(
          parameters_,
          CeilingOf(ceilings, parameters_, task_key) -
              parameters_.ceiling_scale * ceilings.shape * ceilings.scale,
          task_key)),
      terrain_(MakeTerrain(family, CeilingOf(ceilings, parameters_, task_key),
                           parameters_, task_key)) {}

Simulation::Simulation(std::shared_ptr<const RecordedSpace> space,
                       RecordedMode mode, std::uint64_t task_key)
    : parameters_(ParametersOf(mode)),
      task_key_(task_key),
      traits_(DrawTraits(parameters_, 0.0, task_key)),
      terrain_(MakeRecorded(std::move(space))) {}

Simulation::Traits Simulation::DrawTraits(const Parameters& parameters,
                                          double above_mean,
                                          std::uint64_t task_key) {
  const KeyedDraws draws(task_key);
  return {
      .first_hop_shift =
          parameters.first_hop_sd * draws.Normal(DrawKey::kFirstHopShift) +
          parameters.follows * above_mean,
      .right_logit = parameters.right_sd * draws.Normal(DrawKey::kRightLogit),
      .compile_logit =
          parameters.compile_sd * draws.Normal(DrawKey::kCompileLogit),
      .is_hard = draws.Uniform(DrawKey::kHard) < parameters.hard};
}

Point Simulation::Root() const {
  Point root;
  root.key = task_key_;
  return root;
}

Point Simulation::Attempt(const Point& parent, std::int64_t earlier,
                          Workforce workforce, const Relatives& relatives,
                          const Point* mate) const {
  Point child;
  child.key = KeyedDraws(parent.key).ChildKey(earlier);
  child.depth = parent.depth + 1;
  const KeyedDraws draws(child.key);
  if (parent.verdict == Verdict::kPassed) {
    child = Work(parent, draws, child, workforce, relatives, mate);
  } else if (parent.position.at_best == Verdict::kPassed) {
    child = Repair(parent, draws, child, workforce, relatives);
  } else {
    child = Leave(parent, draws, child, workforce);
  }
  if (child.verdict == Verdict::kPassed) {
    child.measured = child.position.log_speedup +
                     parameters_.noise * draws.Normal(DrawKey::kNoise);
  }
  if (child.verdict == Verdict::kWrongOutput &&
      child.position.at_best == Verdict::kPassed) {
    child.hint = parent.hint.value_or(child.position.log_speedup +
                                      Astray(kHintDoubt, draws));
  }
  return child;
}

const Skill& Simulation::SkillOf(Workforce workforce) const {
  return workforce == Workforce::kTeam ? parameters_.team : parameters_.alone;
}

double Simulation::RightLogit(const Point& parent, Workforce workforce,
                              const Relatives& relatives) const {
  const bool is_team = workforce == Workforce::kTeam;
  const bool is_root = parent.depth == 0;
  double right = Logit(SkillOf(workforce).is_right) + traits_.right_logit;
  if (traits_.is_hard) {
    right -= parameters_.hard_penalty * (is_team ? kHardForTeam : 1.0);
  }
  right -= parameters_.brittleness * static_cast<double>(parent.depth);
  if (!is_root && workforce != Workforce::kWithoutFeedback)
    right += parameters_.feedback;
  if (!is_team) return right;
  // The plan and the code agent both see the children; the code agent, of the
  // parent's other children, theirs.  There are none beside the root.
  const std::int64_t sightings =
      is_root ? relatives.children : 2 * relatives.children + relatives.nephews;
  return right + WindowTerm(parameters_, sightings);
}

Point Simulation::Work(const Point& parent, const KeyedDraws& draws,
                       Point child, Workforce workforce,
                       const Relatives& relatives, const Point* mate) const {
  const Skill& skill = SkillOf(workforce);
  Craft craft = skill.craft;
  craft.first_hop += traits_.first_hop_shift;
  const bool has_mate =
      mate != nullptr && mate->verdict == Verdict::kPassed && mate->depth > 0;
  if (parent.depth == 0) {
    child.position = has_mate ? terrain_->Edit(mate->position, craft, draws)
                              : terrain_->Draft(craft, draws);
  } else {
    child.position = has_mate ? terrain_->Cross(parent.position, mate->position,
                                                craft, draws)
                              : terrain_->Edit(parent.position, craft, draws);
  }
  if (parent.depth > 0) {
    child.part = terrain_->ChangedPart(parent.position, child.position);
  }
  child.is_stubborn =
      draws.Uniform(DrawKey::kIsStubborn) < parameters_.stubborn;

  const double right = RightLogit(parent, workforce, relatives);
  const double compiles = Logit(skill.compiles) + traits_.compile_logit;
  child.verdict = child.position.at_best;
  if (child.verdict == Verdict::kPassed &&
      draws.Uniform(DrawKey::kIsRight) >= Logistic(right)) {
    child.verdict = Verdict::kWrongOutput;
  }
  if (draws.Uniform(DrawKey::kCompiles) >= Logistic(compiles)) {
    child.verdict = Verdict::kCompileFailed;
  }
  return child;
}

Point Simulation::Repair(const Point& parent, const KeyedDraws& draws,
                         Point child, Workforce workforce,
                         const Relatives& relatives) const {
  const Skill& skill = SkillOf(workforce);
  child.position = parent.position;
  child.part = parent.part;
  child.is_stubborn = parent.is_stubborn;
  double repairs = parent.is_stubborn ? kRepairsStubborn : skill.repairs;
  if (workforce == Workforce::kTeam) {
    repairs =
        Logistic(Logit(repairs) + WindowTerm(parameters_, relatives.siblings));
  }
  if (draws.Uniform(DrawKey::kIsRight) < repairs) {
    child.verdict = Verdict::kPassed;
    return child;
  }
  const double compiles =
      Logistic(Logit(skill.compiles) + traits_.compile_logit + kRepairCompiles);
  child.verdict = draws.Uniform(DrawKey::kCompiles) < compiles
                      ? Verdict::kWrongOutput
                      : Verdict::kCompileFailed;
  return child;
}

Point Simulation::Leave(const Point& parent, const KeyedDraws& draws,
                        Point child, Workforce workforce) const {
  child.position = terrain_->Leave(parent.position, draws);
  child.part = terrain_->ChangedPart(parent.position, child.position);
  child.verdict = child.position.at_best;
  const double right = SkillOf(workforce).repairs + kRepairsByLeaving;
  if (child.verdict == Verdict::kPassed &&
      draws.Uniform(DrawKey::kIsRight) >= right) {
    child.verdict = Verdict::kWrongOutput;
  }
  return child;
}

}  // namespace coppice::search
