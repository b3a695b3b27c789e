// figures.py as text, so that the program needs no file beside it.
#pragma once

namespace coppice::cli {

extern const char* const kFiguresScript;

}  // namespace coppice::cli
