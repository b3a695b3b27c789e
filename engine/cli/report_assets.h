// The style and the script of a report (report_style.css, report_script.js).
#pragma once

namespace coppice::cli {

extern const char* const kReportStyle;
extern const char* const kReportScript;

}  // namespace coppice::cli
