#include "engine/cli/own_text.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/documents/input.h"
#include "engine/own/plain_text.h"
#include "eval/sandbox/compiler.h"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kLookingSeconds = 60.0;

struct OwnFlags {
  std::string defines;            // As lines.
  std::vector<fs::path> folders;  // Folders of -I.
  std::string alike;              // Flags of all kernels.
};

// They change no result, and all kernels have them or none needs them.
bool IsEveryones(std::string_view flag) {
  constexpr std::string_view kFlags[] = {"-O2",
                                         "-O3",
                                         "-march=native",
                                         "-mtune=native",
                                         "-fopenmp",
                                         "-pthread",
                                         "-lm",
                                         "-fno-math-errno",
                                         "-fPIC",
                                         "-g",
                                         "-pedantic",
                                         "-pipe",
                                         "-c",
                                         "-ffp-contract=fast"};
  return std::ranges::find(kFlags, flag) != std::end(kFlags) ||
         flag.starts_with("-std=") || flag.starts_with("-W");
}

// A macro without a value is 1, as on the command line.
std::string DefineLine(std::string define) {
  const std::size_t is = define.find('=');
  if (is == define.npos) return "#define " + define + " 1\n";
  define[is] = ' ';
  return "#define " + define + "\n";
}

Result<void> TakeFlag(const std::string& flag, OwnFlags& own) {
  if (flag.starts_with("-D") && flag.size() > 2) {
    own.defines += DefineLine(flag.substr(2));
  } else if (flag.starts_with("-I") && flag.size() > 2) {
    std::error_code unknown;
    const fs::path folder = fs::canonical(flag.substr(2), unknown);
    if (unknown) {
      return Fail(Errc::kUsage, "--flags " + flag + ": no such folder");
    }
    own.folders.push_back(folder);
  } else if (IsEveryones(flag)) {
    own.alike += (own.alike.empty() ? "" : " ") + flag;
  } else if (flag.starts_with("-l")) {
    return Fail(Errc::kUsage,
                "--flags " + flag +
                    ": a function and its candidates link no library; "
                    "--expert FILE --link " +
                    flag.substr(2) + " compares with one");
  } else {
    return Fail(Errc::kUsage,
                "--flags " + flag +
                    ": a function and its candidates are compiled alike; "
                    "only -DNAME=VALUE and -IFOLDER are its own");
  }
  return {};
}

Result<OwnFlags> FlagsOf(const Invocation& invocation) {
  OwnFlags own;
  for (const std::string& text : invocation.Texts("flags")) {
    std::istringstream words(text);
    for (std::string flag; words >> flag;) {
      std::string value;
      if ((flag == "-I" || flag == "-D") && words >> value) flag += value;
      TRY_DONE(TakeFlag(flag, own));
    }
  }
  return own;
}

// Where `#include "x.h"` has its quote, or its bracket; npos: it is no such
// line.
std::size_t PlaceOfName(std::string_view line) {
  constexpr std::string_view kInclude = "include";
  const std::size_t mark = line.find_first_not_of(" \t");
  if (mark == line.npos || line[mark] != '#') return line.npos;
  const std::size_t word = line.find_first_not_of(" \t", mark + 1);
  if (word == line.npos || !line.substr(word).starts_with(kInclude)) {
    return line.npos;
  }
  const std::size_t open =
      line.find_first_not_of(" \t", word + kInclude.size());
  const bool is_name =
      open != line.npos && (line[open] == '"' || line[open] == '<');
  return is_name ? open : line.npos;
}

// Puts what files name in its place, each once.
class Includer {
 public:
  explicit Includer(const std::vector<fs::path>& folders) : folders_(folders) {}

  // Includes what a file in `folder` names; all of it lies below that folder.
  Result<std::string> Of(const std::string& text, const fs::path& folder) {
    top_ = folder;
    return Whole(text, folder);
  }

