// Whatever technique applies to a kernel of a textbook leaves it computing
// what it did.  Both are compiled and run, next to elements that are none of
// theirs.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/catalogue/agent/catalogue.h"
#include "agents/catalogue/kernel.h"
#include "agents/catalogue/rewriting.h"
#include "agents/catalogue/textbook_kernels.h"

namespace coppice::agents::catalogue {
namespace {

// One of `of` names, by a hash of it (FNV-1a); all with COPPICE_TEST_WHOLE=1.
bool IsTried(std::string_view name, std::uint64_t of) {
  const char* whole = std::getenv("COPPICE_TEST_WHOLE");
  if (whole != nullptr && std::string_view(whole) == "1") return true;
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return hash % of == 0;
}

using Sizes = std::array<std::int64_t, 3>;  // M, N, K.

// Less than a strip, a strip and some more, and no multiples of each other.
constexpr std::array<Sizes, 5> kSizes = {Sizes{2, 5, 1}, Sizes{3, 4, 2},
                                         Sizes{5, 33, 7}, Sizes{17, 19, 35},
                                         Sizes{8, 64, 32}};

// Elements between others that nobody may use: NaN shows if it is read, and
// is missed if it is written.
class Fenced {
 public:
  Fenced(std::int64_t count, unsigned seed) : count_(count) {
    std::mt19937 engine(seed);
    all_.assign(static_cast<std::size_t>(count + 3 * kFence),
                std::numeric_limits<float>::quiet_NaN());
    // Aligned to 64 bytes, as the evaluator's are.
    void* first = all_.data() + kFence;
    std::size_t room = all_.size() * sizeof(float);
    first_ = static_cast<float*>(std::align(64, sizeof(float), first, room));
    for (std::int64_t i = 0; i < count; ++i) {
      data()[i] = static_cast<float>(engine() % 2001) / 1000.0f - 1.0f;
    }
  }

  float* data() { return first_; }

  bool FenceStands() {
    for (std::int64_t i = 1; i <= kFence; ++i) {
      if (!std::isnan(data()[-i]) || !std::isnan(data()[count_ + i - 1])) {
        return false;
      }
    }
    return true;
  }

 private:
  static constexpr std::int64_t kFence = 512;

