#include "eval/sandbox/compiler.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <sstream>
#include <string_view>

#include "eval/host/machine.h"
#include "eval/host/whole_file.h"
#include "store/records/formatted.h"

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;

constexpr char kObject[] = "kernel.so";
constexpr char kRemarks[] = "loops.txt";
constexpr char kListing[] = "code.txt";
constexpr char kPreprocessed[] = "kernel.ii";
constexpr std::size_t kMostPreprocessed = 64 << 20;
constexpr std::size_t kMostListing = 8 << 20;  // Of remarks, and of code.
constexpr char kPrefixProduct[] = "prefix.h.gch";
constexpr std::size_t kLineLimit = 200;  // Of an #include.
// A source is looked at for so many prefixes: each lacks an #include of the one
// before.
constexpr int kMostPrefixes = 64;
constexpr char kCompiler[] = "/usr/bin/g++";
// Where Debian's links lead to one of several packages of a library.
constexpr char kAlternatives[] = "/etc/alternatives";
constexpr std::size_t kDiagnosticsLimit = 16 * 1024;

// What a kernel is compiled with.  No -ffast-math: candidates may ask for
// less precision by name, not by accident.
const std::vector<std::string>& LanguageFlags() {
  static const std::vector<std::string> flags = {
      "-std=c++20",         "-O3",
      "-march=native",      "-fopenmp",
      "-ffp-contract=fast", "-fno-math-errno"};
  return flags;
}

constexpr char kLinking[] = "-shared -Wl,-z,defs,-z,now,-z,noexecstack";

// The names that libraries have are most of a linker's work on a small kernel:
// an object that looks as if it did without some of them is linked without.
// Whatever does not link that way is linked as any other, and what that says is
// said.  Names of libstdc++ are mangled; the others are of libgomp, and what of
// libc kernels and compilers call.
constexpr char kBuildScript[] =
    R"(g++ "$@" -c kernel.cc -o kernel.o || exit
if ! grep -q -e _ZSt -e _ZNSt -e _ZNKSt -e _ZT -e _Zn -e _Zd -e __cxa \
    -e __gxx kernel.o
then
  few='g++ -nodefaultlibs '$LINKING' kernel.o -o /out/kernel.so -lm'
  if ! grep -q -e GOMP_ -e omp_ -e mem -e alloc -e print kernel.o
  then
    $few 2>unused.txt && exit
  fi
  $few -lgomp -lgcc -lgcc_s -lpthread -lc 2>unused.txt && exit
fi
exec g++ -fopenmp $LINKING kernel.o -o /out/kernel.so
)";

// How it is compiled and reported.
const std::vector<std::string>& CompilingFlags() {
  static const std::vector<std::string> flags = {
      "-fPIC", "-fdiagnostics-color=never", "-fmax-errors=20"};
  return flags;
}

// <cmath> brings the special functions along, whose templates are made anew for
// each source: that takes longer than a small kernel.  Without them:
constexpr char kNoSpecialFunctions[] = "-D_GLIBCXX_BITS_SPECFUN_H=1";
// The headers that come with them and would be missing.
constexpr char kOtherwiseMissing[] =
    "#include <bits/stl_algobase.h>\n"
    "#include <limits>\n"
    "#include <type_traits>\n";

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    text += word;
  }
  return text;
}

// Limits by prlimit(1), for the sandbox sets none: 3 GiB of memory, 64 MiB of
// product, a core's worth of a minute.
std::vector<std::string> Limited(const std::vector<std::string>& program) {
  std::vector<std::string> command = {"/usr/bin/prlimit", "--as=3221225472",
                                      "--fsize=67108864", "--cpu=60",
                                      "--core=0"};
  command.insert(command.end(), program.begin(), program.end());
  return command;
}