 private:
  Result<std::string> Whole(const std::string& text, const fs::path& folder) {
    std::string whole;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = text.substr(at, end - at);
      at = end + 1;
      TRY(path, Named(line, folder));
      if (path.empty()) {
        const bool is_once = line.find("#pragma once") == 0;
        whole += is_once ? "\n" : line + "\n";
        continue;
      }
      if (std::ranges::find(seen_, path) != seen_.end()) continue;
      seen_.push_back(path);
      TRY(other, ReadFile(path.string()));
      TRY(inner, Whole(other, path.parent_path()));
      whole += inner;
    }
    return whole;
  }

  // The file that the line includes; empty: none of its own.
  Result<fs::path> Named(const std::string& line, const fs::path& folder) {
    const std::size_t open = PlaceOfName(line);
    if (open == line.npos) return fs::path();
    const char close = line[open] == '<' ? '>' : '"';
    const std::string name =
        line.substr(open + 1, line.find(close, open + 1) - open - 1);
    std::error_code unknown;
    const bool is_beside = close == '"' && fs::exists(folder / name, unknown);
    for (const fs::path& other : folders_) {
      const fs::path path = fs::weakly_canonical(other / name, unknown);
      if (!is_beside && fs::exists(path, unknown)) {
        return Below(name, path, other);
      }
    }
    if (close == '>') return fs::path();
    TRY(path, Below(name, fs::weakly_canonical(folder / name, unknown), top_));
    // Conditions may leave it out.
    return fs::exists(path, unknown) ? path : fs::path();
  }

  // A stranger's source would bring files of this user's into what models see.
  Result<fs::path> Below(const std::string& name, const fs::path& path,
                         const fs::path& top) const {
    const bool is_of_others =
        std::ranges::any_of(folders_, [&](const fs::path& one) {
          return *path.lexically_relative(one).begin() != "..";
        });
    const fs::path below = path.lexically_relative(top);
    if (!is_of_others && (below.empty() || *below.begin() == "..")) {
      return Fail(Errc::kUsage, "#include \"" + name + "\" is not below " +
                                    top.string() + "; copy it there");
    }
    return path;
  }

  fs::path top_;
  const std::vector<fs::path>& folders_;
  std::vector<fs::path> seen_;
};

Result<eval::Compiler> CompilerOf(const Invocation& invocation) {
  return eval::Compiler::Find(invocation.settings().cache_directory,
                              kLookingSeconds, nullptr);
}

}  // namespace

Result<OwnText> OwnTextOf(const Invocation& invocation,
                          const std::string& file) {
  TRY(flags, FlagsOf(invocation));
  const auto folder_of = [](const std::string& one) {
    std::error_code unknown;  // It was read, so it is somewhere.
    return fs::canonical(one, unknown).parent_path();
  };
  TRY(own, ReadFile(file));
  Includer includer(flags.folders);
  OwnText all{flags.defines, ""};
  for (const std::string& other : invocation.Texts("with")) {
    TRY(read, ReadFile(other));
    TRY(whole, includer.Of(read, folder_of(other)));
    all.text += whole + "\n";
  }
  TRY(whole, includer.Of(own, folder_of(file)));
  all.text += whole;
  // Without one, macros would be read as what they are not.
  TRY(compiler, CompilerOf(invocation));
  auto plain = engine::own::PlainText(compiler, all.text);
  if (!plain) {
    if (plain.error().code != Errc::kUsage) {
      return tl::unexpected<Error>(plain.error());
    }
    return Fail(plain.error().code,
                file + ": does not compile: " + plain.error().what);
  }
  all.text = *std::move(plain);
  if (!flags.alike.empty()) {
    all.remark = "--flags " + flags.alike +
                 ": nothing of its own; all kernels are compiled with " +
                 eval::Compiler::Flags();
  }
  return all;
}

std::string WhatDoesNotCompile(const Invocation& invocation,
                               const std::string& text) {
  const auto compiler = CompilerOf(invocation);
  if (!compiler) return "";
  const std::string entry = "coppice_entry_";
  const auto compiled = compiler->Compile(
      text + "\nextern \"C\" void " + entry + "() {}\n", entry);
  if (!compiled || compiled->verdict == Verdict::kPassed) return "";
  return eval::FirstComplaint(compiled->diagnostics);
}

}  // namespace coppice::cli
