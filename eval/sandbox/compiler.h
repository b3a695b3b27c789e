// Turns one C++ file into a shared object, in the sandbox, with flags that we
// own, and remembers the object by content.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "eval/host/waiting.h"
#include "eval/sandbox/compile_cache.h"
#include "eval/sandbox/sandbox.h"
#include "store/records/result.h"
#include "store/records/verdict.h"

namespace coppice::eval {

struct Compiled {
  // kPassed, kCompileFailed or kTimedOut: never anything else.
  Verdict verdict = Verdict::kCompileFailed;
  std::filesystem::path object;  // Set if passed.
  // What the compiler said, the file called "kernel.cc", at most 16 KiB.
  std::string diagnostics;
  bool cached = false;
};

// What an object is for.
enum class Purposed { kSpeed, kSanitizers };

class Compiler {
 public:
  // Finds the compiler by running it in the sandbox.  Objects are kept in
  // `cache`, which is created.  `cancelled` may be null.
  static Result<Compiler> Find(const std::filesystem::path& cache,
                               double timeout_s,
                               const std::atomic<bool>* cancelled,
                               std::uintmax_t cache_bytes = kDefaultCacheBytes);

  // An object that defines `entry` and needs nothing but the C and C++
  // libraries and OpenMP, or, for kSanitizers, their run time besides.  A
  // compiler that crashes, or outgrows its memory, on a source has failed on
  // that source.  May run in several threads at once.
  // `libraries` are of a trusted source: they become part of its object, for
  // where it runs there are no others.  kUnavailable: one is not installed.
  Result<Compiled> Compile(
      const std::string& source, const std::string& entry,
      Purposed purpose = Purposed::kSpeed,
      const std::vector<std::string>& libraries = {}) const;

  // The source with what -E and `flags` make of it.  kUsage: the preprocessor's
  // first complaint.
  Result<std::string> Preprocess(const std::string& source,
                                 const std::vector<std::string>& flags) const;

  // Makes the compilation of sources that begin with the same #include lines
  // take a fifth of the time, at the price of about four compilations.  Does
  // nothing if that was done, in whatever process, or if it cannot be.
  Result<void> Precompile(const std::string& source) const;

  // What it said of the loops of an object that it made for speed, by
  // -fopt-info-vec-optimized-missed; empty: nothing, or it is not known.
  static std::string LoopRemarks(const std::filesystem::path& object);

  // Its machine code as objdump prints it, with Intel's names; empty if objdump
  // fails on it, which is the business of a stranger's object.
  Result<std::string> Disassemble(const std::filesystem::path& object) const;

  const std::string& version() const { return version_; }
  static std::string Flags();  // As typed.
  const std::filesystem::path& cache() const { return cache_.directory(); }

 private:
  Compiler(CompileCache cache) : cache_(std::move(cache)) {}
  Result<Compiled> Build(const BuildDirectory& build,
                         const std::vector<std::string>& command,
                         const std::string& entry,
                         std::vector<Bind> binds) const;
  std::string KeyOf(const std::vector<std::string>& command,
                    const std::string& text) const;
  // As many of the lines that it begins with as were compiled ahead.  It
  // includes the same headers again, to no effect: what is compiled, and what
  // is complained of, stays the same.
  void UsePrefix(const std::string& source, std::vector<std::string>& command,
                 std::vector<Bind>& binds) const;

  CompileCache cache_;
  double timeout_s_ = 0.0;
  const std::atomic<bool>* cancelled_ = nullptr;
  std::string version_;    // First line of --version.
  std::string processor_;  // What -march=native meant.
};

// The first error that a compiler told of the file kernel.cc, with its line:
// "3:10: error: ..."; empty if it told none.
std::string FirstComplaint(const std::string& diagnostics);

// REQUIRES of an entry: a C identifier of at most 255 characters.
bool IsIdentifier(const std::string& text);

// The #include <...> lines that a source begins with, one by one; nothing but
// comments and blank lines may stand between them.
std::string LeadingIncludes(const std::string& source);

}  // namespace coppice::eval
