// The page: the files of web/dist, built into the program (cmake/Web.cmake).
#pragma once

#include <optional>
#include <string_view>

#include "server/http.h"

namespace opsight::server {

struct Asset {
    std::string_view path;         // "/assets/index-1a2b3c.js"
    std::string_view type;         // "text/javascript; charset=utf-8"
    std::string_view etag;         // quoted
    std::string_view plain, gzip;  // gzip: empty where it would not be smaller
};

bool has_page();
// The answer for a path outside of the API. Addresses of views, which only the page knows, are its index.
Response serve_asset(const Request& request);

}  // namespace opsight::server
