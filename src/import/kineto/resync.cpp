#include "import/kineto/resync.h"

#include "base/text.h"

#include <cstring>
#include <string_view>

namespace opsight::importer::kineto {
namespace {

// Whether the brace at `brace` opens an event; if so, where the comma before it is.
const char* comma_of_event(const char* first, const char* brace, const char* end) {
    const char* comma = brace;
    while (comma > first && text::is_space(comma[-1]))
        --comma;
    if (comma == first || comma[-1] != ',') return nullptr;
    const char* key = brace + 1;
    while (key < end && text::is_space(*key))
        ++key;
    const std::string_view rest(key, static_cast<size_t>(end - key));
    for (const std::string_view name :
         {"\"ph\"", "\"name\"", "\"cat\"", "\"ts\"", "\"pid\"", "\"tid\"", "\"dur\"", "\"id\"", "\"args\""})
        if (rest.starts_with(name)) return comma - 1;
    return nullptr;
}

}  // namespace

const char* find_event_start(const char* first, const char* end) {
    for (const char* at = first; at < end; ++at) {
        at = static_cast<const char*>(std::memchr(at, '{', static_cast<size_t>(end - at)));
        if (!at) return nullptr;
        if (const char* comma = comma_of_event(first, at, end)) return comma;
    }
    return nullptr;
}

const char* find_last_event_start(const char* first, const char* end) {
    for (const char* at = end; at > first;) {
        at = static_cast<const char*>(::memrchr(first, '{', static_cast<size_t>(at - first)));
        if (!at) return nullptr;
        if (const char* comma = comma_of_event(first, at, end)) return comma;
    }
    return nullptr;
}

}  // namespace opsight::importer::kineto
