// What shells load to complete command lines: the files of completions/.
#pragma once

namespace coppice::cli {

extern const char* const kBashCompletion;
extern const char* const kZshCompletion;
extern const char* const kFishCompletion;

}  // namespace coppice::cli
