#include "agents/provider/certificates.h"

#include <array>
#include <cstdlib>
#include <system_error>

namespace coppice::agents {
namespace {

namespace fs = std::filesystem;

constexpr std::array kPlaces = {
    "etc/ssl/certs/ca-certificates.crt",  // Debian, Arch, Alpine, Gentoo.
    "etc/pki/tls/certs/ca-bundle.crt",    // Fedora and its kin.
    "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Those since 2024.
    "etc/ssl/ca-bundle.pem",                             // SUSE.
    "etc/ssl/cert.pem",                                  // Alpine without more.
};

std::string ValueOf(const Variable& variable, const char* name) {
  const char* value = variable(name);
  return value == nullptr ? "" : value;
}

Error NoCertificates(const fs::path& root) {
  std::string places;
  for (const char* place : kPlaces) {
    places += (places.empty() ? "" : ", ") + (root / place).string();
  }
  return {Errc::kUnavailable,
          "this machine has no certificates of authorities: none of " + places +
              " is there; install ca-certificates, or name a file in "
              "SSL_CERT_FILE"};
}

}  // namespace

Result<Certificates> FindCertificates(const Variable& variable,
                                      const fs::path& root) {
  Certificates named{ValueOf(variable, "SSL_CERT_FILE"),
                     ValueOf(variable, "SSL_CERT_DIR")};
  if (named.file.empty()) named.file = ValueOf(variable, "CURL_CA_BUNDLE");
  if (!named.file.empty() || !named.folder.empty()) return named;
  for (const char* place : kPlaces) {
    std::error_code unknown;
    const fs::path file = root / place;
    if (fs::is_regular_file(file, unknown)) {
      return Certificates{file.string(), ""};
    }
  }
  return tl::unexpected(NoCertificates(root));
}

Result<Certificates> FindCertificates() {
  return FindCertificates([](const char* name) { return std::getenv(name); },
                          "/");
}

}  // namespace coppice::agents
