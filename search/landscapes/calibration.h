// The parameters of the calibrated families: what one must assume of agents and
// tasks so that sampling, Reflexion and STARK come out as in STARK's tables 1
// to 3 (B = 30 attempts).  docs/landscapes.md shows how close they come.
//
// Found by the cross-entropy method (Rubinstein 1999) on 350 campaigns a trial,
// for each family and level alone, and given to four digits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "search/landscapes/terrain.h"

namespace coppice::search {

enum class Family : std::uint8_t { kHill, kNk, kLadder, kWeak, kDeceptive };
inline constexpr std::array<std::string_view, 5> kFamilyNames = {
    "hill", "nk", "ladder", "weak", "deceptive"};
inline constexpr int kLevels = 3;  // 1 to 3, as KernelBench has them.

std::string_view Name(Family family);
std::optional<Family> ParseFamily(std::string_view name);

// Who works on the source.
enum class Workforce : std::uint8_t {
  // One agent that is told nothing of what became of a source.  From the root
  // it does as `alone` does.
  kWithoutFeedback,
  kAlone,  // One agent, with feedback.
  kTeam,   // Plan, code and debug agents with windows into the tree.
};

// Probabilities, before what a task, a lineage and a window change in them.
struct Skill {
  double compiles = 0.0;
  double is_right = 0.0;  // Of what compiles.
  double repairs = 0.0;   // A bug that can be repaired at all, by one attempt.
  Craft craft;
};

struct Parameters {
  Skill alone;
  Skill team;
  // The ceilings of tasks are this times Gamma draws of the level, which are
  // fitted to ln(speedup) of CUDA-L1's published A100 kernels.
  double ceiling_scale = 1.0;
  double first_hop_sd = 0.0;  // Between tasks, of Craft::first_hop.
  double shortfall = 0.0;     // These three: see Shape.
  double conservative = 0.0;
  double gap = 0.0;
  double hard = 0.0;          // Share of tasks that are hard, and
  double hard_penalty = 0.0;  // what that takes from an agent alone, in logits.
  double right_sd = 0.0;      // Between tasks, of being right, in logits.
  double stubborn = 0.0;      // Share of bugs that no repair finds.
  double brittleness = 0.0;   // Logits of being right lost with every level.
  // Logits a team gains per e-fold of the passing relatives it is shown, by
  // ln(1 + min(5, relatives)).
  double window_gain = 0.3;
  // The calibrated families have these in common.
  double feedback = 0.8;    // Logits of being right, from code that works.
  double compile_sd = 0.5;  // Between tasks, of compiling, in logits.
  double noise = 0.02;      // Standard deviation of a measured log speedup.
  // How far Craft::first_hop of a task rises with its ceiling above the mean.
  double follows = 0.0;
  double inherited = 0.75;  // These two: see Shape.
  double step = 0.35;
};

double Logit(double p);

// REQUIRES: level is 1 to kLevels.
const Parameters& Calibrated(Family family, int level);

// Shape and scale of the Gamma distribution of a level's ln(speedup).
struct CeilingLaw {
  double shape;
  double scale;
};
CeilingLaw CeilingsOf(int level);

// All numbers that a family has on a level, as text: with other numbers its
// seeds draw other tasks.
std::string DefinitionOf(Family family, int level);

inline constexpr std::int64_t kPaperWindow = 5;  // Nodes of a window.

}  // namespace coppice::search
