// Turns one C++ file into a shared object, in the sandbox, with flags that we
// own, and remembers the object by content.
#pragma once

#include <filesystem>
#include <string>

#include "eval/waiting.h"
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

class Compiler {
 public:
  // Finds the compiler by running it in the sandbox.  Objects are kept in
  // `cache`, which is created.  `cancelled` may be null.
  static Result<Compiler> Find(const std::filesystem::path& cache,
                               double timeout_s,
                               const std::atomic<bool>* cancelled);

  // An object that defines `entry` and needs nothing but the C and C++
  // libraries and OpenMP.  A compiler that crashes, or outgrows its memory,
  // on a source has failed on that source.
  Result<Compiled> Compile(const std::string& source,
                           const std::string& entry) const;

  const std::string& version() const { return version_; }
  static std::string Flags();  // As typed.

 private:
  Compiler() = default;
  Result<Compiled> Build(const std::filesystem::path& source,
                         const std::filesystem::path& directory,
                         const std::string& entry) const;

  std::filesystem::path cache_;
  double timeout_s_ = 0.0;
  const std::atomic<bool>* cancelled_ = nullptr;
  std::string version_;    // First line of --version.
  std::string processor_;  // What -march=native meant.
};

// REQUIRES of an entry: a C identifier of at most 255 characters.
bool IsIdentifier(const std::string& text);

}  // namespace coppice::eval
