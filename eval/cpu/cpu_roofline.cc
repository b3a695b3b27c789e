#include "eval/cpu/cpu_roofline.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <sstream>
#include <thread>

#include "eval/host/machine.h"
#include "eval/host/replaced_file.h"
#include "eval/host/waiting.h"
#include "eval/host/whole_file.h"
#include "eval/judge/operation_count.h"
#include "eval/sandbox/compiler.h"
#include "store/records/profile.h"

namespace coppice::eval {
namespace {

// Twelve vectors fit the registers of any x86-64; sixteen wide ones those of
// AVX-512.  The empty assembly hides from the compiler that nothing changes.
constexpr char kSource[] = R"(#include <cstddef>
#ifdef __AVX512F__
constexpr int kLanes = 16;
#else
constexpr int kLanes = 8;
#endif
typedef float V __attribute__((vector_size(4 * kLanes), aligned(4)));
constexpr std::size_t kVectors = 12;
constexpr std::size_t kBlock = kVectors * kLanes;

// Reads n floats `times` times.
extern "C" void roof_read(const float* x, std::size_t n, std::size_t times) {
  V sums[kVectors] = {};
  for (std::size_t t = 0; t < times; ++t) {
    for (std::size_t i = 0; i + kBlock <= n; i += kBlock) {
      for (std::size_t j = 0; j < kVectors; ++j) {
        sums[j] += *reinterpret_cast<const V*>(x + i + j * kLanes);
      }
    }
    for (V& sum : sums) asm volatile("" : "+x"(sum)::"memory");
  }
}

// Returns its floating-point operations.
extern "C" double roof_work(std::size_t times) {
  V sums[kVectors];
  for (V& sum : sums) sum = V{};
  V a = V{} + 0.5f;
  V b = V{} + 0.25f;
  for (std::size_t t = 0; t < times; ++t) {
    asm volatile("" : "+x"(a), "+x"(b));
    for (std::size_t j = 0; j < kVectors; ++j) sums[j] = sums[j] * a + b;
  }
  for (V& sum : sums) asm volatile("" : "+x"(sum));
  return 2.0 * double(times) * double(kBlock);
}
)";

constexpr std::size_t kSizes[] = {16 << 10, 256 << 10, 4 << 20, 64 << 20};
constexpr std::size_t kBytesARun = 8 << 20;  // Or a whole working set.
constexpr int kRuns = 12;
constexpr std::size_t kWorkTimes = 100'000;

using Read = void (*)(const float*, std::size_t, std::size_t);
using Multiply = double (*)(std::size_t);

// All threads run at once several times.  Adds up each thread's fastest run, so
// that a preempted run lowers nothing.
template <class Run>
double BestRate(int threads, Run run) {
  std::vector<double> best(static_cast<std::size_t>(threads), 0.0);
  std::vector<std::thread> team;
  std::atomic<int> waiting{threads};
  for (int i = 0; i < threads; ++i) {
    team.emplace_back([&, i] {
      auto work = run();
      --waiting;
      while (waiting.load() > 0) std::this_thread::yield();
      for (int r = 0; r < kRuns; ++r) {
        const auto start = Clock::now();
        const double amount = work();
        double& mine = best[static_cast<std::size_t>(i)];
        mine = std::max(mine, amount / Seconds(Clock::now() - start));
      }
    });
  }
  double rate = 0.0;
  for (std::thread& member : team) member.join();
  for (const double each : best) rate += each;
  return rate;
}

struct FreeMemory {
  void operator()(float* memory) const { free(memory); }
};

double ReadRate(Read read, int threads, std::size_t bytes) {
  const std::size_t count =
      bytes / static_cast<std::size_t>(threads) / sizeof(float);
  const std::size_t times =
      std::max<std::size_t>(1, kBytesARun / (count * sizeof(float)));
  return BestRate(threads, [=] {
    std::shared_ptr<float> own(static_cast<float*>(aligned_alloc(
                                   64, count * sizeof(float) / 64 * 64 + 64)),
                               FreeMemory());
    std::fill_n(own.get(), count, 1.0f);
    return [=] {
      read(own.get(), count, times);
      return static_cast<double>(count * sizeof(float) * times);
    };
  });
}

Result<Roofline> MeasureRoofline(const Compiler& compiler, int threads) {
  TRY(compiled, compiler.Compile(kSource, "roof_read"));
  if (compiled.verdict != Verdict::kPassed) {
    return Fail(Errc::kUnavailable, "the machine's roof: does not compile: " +
                                        compiled.diagnostics);
  }
  const std::unique_ptr<void, int (*)(void*)> library(
      dlopen(compiled.object.c_str(), RTLD_NOW | RTLD_LOCAL), dlclose);
  if (library == nullptr) {
    return Fail(Errc::kUnavailable,
                std::string("the machine's roof: ") + dlerror());
  }
  const auto read = reinterpret_cast<Read>(dlsym(library.get(), "roof_read"));
  const auto multiply =
      reinterpret_cast<Multiply>(dlsym(library.get(), "roof_work"));
  Roofline roof;
  for (const std::size_t bytes : kSizes) {
    roof.levels.push_back(
        {static_cast<double>(bytes), ReadRate(read, threads, bytes)});
  }
  roof.flops_per_s =
      BestRate(threads, [=] { return [=] { return multiply(kWorkTimes); }; });
  return roof;
}

// The machine and what the program was compiled with, then the numbers.
std::filesystem::path FileOf(const Compiler& compiler, int threads) {
  return compiler.cache() / (".roof-" + std::to_string(threads));
}

std::string IdentityLine(const Compiler& compiler) {
  return ProcessorIdentity() + "; " + compiler.version() + "\n";
}

Result<Roofline> ReadRoofline(const Compiler& compiler, int threads) {
  TRY(text, ReadWhole(FileOf(compiler, threads)));
  const std::string identity = IdentityLine(compiler);
  if (!text.starts_with(identity)) {
    return Fail(Errc::kNotFound, "no roof of this machine");
  }
  return ParseRoofline(text.substr(identity.size()));
}

Result<void> WriteRoofline(const Compiler& compiler, int threads,
                           const Roofline& roof) {
  return ReplaceWhole(FileOf(compiler, threads),
                      IdentityLine(compiler) + RooflineText(roof));
}

}  // namespace

