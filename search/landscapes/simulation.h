// Simulated agents on a terrain: one task of a landscape, with all that could
// ever be found on it.  It is drawn from a key, and the child that an attempt
// makes is a pure function of the parent, of how many attempts came before on
// it, and of how many of its relatives pass; so policies that ask the same
// question get the same answer.
//
//   P(compiles) = logistic(logit(compiles) + task)
//   P(is right) = logistic(logit(is_right) + task - hard task - brittleness *
//                          depth + feedback on a passing parent
//                          + window_gain * ln(1 + min(5, relatives)))
//   P(repaired) = logistic(logit(repairs) + window_gain * ln(1 + min(5,
//                          passing siblings))), and 1 % if the bug is stubborn
//   measured    = true log speedup + N(0, noise^2)
//   hint        = log speedup once repaired + N(0, sd^2), and in a share of
//                 cases + Exponential: it is fast since it skips work.  It
//                 stays as it is until the bug is found.
//
// The terms of the window are a team's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "search/landscapes/calibration.h"
#include "search/landscapes/recorded_space.h"
#include "search/landscapes/terrain.h"
#include "store/records/verdict.h"

namespace coppice::search {

// How far a wrong candidate's time leads astray, in log speedup: `kHintDoubt`
// is what catalogue kernels with planted faults came to (tests/hint_study.py,
// docs/measured.md), rounded up.
struct HintDoubt {
  double sd = 0.0;
  double false_share = 0.0;  // Of those that look too fast,
  double false_mean = 0.0;   // by so much on average.
};
inline constexpr HintDoubt kHintDoubt = {
    .sd = 0.2, .false_share = 0.1, .false_mean = 0.5};

// A simulated candidate.
struct Point {
  std::uint64_t key = 0;
  std::int64_t depth = 0;
  Verdict verdict = Verdict::kPassed;
  // What its plan is worth: realised if it passes, else intended.
  Position position;
  // The part that its plan changes first, by Terrain::ChangedPart.  0: it is a
  // rewrite of the root, or has no parts.
  int part = 0;
  bool is_stubborn = false;  // No repair will find the bug, or hardly any.
  double measured = 0.0;     // Log speedup; means something if it passes.
  // Log factor; of one with wrong output, unless its configuration is invalid
  // by itself, of which nobody has recorded a time.
  std::optional<double> hint{};

  bool operator==(const Point&) const = default;
};

// What a window into the tree shows of the relatives of a selected node that
// pass: the team learns from them.  No more of each kind than a window holds
// are counted.
struct Relatives {
  std::int64_t children = 0;
  std::int64_t siblings = 0;
  // Children of its parent's other children.
  std::int64_t nephews = 0;
};

class Simulation {
 public:
  // A task of a calibrated family.
  Simulation(Family family, int level, std::uint64_t task_key);
  // The same with other parameters and ceilings.
  Simulation(Family family, CeilingLaw ceilings, const Parameters& parameters,
             std::uint64_t task_key);
  // A task over a recorded space.
  Simulation(std::shared_ptr<const RecordedSpace> space, RecordedMode mode,
             std::uint64_t task_key);

  // Its measurement is what others are compared with, so exact.
  Point Root() const;

  // `earlier`: attempts on this parent before this one.  `mate`: another one
  // that passes, to combine it with; null: none.  Where either is the root,
  // which is nowhere on a terrain, what comes of it is an edit of the other.
  Point Attempt(const Point& parent, std::int64_t earlier, Workforce workforce,
                const Relatives& relatives, const Point* mate = nullptr) const;

 private:
  struct Traits {  // Of the task, beside its shape.
    double first_hop_shift = 0.0;
    double right_logit = 0.0;
    double compile_logit = 0.0;
    bool is_hard = false;
  };
  // `above_mean`: of the task's ceiling.
  static Traits DrawTraits(const Parameters& parameters, double above_mean,
                           std::uint64_t task_key);

  const Skill& SkillOf(Workforce workforce) const;
  double RightLogit(const Point& parent, Workforce workforce,
                    const Relatives& relatives) const;
  Point Work(const Point& parent, const KeyedDraws& draws, Point child,
             Workforce workforce, const Relatives& relatives,
             const Point* mate) const;
  Point Repair(const Point& parent, const KeyedDraws& draws, Point child,
               Workforce workforce, const Relatives& relatives) const;
  // What fails by its configuration.
  Point Leave(const Point& parent, const KeyedDraws& draws, Point child,
              Workforce workforce) const;

  const Parameters parameters_;
  const std::uint64_t task_key_;
  const Traits traits_;
  std::unique_ptr<Terrain> terrain_;
};

}  // namespace coppice::search
