// The files of the page, which the build puts into the program.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace coppice::inspector {

struct PageFile {
  std::string_view path;  // "/index.html", "/assets/x-1a2b.js".
  std::string_view type;  // "text/javascript".
  std::string_view etag;  // By its contents.
  std::span<const std::byte> gzip;
};

// None: the program was built without the page.
std::span<const PageFile> PageFiles();

}  // namespace coppice::inspector
