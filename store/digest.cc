#include "store/digest.h"

#include <openssl/evp.h>

#include <stdexcept>

namespace coppice::store {
namespace {

// Looked up once: OpenSSL 3 spends a microsecond on each look-up.
const EVP_MD* Algorithm() {
  static const EVP_MD* const algorithm =
      EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return algorithm;
}

void Check(int ok) {
  if (ok != 1) throw std::runtime_error("libcrypto: SHA-256 is unavailable");
}

}  // namespace

struct FieldHasher::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Digest Sha256(std::string_view text) {
  Digest digest;
  Check(EVP_Digest(text.data(), text.size(), digest.data(), nullptr,
                   Algorithm(), nullptr));
  return digest;
}

std::string ToHex(const Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const std::uint8_t byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::uint64_t ShortHash(const Digest& digest) {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < 8; ++i) hash = hash << 8 | digest[i];
  return hash == 0 ? 1 : hash;
}

FieldHasher::FieldHasher() : state_(std::make_unique<State>()) {
  Check(EVP_DigestInit_ex(state_->context, Algorithm(), nullptr));
}

FieldHasher::~FieldHasher() = default;

void FieldHasher::Add(std::string_view field) {
  const std::string length = std::to_string(field.size()) + ":";
  Check(EVP_DigestUpdate(state_->context, length.data(), length.size()));
  Check(EVP_DigestUpdate(state_->context, field.data(), field.size()));
}

void FieldHasher::Add(std::int64_t field) { Add(std::to_string(field)); }

Digest FieldHasher::Finish() {
  Digest digest;
  Check(EVP_DigestFinal_ex(state_->context, digest.data(), nullptr));
  return digest;
}

}  // namespace coppice::store