  std::int64_t count_;
  std::vector<float> all_;
  float* first_ = nullptr;
};

bool Alike(float one, float other) {
  if (std::isnan(one) || std::isnan(other)) {
    return std::isnan(one) && std::isnan(other);
  }
  return one == other || std::abs(one - other) <= 2e-4f * (1 + std::abs(one));
}

// Does the second kernel compute what the first does?  Says on which size it
// does not, by its number; -1 if it does on all.
int FirstDifference(const KernelLibrary& library, std::size_t first,
                    std::size_t second) {
  for (std::size_t n = 0; n < kSizes.size(); ++n) {
    const auto& [M, N, K] = kSizes[n];
    Fenced a(M * K, 1), b(N * K, 2), expected(M * N, 3), actual(M * N, 3);
    library.Run(first, static_cast<const float*>(a.data()),
                static_cast<const float*>(b.data()), expected.data(), M, N, K);
    if (!library.Run(second, static_cast<const float*>(a.data()),
                     static_cast<const float*>(b.data()), actual.data(), M, N,
                     K)) {
      return static_cast<int>(n);
    }
    bool same = actual.FenceStands() && expected.FenceStands();
    for (std::int64_t i = 0; i < M * N; ++i) {
      same = same && Alike(expected.data()[i], actual.data()[i]);
    }
    if (!same) return static_cast<int>(n);
  }
  return -1;
}

// The same in a process of its own, which may crash or hang.
std::string WhyNotAlike(const KernelLibrary& library, std::size_t first,
                        std::size_t second) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(FirstDifference(library, first, second) + 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    return "dies of signal " + std::to_string(WTERMSIG(status));
  }
  const int difference = WEXITSTATUS(status) - 1;
  if (difference < 0) return "";
  const auto& [M, N, K] = kSizes.at(static_cast<std::size_t>(difference));
  return "differs for " + std::to_string(M) + " x " + std::to_string(N) +
         " x " + std::to_string(K);
}

// Every technique on every loop.  Widths divide none of the sizes but 8, 64
// and 32, so that most leave a rest.
std::vector<std::string> LabelsFor(const Kernel& kernel) {
  std::vector<std::string> labels = {
      "restrict()",       "pad()",     "math(exp)",
      "math(tanh)",       "math(pow)", "pad(a)",
      "parallel(*)",      "simd(*)",   "hoist(*)",
      "accumulate(*, 8)", "scan(*)"};
  std::set<std::string> loops;
  VisitStmts(kernel.body, [&](const Stmt& stmt) {
    if (stmt.kind == StmtKind::kFor) loops.insert(stmt.name);
    if (stmt.kind == StmtKind::kDecl && !stmt.dims.empty()) {
      labels.push_back("network(" + stmt.name + ")");
    }
  });
  for (const std::string& v : loops) {
    for (const char* rest : {"accumulate(V, 8)",
                             "accumulate(V, 2)",
                             "alternate(V)",
                             "block(V, 3)",
                             "fission(V)",
                             "fuse(V)",
                             "hoist(V)",
                             "interior(V)",
                             "jam(V, 4)",
                             "jam(V, 4, scalar)",
                             "jam(V, 4, overlap)",
                             "lanes(V, 16, staged)",
                             "lanes(V, 16)",
                             "lanes(V, 4)",
                             "pack(a, V)",
                             "pack(b, V)",
                             "parallel(V)",
                             "parallel(V, collapse)",
                             "privatize(V, 1)",
                             "privatize(V, 3)",
                             "privatize(V, 2, threads)",
                             "promote(V)",
                             "register_block(V, 6, 32)",
                             "register_block(V, 8, 8)",
                             "rowwise(V, 16)",
                             "scan(V)",
                             "separate(V)",
                             "simd(V)",
                             "slide(V)",
                             "tabulate(V)",
                             "unroll(V)",
                             "jam(V, 4) + parallel(V)",
                             "block(V, 5) + jam(V, 3, scalar)",
                             "hoist(V) + accumulate(V, 4)",
                             "unroll(V) + hoist(*)",
                             "interior(V) + parallel(V)"}) {
      std::string label = rest;
      for (auto at = label.find('V'); at != label.npos; at = label.find('V')) {
        label.replace(at, 1, v);
      }
      labels.push_back(label);
    }
    for (const std::string& w : loops) {
      if (v == w) continue;
      const std::string both = v + ", " + w;
      labels.push_back("interchange(" + both + ")");
      labels.push_back("tile(" + both + ", 3, 5)");
      labels.push_back("wavefront(" + both + ")");
      labels.push_back("jam(" + v + ", 4) + jam(" + w + ", 2, scalar)");
      labels.push_back("jam(" + v + ", 4, overlap) + jam(" + w +
                       ", 3, overlap)");
      labels.push_back("accumulate(" + v + ", 4) + jam(" + w + ", 4)");
      labels.push_back("block(" + v + ", 4) + interchange(" + w + ", " + v +
                       "_block)");
    }
  }
  return labels;
}

// "jam(j, 4)" and "simd(j)" of "jam(j, 4); simd(j)".
std::vector<std::string> Parts(std::string_view labels) {
  std::vector<std::string> parts;
  while (!labels.empty()) {
    const std::size_t end = labels.find("; ");
    parts.emplace_back(labels.substr(0, end));
    labels.remove_prefix(std::min(labels.size(), parts.back().size() + 2));
  }
  return parts;
}

struct Variant {
  std::size_t kernel;
  std::string label;
  std::string source;
};

void ExpectAlike(const std::vector<TextbookKernel>& kernels,
                 const std::vector<Variant>& all) {
  // Threads that spin for the next of many short loops would take for ever.
  setenv("OMP_WAIT_POLICY", "passive", 1);
  constexpr std::size_t kBatch = 100;  // Which the compiler still takes.
  EXPECT_GT(all.size(), kBatch / 2);
  for (std::size_t at = 0; at < all.size(); at += kBatch) {
    const std::size_t end = std::min(at + kBatch, all.size());
    std::vector<std::string> sources;
    for (const TextbookKernel& kernel : kernels) {
      sources.push_back(kernel.source);
    }
    for (std::size_t v = at; v < end; ++v) sources.push_back(all[v].source);
    const KernelLibrary library(sources);
    for (std::size_t v = at; v < end; ++v) {
      EXPECT_EQ(WhyNotAlike(library, all[v].kernel, kernels.size() + v - at),
                "")
          << kernels[all[v].kernel].name << ": " << all[v].label << "\n"
          << all[v].source;
    }
  }
}

TEST(TextbookTest, WhateverAppliesComputesTheSame) {
  const std::vector<TextbookKernel> kernels = TextbookKernels();
  const Setting setting{2, {}, {}};
  std::vector<Variant> variants;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const auto kernel = ParseKernel(kernels[k].source);
    ASSERT_TRUE(kernel) << kernels[k].name;
    std::set<std::string> known;
    std::vector<std::string> labels = Parts(kernels[k].tried);
    for (std::string& label : LabelsFor(*kernel)) {
      if (IsTried(kernels[k].name + label, 24)) {
        labels.push_back(std::move(label));
      }
    }
    for (const std::string& label : labels) {
      std::string made = RewriteFile(kernels[k].source, label, setting);
      if (made.starts_with("refused") || !known.insert(made).second) continue;
      variants.push_back({k, label, std::move(made)});
    }
  }
  ExpectAlike(kernels, variants);
}

// Bold moves are gambles, and some functions are meant to be rough.
bool IsSafe(const std::string& label) {
  return label.find("bold") == label.npos &&
         label.find("rough") == label.npos && label.find("quick") == label.npos;
}

// Two moves, one after the other, as the agent would make them.
TEST(TextbookTest, WhateverIsSuggestedComputesTheSame) {
  const std::vector<TextbookKernel> kernels = TextbookKernels();
  const Setting setting{2, {{{"M", 17}, {"N", 19}, {"K", 35}}}, {}};
  std::vector<Variant> variants;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    std::set<std::string> known;
    std::vector<Variant> now = {{k, "", kernels[k].source}};
    for (int step = 0; step < 2; ++step) {
      for (const Variant& from : std::exchange(now, {})) {
        for (const Move& move : MovesOn(from.source, setting)) {
          const std::string label = from.label + " + " + move.label;
          const std::string name = kernels[k].name + label;
          if (!IsSafe(move.label) || !IsTried(name, step == 0 ? 6 : 100)) {
            continue;
          }
          auto made = RewriteSpan(from.source, move.span.first, move.span.last,
                                  move.label, setting);
          if (!made || !known.insert(*made).second) continue;
          now.push_back({k, label, *made});
        }
      }
      for (const Variant& one : now) {
        if (step == 1 || IsTried(one.label, 8)) variants.push_back(one);
      }
    }
  }
  ExpectAlike(kernels, variants);
}

}  // namespace
}  // namespace coppice::agents::catalogue
