#include "eval/python/building.h"

#include <algorithm>
#include <array>

#include "eval/python/contestant.h"
#include "eval/sitting.h"

namespace coppice::eval::python {
namespace {

void ExplainBuild(Reaction& reaction, const Contestant& builder) {
  if (reaction.verdict == Verdict::kTimedOut) {
    reaction.log += "; --compile-timeout-s allows more";
  }
  reaction.log += Quote(builder.Output());
}

}  // namespace

bool NeedsBuilding(const std::string& source) {
  constexpr std::array kWords = {"triton", "torch.compile", "_compile_kernel"};
  return std::ranges::any_of(kWords, [&](const char* word) {
    return source.find(word) != std::string::npos;
  });
}

Result<Reaction> Build(Contestant& builder, Bench& bench,
                       const Candidate& candidate) {
  Construction construction = bench.construction();
  construction.entry = candidate.entry_symbol;
  TRY_DONE(bench.Join(builder));
  TRY(prepared, builder.Prepare(candidate.source, construction, nullptr));
  if (prepared.verdict == Verdict::kCrashed) {
    prepared.verdict = Verdict::kCompileFailed;
  }
  if (prepared.verdict != Verdict::kPassed) {
    ExplainBuild(prepared, builder);
    return prepared;
  }
  // It has seen these before it is judged; it is not judged by them.
  TRY_DONE(bench.Fill(bench.NextSeed()));
  TRY(called, bench.Call(builder, RequestKind::kCall, bench.NextSeed()));
  if (called.verdict != Verdict::kPassed) ExplainBuild(called, builder);
  return called;
}

}  // namespace coppice::eval::python
