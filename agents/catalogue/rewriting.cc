#include "agents/catalogue/rewriting.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "agents/catalogue/agent/catalogue.h"
#include "agents/catalogue/anchors.h"
#include "agents/catalogue/kernel.h"

namespace coppice::agents::catalogue {
namespace {

Lines WholeBody(const std::string& source) {
  const auto kernel = ParseKernel(source);
  if (!kernel || kernel->body.empty()) return {};
  return {kernel->body.front().first_line, kernel->body.back().last_line};
}

// The lines between the braces of the entry, without their indentation.
std::string BodyOf(const std::string& source) {
  const auto kernel = ParseKernel(source);
  if (!kernel) return "not a kernel: " + kernel.error();
  std::string body;
  EachLine(source, [&](int number, std::string_view line) {
    if (number <= kernel->body_line || number >= kernel->last_line) return;
    body += line.starts_with("  ") ? line.substr(2) : line;
  });
  return body;
}

struct Compilation {
  void* library = nullptr;
  std::string words;  // The compiler's.
};

Compilation Compile(const std::string& source) {
  std::string folder =
      (std::filesystem::temp_directory_path() / "coppice_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    ADD_FAILURE() << folder << ": cannot be made";
    return {};
  }
  std::ofstream(folder + "/kernel.cc") << source;
  const std::string command =
      "g++ -std=c++20 -O1 -march=native -fopenmp -fPIC -shared -o " + folder +
      "/kernel.so " + folder + "/kernel.cc 2>" + folder + "/words";
  Compilation made;
  if (std::system(command.c_str()) == 0) {
    // Never unloaded: threads of its OpenMP runtime outlive a call.
    made.library =
        dlopen((folder + "/kernel.so").c_str(), RTLD_NOW | RTLD_NODELETE);
  }
  std::ostringstream words;
  words << std::ifstream(folder + "/words").rdbuf();
  made.words = words.str();
  std::filesystem::remove_all(folder);
  return made;
}

// The numbers in "file_7:12:3: error: ...".
std::set<std::size_t> Accused(const std::string& words) {
  std::set<std::size_t> files;
  std::istringstream lines(words);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("file_") && line.find(" error: ") != line.npos) {
      files.insert(std::stoul(line.substr(5)));
    }
  }
  return files;
}

// The files as one: each in a namespace, and its entry numbered.
std::string Together(const std::vector<std::string>& sources) {
  std::set<std::string> headers;
  std::string all;
  for (std::size_t file = 0; file < sources.size(); ++file) {
    const std::string number = std::to_string(file);
    all += "namespace file_" + number + " {\n#line 1 \"file_" + number + "\"\n";
    std::istringstream lines(sources[file]);
    for (std::string line; std::getline(lines, line); all += line + '\n') {
      if (line.starts_with("#include")) {
        headers.insert(std::exchange(line, ""));
      }
      if (const auto entry = line.find("extern \"C\" void run(");
          entry != line.npos) {
        line.insert(entry + 19, "_" + number);
      }
    }
    all += "}\n";
  }
  std::string text;
  for (const std::string& header : headers) text += header + '\n';
  return text + all;
}

}  // namespace

std::string KernelOf(std::string_view statements) {
  return "#include <cstdint>\n\nextern \"C\" void run(const float* a, const "
         "float* b, float* c, int64_t M, int64_t N, int64_t K) {\n" +
         std::string(statements) + "}\n";
}

std::string RewriteFile(const std::string& source, std::string_view label,
                        const Setting& setting) {
  const Lines body = WholeBody(source);
  auto rewritten = RewriteSpan(source, body.first, body.last, label, setting);
  return rewritten ? *rewritten : "refused: " + rewritten.error();
}

std::string FoldOf(std::string_view statements, std::string_view range,
                   std::string_view name) {
  const std::string sum(name);
  return "  for (int64_t i = 0; i < M; ++i) {\n"
         "    for (int64_t j = 0; j < N; ++j) {\n"
         "      float " +
         sum + " = 0.0f;\n      for (int64_t k = " + std::string(range) +
         ") {\n        " + std::string(statements) +
         "\n      }\n      c[i * N + j] = " + sum + ";\n    }\n  }\n";
}

std::string ProductOf(std::string_view second) {
  return FoldOf("sum += a[i * K + k] * " + std::string(second) + ";",
                "0; k < K; ++k", "sum");
}

std::string Rewrite(std::string_view statements, std::string_view label,
                    const Setting& setting) {
  const std::string file = RewriteFile(KernelOf(statements), label, setting);
  return file.starts_with("refused") ? file : BodyOf(file);
}

std::string WhyNot(std::string_view statements, std::string_view label,
                   const Setting& setting) {
  const std::string made = Rewrite(statements, label, setting);
  if (!made.starts_with("refused: ")) return "applies";
  const auto colon = made.find(": ", 9);
  return colon == made.npos ? made.substr(9) : made.substr(colon + 2);
}

LoadedKernel::LoadedKernel(const std::string& source) {
  const Compilation made = Compile(source);
  library_ = made.library;
  if (library_ != nullptr) entry_ = dlsym(library_, "run");
  EXPECT_NE(entry_, nullptr) << made.words << source;
}

LoadedKernel::~LoadedKernel() {
  if (library_ != nullptr) dlclose(library_);
}

KernelLibrary::KernelLibrary(std::vector<std::string> sources) {
  Compilation made = Compile(Together(sources));
  for (const std::size_t file : Accused(made.words)) {
    ADD_FAILURE() << "file " << file << " does not compile:\n" << sources[file];
    sources[file].clear();
  }
  if (made.library == nullptr) made = Compile(Together(sources));
  library_ = made.library;
  EXPECT_NE(library_, nullptr) << made.words;
}

KernelLibrary::~KernelLibrary() {
  if (library_ != nullptr) dlclose(library_);
}

void* KernelLibrary::Entry(std::size_t file) const {
  if (library_ == nullptr) return nullptr;
  return dlsym(library_, ("run_" + std::to_string(file)).c_str());
}

}  // namespace coppice::agents::catalogue
