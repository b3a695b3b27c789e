#include "eval/torch/inline_compiler.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "eval/host/whole_file.h"

namespace coppice::eval::torch {
namespace {

namespace fs = std::filesystem;

constexpr char kLibrary[] = "extension.so";
constexpr char kBridge[] = "coppice_bridge.so";
constexpr char kOutcome[] = "outcome.json";
// As -m would, were its folder looked into.
constexpr char kBuildStep[] =
    "import sys; sys.path.insert(0, '/scripts'); import inline.build as build; "
    "sys.exit(build.main(sys.argv[1:]))";
constexpr std::size_t kMostSaid = 16 << 10;
constexpr double kBridgeSeconds = 300.0;  // On a busy machine.

// Everything in the folder, in an order that is always the same.
Result<std::string> Texts(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error);
       !error && at != fs::recursive_directory_iterator();
       at.increment(error)) {
    const std::string kind = at->path().extension();
    if (kind == ".py" || kind == ".h" || kind == ".cc") {
      files.push_back(at->path());
    }
  }
  std::ranges::sort(files);
  std::string texts;
  for (const fs::path& file : files) {
    TRY(text, ReadWhole(file));
    texts += file.filename().string() + "\n" + text + "\n";
  }
  return texts;
}

bool IsFile(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(path, error));
}

}  // namespace

Result<InlineCompiler> InlineCompiler::Open(InlineOptions options) {
  const fs::path step = options.scripts / "inline" / "build.py";
  if (!IsFile(step)) {
    return Fail(Errc::kUnavailable, step.string() + ": not found");
  }
  TRY(cache, CompileCache::Open(options.cache_directory, options.cache_bytes));
  InlineCompiler compiler(std::move(options), std::move(cache));
  TRY_ASSIGN(compiler.scripts_, Texts(compiler.options_.scripts / "inline"));
  return compiler;
}

SandboxedProgram InlineCompiler::Program(const BuildDirectory& build,
                                         const char* step) const {
  std::vector<Bind> binds = {
      {"/usr/bin", "/usr/bin"},
      {"/usr/bin", "/bin"},
      {"/usr/include", "/usr/include"},
      {options_.scripts, "/scripts"},
      {build.Source(), "/tmp/request.json"},
      {build.Source().parent_path() / "toolchain.json", "/tmp/toolchain.json"},
      {build.Product(), "/out", BindMode::kWritable}};
  if (fs::is_directory("/usr/libexec")) {
    binds.push_back({"/usr/libexec", "/usr/libexec"});
  }
  for (const fs::path& folder : options_.folders) {
    binds.push_back({folder, folder.string()});
  }
  // Every compiler inherits the limits.
  return {
      .arguments = {"/usr/bin/prlimit", "--as=17179869184", "--fsize=268435456",
                    "--cpu=300", "--core=0", options_.python.string(), "-I",
                    "-S", "-B", "-c", kBuildStep, step, "/tmp/toolchain.json",
                    "/tmp/request.json", "/out"},
      .environment = {{"PATH", "/usr/bin"}, {"LC_ALL", "C"}},
      .binds = std::move(binds),
      .descriptors = {},
      .tmp_bytes = std::size_t{1} << 30};
}

Result<InlineLibrary> InlineCompiler::Make(const std::string& request,
                                           const char* step,
                                           const char* product,
                                           double timeout_s) const {
  const std::string key = std::string(step) + "\n" + options_.toolchain + "\n" +
                          scripts_ + "\n" + request;
  if (const auto hit = cache_.Find(key)) {
    TRY(outcome, ReadWhole(*hit / kOutcome));
    return InlineLibrary{{Verdict::kPassed, *hit / product, "", true}, outcome};
  }
  TRY(build, BuildDirectory::Make(cache_.directory()));
  TRY_DONE(WriteWhole(build.Source(), request));
  TRY_DONE(WriteWhole(build.Source().parent_path() / "toolchain.json",
                      options_.toolchain));
  TRY(process, Sandboxed::Launch(Program(build, step)));
  const Waited waited = process.Wait(For(timeout_s, options_.cancelled));
  if (waited == Waited::kCancelled) {
    return Fail(Errc::kCancelled, "compilation: cancelled");
  }
  InlineLibrary library;
  if (waited == Waited::kTimedOut) {
    library.compiled.verdict = Verdict::kTimedOut;
    library.compiled.diagnostics = "load_inline: the compilers were stopped\n";
    return library;
  }
  const std::optional<int> status = process.ExitStatus();
  if (!status.has_value()) {
    return Fail(Errc::kUnavailable, "sandbox: " + process.WhyItEnded());
  }
  library.compiled.diagnostics = process.Output().substr(0, kMostSaid);
  if (IsFile(build.Product() / kOutcome)) {
    TRY_ASSIGN(library.outcome, ReadWhole(build.Product() / kOutcome));
  }
  if (*status != 0 || !IsFile(build.Product() / product)) {
    TRY_DONE(cache_.CheckRoom(library.compiled.diagnostics));
    return library;
  }
  TRY(kept, cache_.Keep(build, key, product));
  library.compiled.verdict = Verdict::kPassed;
  library.compiled.object = kept / product;
  return library;
}

Result<InlineLibrary> InlineCompiler::Compile(
    const std::string& request) const {
  return Make(request, "library", kLibrary, options_.timeout_s);
}

Result<InlineLibrary> InlineCompiler::CompileToBeWatched(
    const std::string& request) const {
  return Make(request, "watched", kLibrary, options_.timeout_s);
}

Result<fs::path> InlineCompiler::Bridge() const {
  TRY(made, Make("", "bridge", kBridge, kBridgeSeconds));
  if (made.compiled.verdict != Verdict::kPassed) {
    return Fail(Errc::kUnavailable,
                "load_inline: " + made.compiled.diagnostics);
  }
  return made.compiled.object;
}

}  // namespace coppice::eval::torch
