#include "eval/torch/interpreter.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "eval/torch/shell.h"

namespace coppice::eval::torch {
namespace {

// Modules are looked for as they would be outside, but only below folders of
// packages: what else a user has on the path is not a candidate's to read.
constexpr char kProbe[] = R"(
import importlib.util, json, os, platform, re, runpy, shutil, subprocess, sys
torch = importlib.util.find_spec("torch")
home = os.path.dirname(torch.origin) if torch and torch.origin else ""
facts = runpy.run_path(os.path.join(home, "version.py")) if home else {}
triton = importlib.util.find_spec("triton")
triton = triton.origin if triton and triton.origin else ""
found = triton and re.search('__version__ = .([0-9.]+)', open(triton).read())
# As inline/toolchain.py looks for it.
nvcc = [place + "/bin/nvcc" for place in (
    os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda",
    os.path.dirname(os.path.dirname(shutil.which("nvcc") or "")))
    if place and os.path.exists(place + "/bin/nvcc")]
nvcc = nvcc and re.search('release ([0-9.]+)', subprocess.run(
    [nvcc[0], "--version"], stdout=subprocess.PIPE, text=True).stdout)
path = [os.path.realpath(p) for p in sys.path if p and os.path.isdir(p)]
wanted = [p for p in path if p.endswith(("-packages", "-dynload"))
          or p == os.path.dirname(os.__file__)
          or p == os.path.dirname(os.path.realpath(home))]
executable = os.path.realpath(sys.executable)
prefix = os.path.realpath(sys.base_prefix)
folders = [executable] + ([] if prefix == "/usr" else [prefix]) + wanted
print(json.dumps({"executable": executable, "folders": folders,
                  "path": os.pathsep.join(wanted),
                  "version": platform.python_version(),
                  "torch": str(facts.get("__version__", "")),
                  "triton": found[1] if found else "",
                  "nvcc": nvcc[1] if nvcc else "",
                  "cuda": str(facts.get("cuda") or "")}))
)";

bool IsBelow(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

bool IsBelowAny(const std::string& path,
                const std::vector<std::string>& folders) {
  return std::ranges::any_of(
      folders, [&](const auto& folder) { return IsBelow(path, folder); });
}

}  // namespace

Result<Interpreter> FindInterpreter(const std::string& python) {
  std::error_code unknown;
  if (python.find('/') != std::string::npos &&
      !std::filesystem::exists(python, unknown)) {
    return Fail(Errc::kUsage, python +
                                  ": no such file; --python names a "
                                  "Python with PyTorch");
  }
  const std::string output =
      OutputOf("exec timeout 60 " + ShellQuoted(python) + " -c " +
               ShellQuoted(kProbe) + " 2>/dev/null");
  const auto facts = nlohmann::json::parse(output, nullptr, false);
  if (!facts.is_object()) {
    return Fail(Errc::kUnavailable,
                python + ": is no Python 3.9 or later; --python names one");
  }
  Interpreter found;
  found.torch = facts.value("torch", "");
  if (found.torch.empty()) {
    return Fail(Errc::kUnavailable,
                python +
                    ": has no PyTorch; install it (pip install torch), or "
                    "name another Python by --python");
  }
  found.executable = facts.value("executable", "");
  found.triton = facts.value("triton", "");
  found.nvcc = facts.value("nvcc", "");
  found.path = facts.value("path", "");
  found.version = facts.value("version", "");
  found.cuda = facts.value("cuda", "");
  std::vector<std::string> kept = {"/usr/lib"};  // Is there anyway.
  for (const auto& folder : facts["folders"]) {
    const std::string name = folder.get<std::string>();
    if (IsBelowAny(name, kept)) continue;
    kept.push_back(name);
    found.folders.emplace_back(name);
  }
  return found;
}

Result<ExtensionToolchain> FindToolchain(const Interpreter& interpreter,
                                         const std::filesystem::path& scripts,
                                         const std::string& architecture) {
  // Not in the folder we are in, where modules of these names may be.
  const std::string output = OutputOf(
      "cd / && PYTHONPATH=" +
      ShellQuoted(scripts.string() + ":" + interpreter.path) +
      " exec timeout 60 " + ShellQuoted(interpreter.executable.string()) +
      " -s -B -m inline.toolchain " + ShellQuoted(architecture) +
      " 2>/dev/null");
  const auto facts = nlohmann::json::parse(output, nullptr, false);
  if (!facts.is_object()) {
    return Fail(Errc::kUnavailable, interpreter.executable.string() +
                                        ": its torch cannot compile "
                                        "extensions: inline/toolchain.py");
  }
  ExtensionToolchain found;
  found.text = output;
  found.folders = interpreter.folders;
  std::vector<std::string> kept = {"/usr/lib", "/usr/include"};
  for (const auto& folder : interpreter.folders) kept.push_back(folder);
  for (const char* key : {"python_include", "cuda"}) {
    const auto& folder = facts[key];
    if (!folder.is_string() || IsBelowAny(folder, kept)) continue;
    std::error_code gone;
    if (!std::filesystem::is_directory(folder.get<std::string>(), gone)) {
      continue;
    }
    found.folders.emplace_back(folder.get<std::string>());
  }
  return found;
}

}  // namespace coppice::eval::torch