void Append(std::vector<std::string>& words,
            const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

bool IsOfName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The end from there on; the source's end if there is none.
std::size_t EndOf(bool (*is_of_it)(char), const std::string& source,
                  std::size_t at) {
  while (at < source.size() && is_of_it(source[at])) ++at;
  return at;
}

bool HasSpecialName(std::string_view text) {
  constexpr std::array<std::string_view, 10> kNames = {
      "bessel", "beta",     "ellint",   "expint",  "hermite",
      "hyperg", "laguerre", "legendre", "neumann", "zeta"};
  return std::ranges::any_of(kNames, [text](std::string_view name) {
    return text.find(name) != text.npos;
  });
}

// Spaces do not matter: "std :: riemann_zeta".
bool HasSpecialNameOfStd(const std::string& source) {
  const auto is_space = [](char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
  };
  for (std::size_t at = 0; (at = source.find("std", at)) != source.npos;) {
    at = EndOf(is_space, source, at + 3);
    if (source.compare(at, 2, "::") != 0) continue;
    const std::size_t name = EndOf(is_space, source, at + 2);
    const std::size_t end = EndOf(IsOfName, source, name);
    if (HasSpecialName(std::string_view(source).substr(name, end - name))) {
      return true;
    }
  }
  return false;
}

bool HasUsing(const std::string& source) {
  constexpr std::string_view kUsing = "using";
  for (std::size_t at = 0; (at = source.find(kUsing, at)) != source.npos;) {
    const bool begins = at == 0 || !IsOfName(source[at - 1]);
    at += kUsing.size();
    if (begins && (at == source.size() || !IsOfName(source[at]))) return true;
  }
  return false;
}

// Whether it may name one of the special functions, or ask if they are there.
// A source is a stranger's: std::regex would recurse for each of its
// characters.
bool MayNameSpecialFunctions(const std::string& source) {
  for (const char* asks : {"##", "SPEC_FUNCS", "special_functions"}) {
    if (source.find(asks) != source.npos) return true;
  }
  return HasSpecialNameOfStd(source) ||
         (HasUsing(source) && HasSpecialName(source));
}

// A program that ends with the flags of a compilation.
std::vector<std::string> Command(const std::string& entry, Purposed purpose,
                                 const std::vector<std::string>& libraries) {
  const std::string linking =
      std::string(kLinking) + " -Wl,--require-defined=" + entry;
  std::vector<std::string> arguments = LanguageFlags();
  Append(arguments, CompilingFlags());
  if (purpose == Purposed::kSanitizers) {
    // The last -O counts.  No recovery: the first finding ends the process.
    // Types of a library's objects look foreign to a kernel that is loaded, and
    // loads that are not aligned are what every vector kernel makes.
    Append(arguments, {"-O1", "-g1", "-fsanitize=address,undefined",
                       "-fno-sanitize=vptr,alignment",
                       "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"});
  }
  if (purpose == Purposed::kSpeed) {
    arguments.push_back(std::string("-fopt-info-vec-optimized-missed=/out/") +
                        kRemarks);
  }
  std::vector<std::string> program;
  if (purpose == Purposed::kSpeed && libraries.empty()) {
    program = {"/usr/bin/sh", "-c",
               "LINKING='" + linking + "'\n" + kBuildScript, "sh"};
  } else {
    program = {kCompiler, "kernel.cc", "-o", "/out/kernel.so"};
    for (const std::string& library : libraries) {
      program.push_back("-l:lib" + library + ".a");
    }
    program.push_back("-shared");
    program.push_back(linking.substr(linking.find("-Wl")));
  }
  Append(program, arguments);
  return Limited(program);
}

// What is compiled ahead for a source.
struct Precompiled {
  std::string text;
  std::vector<std::string> flags;  // The source's, too.
};

// Makes the prefix of `includes`, for a source that may name special functions
// or does not.
Precompiled PrefixOf(const std::string& includes, bool may_name_special) {
  if (may_name_special ||
      includes.find("#include <cmath>\n") == includes.npos) {
    return {includes, {}};
  }
  return {includes + kOtherwiseMissing, {kNoSpecialFunctions}};
}

// With the flags that decide what a header means.
std::vector<std::string> PrefixCommand(const Precompiled& prefix) {
  std::vector<std::string> program = {kCompiler};
  Append(program, LanguageFlags());
  Append(program, CompilingFlags());
  Append(program, prefix.flags);
  Append(program, {"-x", "c++-header", "kernel.cc", "-o", "/out/prefix.h.gch"});
  return Limited(program);
}

SandboxedProgram CompilerProgram(std::vector<std::string> arguments,
                                 std::vector<Bind> binds) {
  // The last since GCC 13: what g++ calls.
  for (const char* path : {"/usr/bin", "/usr/include", "/usr/libexec/gcc"}) {
    if (fs::exists(path)) binds.push_back({path, path});
  }
  return {.arguments = std::move(arguments),
          .environment = {{"PATH", "/usr/bin"}, {"LC_ALL", "C"}},
          .binds = std::move(binds),
          .descriptors = {},
          .tmp_bytes = 256 << 20};
}

// Equal sources get equal diagnostics: the compiler's temporary names,
// "/tmp/ccXXXXXX.o", become "kernel.o".
std::string Neutral(const std::string& text, const std::string& entry) {
  constexpr std::string_view kPrefix = "/tmp/cc";
  constexpr std::size_t kLength = kPrefix.size() + 6;
  std::string neutral = text;
  for (std::size_t at = 0;
       (at = neutral.find(kPrefix, at)) != std::string::npos; ++at) {
    if (at + kLength < neutral.size() && neutral[at + kLength] == '.') {
      neutral.replace(at, kLength, "kernel");
    }
  }
  if (neutral.find("required symbol `" + entry + "'") != std::string::npos) {
    neutral += "kernel.cc: the entry is missing: define extern \"C\" void " +
               entry + "(...)\n";
  }
  if (neutral.size() > kDiagnosticsLimit) {
    neutral.resize(kDiagnosticsLimit);
    neutral += "\n[cut]\n";
  }
  return neutral;
}

}  // namespace

