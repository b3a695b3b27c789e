// The Python whose PyTorch tests judge with: the one that COPPICE_PYTHON names,
// or else what scripts/setup has made, or else python3.  Defining
// COPPICE_SOURCE_DIR is the includer's.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace coppice {

inline std::string ChosenPython() {
  const char* named = std::getenv("COPPICE_PYTHON");
  if (named != nullptr) return named;
  const std::filesystem::path beside =
      COPPICE_SOURCE_DIR "/build/python/bin/python3";
  return std::filesystem::exists(beside) ? beside.string() : "python3";
}

}  // namespace coppice
