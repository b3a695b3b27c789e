#include "agents/catalogue/rewriting.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

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
  int number = 0;
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t end = std::min(source.find('\n', at), source.size());
    std::string line = source.substr(at, end - at);
    at = end + 1;
    if (++number <= kernel->body_line || number >= kernel->last_line) continue;
    if (line.starts_with("  ")) line.erase(0, 2);
    body += line + '\n';
  }
  return body;
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

std::string ProductOf(std::string_view second) {
  return "  for (int64_t i = 0; i < M; ++i) {\n"
         "    for (int64_t j = 0; j < N; ++j) {\n"
         "      float sum = 0.0f;\n"
         "      for (int64_t k = 0; k < K; ++k) {\n"
         "        sum += a[i * K + k] * " +
         std::string(second) +
         ";\n"
         "      }\n"
         "      c[i * N + j] = sum;\n"
         "    }\n"
         "  }\n";
}

std::string Rewrite(std::string_view statements, std::string_view label,
                    const Setting& setting) {
  const std::string file = RewriteFile(KernelOf(statements), label, setting);
  return file.starts_with("refused") ? file : BodyOf(file);
}

LoadedKernel::LoadedKernel(const std::string& source) {
  std::string folder =
      (std::filesystem::temp_directory_path() / "coppice_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    ADD_FAILURE() << folder << ": cannot be made";
    return;
  }
  std::ofstream(folder + "/kernel.cc") << source;
  const std::string command =
      "g++ -std=c++20 -O1 -march=native -fopenmp -fPIC -shared -o " + folder +
      "/kernel.so " + folder + "/kernel.cc";
  if (std::system(command.c_str()) == 0) {
    // Never unloaded: threads of its OpenMP runtime outlive a call.
    library_ =
        dlopen((folder + "/kernel.so").c_str(), RTLD_NOW | RTLD_NODELETE);
    if (library_ != nullptr) entry_ = dlsym(library_, "run");
  }
  std::filesystem::remove_all(folder);
  EXPECT_NE(entry_, nullptr) << source;
}

LoadedKernel::~LoadedKernel() {
  if (library_ != nullptr) dlclose(library_);
}

}  // namespace coppice::agents::catalogue