bool IsIdentifier(const std::string& text) {
  const auto letter = [](unsigned char c) {
    return std::isalpha(c) != 0 || c == '_';
  };
  return !text.empty() && text.size() <= 255 &&
         letter(static_cast<unsigned char>(text[0])) &&
         std::ranges::all_of(text, [&](unsigned char c) {
           return letter(c) || std::isdigit(c) != 0;
         });
}

std::string FirstComplaint(const std::string& diagnostics) {
  std::istringstream lines(diagnostics);
  for (std::string line; std::getline(lines, line);) {
    const bool is_one =
        line.find(" error: ") != line.npos && line.starts_with("kernel.cc:");
    if (is_one) return line.substr(line.find(':') + 1);
  }
  return "";
}

std::string Compiler::Flags() { return Join(LanguageFlags()); }

std::string LeadingIncludes(const std::string& source) {
  static const std::regex kInclude(
      R"(\s*#\s*include\s*(<[a-z0-9_]+(/[a-z0-9_]+)*(\.h)?>)\s*(//.*)?)");
  static const std::regex kNothing(R"(\s*(//.*)?)");
  std::string includes;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    // A line that goes on is not what it looks like; neither is a long one.
    if (line.size() > kLineLimit || line.ends_with('\\')) break;
    std::smatch match;
    if (std::regex_match(line, match, kInclude)) {
      includes += "#include " + match[1].str() + "\n";
    } else if (!std::regex_match(line, kNothing)) {
      break;
    }
  }
  return includes;
}

Result<Compiler> Compiler::Find(const fs::path& cache, double timeout_s,
                                const std::atomic<bool>* cancelled,
                                std::uintmax_t cache_bytes) {
  if (!fs::exists(kCompiler)) {
    return Fail(Errc::kUnavailable, std::string(kCompiler) +
                                        ": not found; install the Debian "
                                        "package g++");
  }
  TRY(opened, CompileCache::Open(cache, cache_bytes));
  TRY(probe, Sandboxed::Launch(CompilerProgram({kCompiler, "--version"}, {})));
  if (probe.Wait(For(10.0, cancelled)) != Waited::kReady ||
      probe.ExitStatus() != 0) {
    return Fail(Errc::kUnavailable,
                std::string(kCompiler) +
                    ": does not run in the sandbox: " + probe.WhyItEnded());
  }
  Compiler compiler(std::move(opened));
  compiler.timeout_s_ = timeout_s;
  compiler.cancelled_ = cancelled;
  const std::string output = probe.Output();
  compiler.version_ = output.substr(0, output.find('\n'));
  compiler.processor_ = ProcessorIdentity();
  return compiler;
}

