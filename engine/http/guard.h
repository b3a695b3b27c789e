// Who may ask a server that listens on this machine, and from which pages.
//
// The page shows what models wrote and can spend money.  So whoever asks has
// the token, by a cookie that no other site's request carries, or, if it is a
// program, by the header `Authorization: Bearer TOKEN`; a name that was
// made to lead here (DNS rebinding) is no name of ours; and what changes
// anything comes from our own page, as browsers say and as no form can.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/http/request.h"

namespace coppice::http {

// How whoever asks shows the token: by a cookie, as browsers do, or by the
// header `Authorization: Bearer`, as programs do.
enum class Shown : std::uint8_t { kByCookie, kByHeader };

struct Door {
  std::string token;                 // 64 hexadecimal digits.
  std::uint16_t port = 0;            // 0: a socket in the file system.
  std::vector<std::string> hosts{};  // Names of ours beside localhost.
  Shown shown = Shown::kByCookie;
  // What whoever lacks the token is told to do, if it is shown by a header.
  std::string remedy{};
};

// "coppice-8080": cookies ignore ports, so servers would log each other out.
std::string CookieName(const Door& door);

// Takes as long for every text of that length, wherever the first difference.
bool AreEqual(std::string_view secret, std::string_view given);

// Whether a browser that was led here by this Host asks for us.
bool IsOurHost(const Door& door, std::string_view host);

// What is answered instead; none: the request may pass.  `/?token=...` is
// answered here in either case.
std::optional<Answer> Stop(const Door& door, const Request& request);

}  // namespace coppice::http
