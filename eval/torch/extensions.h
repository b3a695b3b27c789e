// What workers ask for where their code calls load_inline: the compiler, found
// when it is first needed, and the bridge that what it makes is loaded by.
//
// May be used in several threads at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "eval/torch/inline_compiler.h"
#include "eval/torch/interpreter.h"
#include "store/records/result.h"
#include "store/records/verdict.h"

namespace coppice::eval::torch {

struct ExtensionOptions {
  Interpreter interpreter;
  std::filesystem::path scripts;  // The folder of worker.py.
  std::filesystem::path cache_directory;
  std::uintmax_t cache_bytes = kDefaultCacheBytes;
  double timeout_s = 60.0;  // For one level of headers; there are three.
  const std::atomic<bool>* cancelled = nullptr;  // Not owned; may be null.
};

// As its sources ask, or as a tool that looks at its process wants it: with
// lines of the source, and for the host with g++'s checks of addresses.
enum class Built { kAsAsked, kToBeWatched };

struct Extension {
  Verdict verdict = Verdict::kCompileFailed;  // Or kPassed, or kTimedOut.
  std::string level = "full";                 // Of headers, by build.py.
  std::filesystem::path library = {};         // If it passed.
  std::filesystem::path bridge = {};          // If the library needs it.
  std::string diagnostics = {};
};

// What build.py said of a library, as far as it could.  `bridge` is what those
// of the level "lookalike" are loaded by.
Extension ExtensionOf(const InlineLibrary& made,
                      const std::filesystem::path& bridge);

class Extensions {
 public:
  explicit Extensions(ExtensionOptions options)
      : options_(std::move(options)) {}

  // `request` is JSON as build.py reads it, and may be anything.
  // `architecture` is the device's, "90"; empty: none.
  Result<Extension> Build(const std::string& request,
                          const std::string& architecture,
                          Built built = Built::kAsAsked);

 private:
  Result<void> Open(const std::string& architecture);

  ExtensionOptions options_;
  std::mutex opening_;  // Guards these until they are there.
  std::unique_ptr<InlineCompiler> compiler_;
  std::filesystem::path bridge_;  // Empty: does not compile with this torch.
};

}  // namespace coppice::eval::torch
