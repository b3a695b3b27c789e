#include "store/records/behaviour.h"

#include <algorithm>
#include <string>

#include "store/records/evaluation.h"
#include "store/records/profile.h"
#include "store/records/technique.h"

namespace coppice {
namespace {

struct Word {
  std::string_view part;  // Of a technique's name, in small letters.
  TechniqueFamily family;
};

// In the order in which they are looked for: "parallel tiles" is parallel.
constexpr Word kWords[] = {
    {"precision", TechniqueFamily::kPrecision},
    {"bf16", TechniqueFamily::kPrecision},
    {"bfloat", TechniqueFamily::kPrecision},
    {"fp16", TechniqueFamily::kPrecision},
    {"tf32", TechniqueFamily::kPrecision},
    {"quanti", TechniqueFamily::kPrecision},
    {"byte_product", TechniqueFamily::kPrecision},
    {"fuse", TechniqueFamily::kFusion},
    {"fusion", TechniqueFamily::kFusion},
    {"online", TechniqueFamily::kFusion},
    {"one pass", TechniqueFamily::kFusion},
    {"single pass", TechniqueFamily::kFusion},
    {"vector", TechniqueFamily::kVectors},
    {"simd", TechniqueFamily::kVectors},
    {"avx", TechniqueFamily::kVectors},
    {"lanes", TechniqueFamily::kVectors},
    {"mma", TechniqueFamily::kVectors},
    {"tensor core", TechniqueFamily::kVectors},
    {"alternate", TechniqueFamily::kVectors},
    {"parallel", TechniqueFamily::kParallel},
    {"thread", TechniqueFamily::kParallel},
    {"openmp", TechniqueFamily::kParallel},
    {"split", TechniqueFamily::kParallel},
    {"warp", TechniqueFamily::kParallel},
    {"grid", TechniqueFamily::kParallel},
    {"occupancy", TechniqueFamily::kParallel},
    {"launch", TechniqueFamily::kParallel},
    {"coarsen", TechniqueFamily::kParallel},
    {"pack", TechniqueFamily::kMemory},
    {"pad", TechniqueFamily::kMemory},
    {"layout", TechniqueFamily::kMemory},
    {"prefetch", TechniqueFamily::kMemory},
    {"hoist", TechniqueFamily::kMemory},
    {"cache", TechniqueFamily::kMemory},
    {"shared", TechniqueFamily::kMemory},
    {"stage", TechniqueFamily::kMemory},
    {"staging", TechniqueFamily::kMemory},
    {"buffer", TechniqueFamily::kMemory},
    {"coalesc", TechniqueFamily::kMemory},
    {"transpos", TechniqueFamily::kMemory},
    {"stream", TechniqueFamily::kMemory},
    {"in_place", TechniqueFamily::kMemory},
    {"privati", TechniqueFamily::kMemory},
    {"scratch", TechniqueFamily::kMemory},
    {"interchange", TechniqueFamily::kLoops},
    {"reorder", TechniqueFamily::kLoops},
    {"tile", TechniqueFamily::kLoops},
    {"tiling", TechniqueFamily::kLoops},
    {"block", TechniqueFamily::kLoops},
    {"jam", TechniqueFamily::kLoops},
    {"unroll", TechniqueFamily::kLoops},
    {"loop", TechniqueFamily::kLoops},
    {"strip", TechniqueFamily::kLoops},
    {"chain", TechniqueFamily::kLoops},
    {"accumul", TechniqueFamily::kLoops},
    {"algorithm", TechniqueFamily::kAlgorithm},
    {"rewrite", TechniqueFamily::kAlgorithm},
    {"math", TechniqueFamily::kAlgorithm},
    {"approxim", TechniqueFamily::kAlgorithm},
    {"tabulate", TechniqueFamily::kAlgorithm},
    {"popcount", TechniqueFamily::kAlgorithm},
    {"winograd", TechniqueFamily::kAlgorithm},
    {"strassen", TechniqueFamily::kAlgorithm},
};

std::string Small(std::string_view text) {
  std::string small(text);
  for (char& c : small) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return small;
}

}  // namespace

Limit LimitOf(const Evaluation& evaluation) {
  if (evaluation.verdict != Verdict::kPassed) return Limit::kUnknown;
  const Profile* longest = nullptr;
  for (const WorkloadResult& workload : evaluation.workloads) {
    if (!workload.profile) continue;
    const Profile& profile = *workload.profile;
    if (longest == nullptr || profile.runtime_s > longest->runtime_s) {
      longest = &profile;
    }
  }
  if (longest == nullptr || FloorSeconds(*longest) <= 0.0) {
    return Limit::kUnknown;
  }
  if (IsFarBelowRooflines(*longest)) return Limit::kLatency;
  return BottleneckOf(*longest) == Bottleneck::kMemory ? Limit::kMemory
                                                       : Limit::kCompute;
}

TechniqueFamily FamilyOf(std::string_view label) {
  for (const Technique& technique : TechniquesOf(label)) {
    const std::string name = Small(technique.name);
    const auto* const word = std::ranges::find_if(
        kWords, [&](const Word& w) { return name.find(w.part) != name.npos; });
    if (word != std::end(kWords)) return word->family;
  }
  return TechniqueFamily::kOther;
}

TechniqueFamily FamilyOfPart(int part) {
  if (part <= 0) return TechniqueFamily::kOther;
  constexpr int kNamed = static_cast<int>(kTechniqueFamilyNames.size()) - 1;
  return static_cast<TechniqueFamily>(1 + (part - 1) % kNamed);
}

}  // namespace coppice
