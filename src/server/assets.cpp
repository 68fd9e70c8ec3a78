#include "server/assets.h"

#include <algorithm>

#include "server/assets_data.h"

namespace opsight::server {
namespace {

const Asset* find(std::string_view path) {
    const auto found = std::find_if(asset_list().begin(), asset_list().end(),
                                    [&](const Asset& a) { return a.path == path; });
    return found == asset_list().end() ? nullptr : &*found;
}

// The last part has an ending: a file, not the address of a view.
bool names_a_file(std::string_view path) {
    return path.find('.', path.rfind('/') + 1) != path.npos;
}

bool takes_gzip(const Request& request) {
    return request.header("accept-encoding").find("gzip") != std::string_view::npos;
}

Response without_page() {
    Response response;
    response.status = 503;
    response.type = "text/html; charset=utf-8";
    response.body =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Opsight</title></head>\n"
        "<body><h1>This build of Opsight has no page</h1><p>It was built without npm, which makes the page "
        "from "
        "the sources in <code>web/</code>: run <code>./dev setup</code> and build again. The data are "
        "served under <code>/api/v1/profiles</code>.</p></body></html>\n";
    return response;
}

}  // namespace

bool has_page() {
    return find("/index.html") != nullptr;
}

Response serve_asset(const Request& request) {
    if (request.method != "GET" && request.method != "HEAD") {
        Response response = to_response({405, "method_not_allowed", "this address takes only GET", ""});
        response.headers.emplace_back("Allow", "GET");
        return response;
    }
    if (!has_page()) return without_page();
    const Asset* asset = find(request.path);
    if (!asset && names_a_file(request.path))
        return to_response({404, "not_found", "there is nothing at " + request.path, ""});
    if (!asset) asset = find("/index.html");
    Response response;
    response.type = std::string(asset->type);
    response.headers.emplace_back("ETag", asset->etag);
    response.headers.emplace_back("Cache-Control", "no-cache");  // kept, but asked for each time
    response.headers.emplace_back("Vary", "Accept-Encoding");
    if (request.header("if-none-match") == asset->etag) {
        response.status = 304;
        return response;
    }
    const bool packed = !asset->gzip.empty() && takes_gzip(request);
    if (packed) response.headers.emplace_back("Content-Encoding", "gzip");
    response.body = std::string(packed ? asset->gzip : asset->plain);
    return response;
}

}  // namespace opsight::server
