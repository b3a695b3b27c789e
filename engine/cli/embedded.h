// Files of this folder as text, so that the program needs none beside it.
#pragma once

namespace coppice::cli {

extern const char* const kFiguresScript;   // figures.py
extern const char* const kReportStyle;     // report_style.css
extern const char* const kReportScript;    // report_script.js
extern const char* const kBashCompletion;  // Those of completions/.
extern const char* const kZshCompletion;
extern const char* const kFishCompletion;

}  // namespace coppice::cli
