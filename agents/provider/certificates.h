// Which authorities' certificates a TLS connection trusts.
//
// A libcurl within the program knows no distribution's place for them, and one
// of the machine's heeds no variable, so either is told.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "store/records/result.h"

namespace coppice::agents {

struct Certificates {
  std::string file;    // All of them, as PEM.  Empty: none.
  std::string folder;  // A file for each, by its hash.  Empty: none.
};

// The value of an environment's variable, or null.
using Variable = std::function<const char*(const char* name)>;

// What SSL_CERT_FILE, else CURL_CA_BUNDLE, and SSL_CERT_DIR name; if they name
// nothing, the file of the distribution below `root`.  kUnavailable: there is
// none, and what to do.
Result<Certificates> FindCertificates(const Variable& variable,
                                      const std::filesystem::path& root);

// Those of this process and machine.
Result<Certificates> FindCertificates();

}  // namespace coppice::agents