std::string Compiler::KeyOf(const std::vector<std::string>& command,
                            const std::string& text) const {
  return version_ + "\n" + processor_ + "\n" + Join(command) + "\n" + text;
}

Result<void> Compiler::Precompile(const std::string& source) const {
  const std::string includes = LeadingIncludes(source);
  if (includes.empty()) return {};
  const Precompiled prefix =
      PrefixOf(includes, MayNameSpecialFunctions(source));
  const std::string key = KeyOf(PrefixCommand(prefix), prefix.text);
  if (cache_.Find(key)) return {};
  TRY(build, BuildDirectory::Make(cache_.directory()));
  TRY_DONE(WriteWhole(build.Source(), prefix.text));
  TRY_DONE(WriteWhole(build.Product() / "prefix.h", prefix.text));
  TRY(compiled, Build(build, PrefixCommand(prefix), "", {}));
  const fs::path made = build.Product() / kPrefixProduct;
  // Sources compile without it as well, if they do at all.
  if (compiled.verdict != Verdict::kPassed || !fs::exists(made)) return {};
  TRY_DONE(cache_.Keep(build, key, kPrefixProduct));
  return {};
}

Result<std::string> Compiler::Preprocess(
    const std::string& source, const std::vector<std::string>& flags) const {
  std::vector<std::string> program = {kCompiler};
  Append(program, LanguageFlags());
  Append(program, CompilingFlags());
  Append(program, flags);
  Append(program,
         {"-w", "-E", "kernel.cc", "-o", std::string("/out/") + kPreprocessed});
  TRY(build, BuildDirectory::Make(cache_.directory()));
  TRY_DONE(WriteWhole(build.Source(), source));
  TRY(compiled, Build(build, Limited(program), "", {}));
  if (compiled.verdict == Verdict::kPassed) {
    return ReadWhole(build.Product() / kPreprocessed, kMostPreprocessed);
  }
  const std::string complaint = FirstComplaint(compiled.diagnostics);
  return Fail(Errc::kUsage,
              complaint.empty() ? compiled.diagnostics : complaint);
}

void Compiler::UsePrefix(const std::string& source,
                         std::vector<std::string>& command,
                         std::vector<Bind>& binds) const {
  std::string includes = LeadingIncludes(source);
  const bool may_name_special = MayNameSpecialFunctions(source);
  for (int tries = 0; !includes.empty() && tries < kMostPrefixes; ++tries) {
    const Precompiled prefix = PrefixOf(includes, may_name_special);
    if (const auto made =
            cache_.Find(KeyOf(PrefixCommand(prefix), prefix.text))) {
      binds.push_back({*made, "/prefix"});
      Append(command, prefix.flags);
      Append(command, {"-include", "/prefix/prefix.h"});
      return;
    }
    includes.pop_back();  // Its last line.
    includes.resize(includes.rfind('\n') + 1);
  }
}

