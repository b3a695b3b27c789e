#include "eval/torch/jit_compile.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "eval/host/wakefulness.h"
#include "eval/judge/call_channel.h"
#include "eval/judge/evaluation_session.h"
#include "eval/torch/bench.h"
#include "eval/torch/kernel_worker.h"
#include "eval/torch/trusted_preload.h"
#include "store/records/candidate.h"
#include "store/records/io_error.h"

namespace coppice::eval::torch {
namespace {

namespace fs = std::filesystem;

constexpr int kMostBuiltFiles = 20'000;  // Folders, too.

// A candidate that makes its own file unreadable does without it, or one of a
// name too long to be written.
Result<void> CopyFile(const fs::path& from, const fs::path& to) {
  std::ifstream source(from, std::ios::binary);
  if (!source) return {};
  errno = 0;
  std::ofstream copy(to, std::ios::binary);
  if (!copy && errno == ENAMETOOLONG) return {};
  if (source.peek() != std::ifstream::traits_type::eof()) {
    copy << source.rdbuf();
  }
  copy.close();
  if (copy) return {};
  return Fail(IoErrc(errno), to.string() + ": " + std::strerror(errno));
}

void ExplainBuild(Reaction& reaction, const KernelWorker& builder) {
  if (reaction.verdict == Verdict::kTimedOut) {
    reaction.log += "; --compile-timeout-s allows more";
  }
  reaction.log += Quote(builder.Output());
}

}  // namespace

bool NeedsBuilding(const std::string& source) {
  return ToolsOf(source, "cuda").Any() ||
         source.find("_compile_kernel") != std::string::npos;
}

namespace {

// Builds on the case at hand.
Result<Reaction> BuildHere(KernelWorker& builder, TorchBench& bench,
                           const Candidate& candidate) {
  Construction construction = bench.construction();
  construction.entry = candidate.entry_symbol;
  TRY_DONE(bench.Join(builder));
  TRY(prepared, builder.Prepare(candidate.source, construction, nullptr));
  if (prepared.verdict == Verdict::kCrashed) {
    prepared.verdict = Verdict::kCompileFailed;
  }
  if (prepared.verdict != Verdict::kPassed) return prepared;
  // It has seen these before it is judged; unless seeds are public, it is not
  // judged by them.
  const Wakefulness awake(bench.ToKeepAwake());
  TRY_DONE(bench.Fill(bench.AnySeed(), CallCount::kFew));
  return bench.Call(builder, WorkerRequestKind::kCall, bench.NextSeed());
}

}  // namespace

Result<Reaction> Build(KernelWorker& builder, TorchBench& bench,
                       const Candidate& candidate) {
  Reaction built;
  for (std::size_t i = 0; i < bench.cases().size(); ++i) {
    if (i > 0) {
      TRY_ASSIGN(built, builder.Part());
      if (built.verdict != Verdict::kPassed) break;
    }
    TRY_DONE(bench.TurnTo(i));
    TRY_ASSIGN(built, BuildHere(builder, bench, candidate));
    if (built.verdict != Verdict::kPassed) break;
  }
  if (built.verdict != Verdict::kPassed) ExplainBuild(built, builder);
  return built;
}

Result<bool> CopyBuilt(const fs::path& from, const fs::path& to) {
  std::uintmax_t bytes = 0;
  int files = 0;
  std::error_code error;
  // Does not follow links; what cannot be looked into is left out.
  fs::recursive_directory_iterator entry(
      from, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator();
       entry.increment(error)) {
    if (++files > kMostBuiltFiles) return false;
    std::error_code ignored;
    const fs::file_status status = entry->symlink_status(ignored);
    const fs::path made = to / entry->path().lexically_relative(from);
    if (fs::is_directory(status)) {
      fs::create_directory(made, ignored);
      // Too deep for a name from here: a builder's is shorter.
      if (ignored) entry.disable_recursion_pending();
    }
    if (!fs::is_regular_file(status)) continue;
    bytes += entry->file_size(ignored);
    if (bytes > kMostBuiltBytes) return false;
    TRY_DONE(CopyFile(entry->path(), made));
  }
  return true;
}

}  // namespace coppice::eval::torch