Roofline Higher(const Roofline& a, const Roofline& b) {
  Roofline roof = a;
  for (std::size_t i = 0; i < roof.levels.size(); ++i) {
    roof.levels[i].bytes_per_s =
        std::max(a.levels[i].bytes_per_s, b.levels[i].bytes_per_s);
  }
  roof.flops_per_s = std::max(a.flops_per_s, b.flops_per_s);
  return roof;
}

std::string RooflineText(const Roofline& roof) {
  std::ostringstream text;
  text.precision(17);
  text << roof.flops_per_s << "\n";
  for (const Roofline::Level& level : roof.levels) {
    text << level.bytes << " " << level.bytes_per_s << "\n";
  }
  return text.str();
}

Result<Roofline> ParseRoofline(const std::string& text) {
  std::istringstream lines(text);
  Roofline roof;
  lines >> roof.flops_per_s;
  for (Roofline::Level level; lines >> level.bytes >> level.bytes_per_s;) {
    roof.levels.push_back(level);
  }
  const bool good =
      lines.eof() && roof.flops_per_s > 0.0 &&
      roof.levels.size() == std::size(kSizes) &&
      std::ranges::all_of(roof.levels, [&](const Roofline::Level& level) {
        const auto i = static_cast<std::size_t>(&level - roof.levels.data());
        return level.bytes == static_cast<double>(kSizes[i]) &&
               level.bytes_per_s > 0.0;
      });
  if (!good) return Fail(Errc::kCorrupt, "no roof of this machine");
  return roof;
}

Result<Roofline> FindRoofline(const Compiler& compiler, int threads) {
  if (auto kept = ReadRoofline(compiler, threads)) return kept;
  TRY(roof, MeasureRoofline(compiler, threads));
  TRY_DONE(WriteRoofline(compiler, threads, roof));
  return roof;
}

Result<Roofline> RaiseRoofline(const Compiler& compiler, int threads) {
  TRY(roof, MeasureRoofline(compiler, threads));
  if (const auto kept = ReadRoofline(compiler, threads))
    roof = Higher(roof, *kept);
  TRY_DONE(WriteRoofline(compiler, threads, roof));
  return roof;
}

double ReadSpeed(const Roofline& roof, double bytes) {
  double speed = 0.0;
  for (const Roofline::Level& level : roof.levels) {
    if (level.bytes <= bytes) speed = 0.0;  // A smaller one's does not count.
    speed = std::max(speed, level.bytes_per_s);
  }
  return speed;
}

double FloorSeconds(const Roofline& roof, const OperationCount& work) {
  return std::max(work.bytes / ReadSpeed(roof, work.bytes),
                  work.flops / roof.flops_per_s);
}

Profile ProfileOf(const Roofline& roof, const OperationCount& work,
                  double runtime_s) {
  Profile profile;
  profile.runtime_s = runtime_s;
  profile.bytes = work.bytes;
  profile.flops = work.flops;
  profile.roof_bytes_per_s = ReadSpeed(roof, work.bytes);
  profile.roof_flops_per_s = roof.flops_per_s;
  return profile;
}

}  // namespace coppice::eval
