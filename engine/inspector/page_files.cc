// Without the page.
#include "engine/inspector/page_files.h"

namespace coppice::inspector {

std::span<const PageFile> PageFiles() { return {}; }

}  // namespace coppice::inspector
