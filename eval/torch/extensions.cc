#include "eval/torch/extensions.h"

#include <nlohmann/json.hpp>

namespace coppice::eval::torch {
namespace {

constexpr char kFirst[] = "lookalike";  // The level that needs the bridge.

// Compilers that a candidate gave its flags to write beside what is read here.
std::string TextOf(const nlohmann::json& outcome, const char* key,
                   const std::string& otherwise) {
  const auto found = outcome.find(key);
  const bool is_text = found != outcome.end() && found->is_string();
  return is_text ? found->get<std::string>() : otherwise;
}

}  // namespace

Result<void> Extensions::Open(const std::string& architecture) {
  const std::lock_guard lock(opening_);
  if (compiler_ != nullptr) return {};
  TRY(toolchain,
      FindToolchain(options_.interpreter, options_.scripts, architecture));
  InlineOptions options{.python = options_.interpreter.executable,
                        .scripts = options_.scripts,
                        .toolchain = toolchain.text,
                        .folders = std::move(toolchain.folders),
                        .cache_directory = options_.cache_directory,
                        .cache_bytes = options_.cache_bytes,
                        .timeout_s = 3.0 * options_.timeout_s,
                        .cancelled = options_.cancelled};
  TRY(compiler, InlineCompiler::Open(options));
  auto bridge = compiler.Bridge();
  if (bridge) {
    bridge_ = std::move(*bridge);
  } else if (bridge.error().code == Errc::kCancelled ||
             bridge.error().code == Errc::kIo ||
             bridge.error().code == Errc::kFull) {
    return tl::make_unexpected(bridge.error());
  } else {
    auto without = nlohmann::json::parse(toolchain.text, nullptr, false);
    without["bridge"] = false;
    options.toolchain = without.dump();
    TRY_ASSIGN(compiler, InlineCompiler::Open(std::move(options)));
  }
  compiler_ = std::make_unique<InlineCompiler>(std::move(compiler));
  return {};
}

Result<Extension> Extensions::Build(const std::string& request,
                                    const std::string& architecture,
                                    Built built) {
  TRY_DONE(Open(architecture));
  TRY(made, built == Built::kToBeWatched
                ? compiler_->CompileToBeWatched(request)
                : compiler_->Compile(request));
  return ExtensionOf(made, bridge_);
}

Extension ExtensionOf(const InlineLibrary& made,
                      const std::filesystem::path& bridge) {
  Extension extension;
  extension.verdict = made.compiled.verdict;
  extension.library = made.compiled.object;
  const auto outcome = nlohmann::json::parse(made.outcome, nullptr, false);
  if (!outcome.is_object()) {  // It ended before it could say.
    extension.diagnostics = made.compiled.diagnostics;
    return extension;
  }
  extension.level = TextOf(outcome, "level", extension.level);
  extension.diagnostics = TextOf(outcome, "diagnostics", "");
  if (extension.verdict == Verdict::kPassed && extension.level == kFirst) {
    extension.bridge = bridge;
  }
  return extension;
}

}  // namespace coppice::eval::torch
