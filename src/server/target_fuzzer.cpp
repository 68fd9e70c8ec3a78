// Takes any text as the target of a request, and lets all addresses of a viewer without profiles answer it.
#include <string_view>

#include "server/profiles.h"
#include "server/router.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace opsight::server;
    static Profiles profiles({}, true);
    static Router router(all_routes());
    Request request;
    request.method = "GET";
    if (parse_target({reinterpret_cast<const char*>(data), size}, request))
        (void)router.answer(request, profiles);
    return 0;
}