Result<Compiled> Compiler::Compile(
    const std::string& source, const std::string& entry, Purposed purpose,
    const std::vector<std::string>& libraries) const {
  const std::vector<std::string> plain = Command(entry, purpose, libraries);
  const std::string key = KeyOf(plain, source);
  if (const auto hit = cache_.Find(key)) {
    return Compiled{Verdict::kPassed, *hit / kObject, "", true};
  }

  TRY(build, BuildDirectory::Make(cache_.directory()));
  TRY_DONE(WriteWhole(build.Source(), source));
  std::vector<Bind> binds;
  if (!libraries.empty() && fs::exists(kAlternatives)) {
    binds.push_back({kAlternatives, kAlternatives});
  }
  std::vector<std::string> command = plain;
  std::vector<Bind> with_prefix = binds;
  if (purpose == Purposed::kSpeed) UsePrefix(source, command, with_prefix);
  TRY(compiled, Build(build, command, entry, std::move(with_prefix)));
  // A macro or a header of its own may name what its text does not.
  if (compiled.verdict == Verdict::kCompileFailed &&
      std::ranges::find(command, kNoSpecialFunctions) != command.end()) {
    TRY_ASSIGN(compiled, Build(build, plain, entry, std::move(binds)));
  }
  for (const std::string& library : libraries) {
    const std::string file = "lib" + library + ".a";
    if (compiled.diagnostics.find("cannot find -l:" + file) ==
        std::string::npos)
      continue;
    return Fail(Errc::kUnavailable, file +
                                        ": not found; install the Debian "
                                        "package lib" +
                                        library + "-dev");
  }
  const fs::path made = build.Product() / kObject;
  if (compiled.verdict == Verdict::kPassed &&
      !fs::is_regular_file(fs::symlink_status(made))) {
    compiled.verdict = Verdict::kCompileFailed;
  }
  if (compiled.verdict != Verdict::kPassed) {
    TRY_DONE(cache_.CheckRoom(compiled.diagnostics));
    return compiled;
  }
  TRY(kept, cache_.Keep(build, key, kObject));
  compiled.object = kept / kObject;
  return compiled;
}

std::string Compiler::LoopRemarks(const fs::path& object) {
  return ReadWhole(object.parent_path() / kRemarks, kMostListing).value_or("");
}

Result<std::string> Compiler::Disassemble(const fs::path& object) const {
  TRY(build, BuildDirectory::Make(cache_.directory()));
  const std::string command =
      "exec /usr/bin/objdump -d -j .text --no-show-raw-insn -M intel"
      " /tmp/kernel.so >/out/" +
      std::string(kListing);
  TRY(process, Sandboxed::Launch(CompilerProgram(
                   {"/usr/bin/prlimit", "--as=1073741824",
                    "--fsize=" + std::to_string(kMostListing), "--cpu=10",
                    "--core=0", "/usr/bin/sh", "-c", command},
                   {{object, "/tmp/kernel.so"},
                    {build.Product(), "/out", BindMode::kWritable}})));
  const Waited waited = process.Wait(For(timeout_s_, cancelled_));
  if (waited == Waited::kCancelled) {
    return Fail(Errc::kCancelled, "disassembly: cancelled");
  }
  if (waited != Waited::kReady || process.ExitStatus() != 0) return "";
  return ReadWhole(build.Product() / kListing, kMostListing).value_or("");
}

// The verdict is kPassed if the compiler is content.
Result<Compiled> Compiler::Build(const BuildDirectory& build,
                                 const std::vector<std::string>& command,
                                 const std::string& entry,
                                 std::vector<Bind> binds) const {
  binds.push_back({build.Source(), "/tmp/kernel.cc"});
  binds.push_back({build.Product(), "/out", BindMode::kWritable});
  TRY(process, Sandboxed::Launch(CompilerProgram(command, std::move(binds))));
  const Waited waited = process.Wait(For(timeout_s_, cancelled_));
  if (waited == Waited::kCancelled) {
    return Fail(Errc::kCancelled, "compilation: cancelled");
  }
  Compiled compiled;
  if (waited == Waited::kTimedOut) {
    compiled.verdict = Verdict::kTimedOut;
    const std::string limit = Formatted("%g s\n", timeout_s_);
    compiled.diagnostics =
        std::string("kernel.cc: the compiler was stopped after ") + limit;
    return compiled;
  }
  const std::optional<int> status = process.ExitStatus();
  if (!status.has_value()) {
    return Fail(Errc::kUnavailable, "sandbox: " + process.WhyItEnded());
  }
  compiled.diagnostics = Neutral(process.Output(), entry);
  if (*status > 128) {
    compiled.diagnostics +=
        "kernel.cc: the compiler died of " + SignalName(*status - 128) + "\n";
  } else if (*status == 0) {
    compiled.verdict = Verdict::kPassed;
  }
  return compiled;
}

}  // namespace coppice::eval
