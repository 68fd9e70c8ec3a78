#include "base/duckdb_error.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace opsight::duck {

// DuckDB's own types of errors are too coarse ("IO Error"): its words are compared here, and nowhere else.
Error duckdb_error(const char* text) {
    constexpr std::pair<std::string_view, ErrorCode> kWords[] = {
        {"Could not set lock", ErrorCode::kLocked},
        {"No space left on device", ErrorCode::kNoSpace},
        {"Disk quota exceeded", ErrorCode::kNoSpace},
        {"newer version of DuckDB", ErrorCode::kNewerSchema},
        {"storage version greater than", ErrorCode::kNewerSchema},
    };
    Error error{text ? text : "unknown DuckDB error"};
    const std::string_view words = error.what;
    for (const auto& [part, code] : kWords)
        if (words.find(part) != std::string_view::npos) error.code = code;
    // Where it fell within DuckDB helps nobody who reads a message.
    const size_t end = words.find("\n\nStack Trace:");
    error.what.resize(std::min(end, error.what.size()));
    return error;
}

}  // namespace opsight::duck
