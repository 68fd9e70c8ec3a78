#include "import/tensorrt/json.h"

#include <cmath>

#include "base/time.h"
#include "import/text/clean_text.h"

namespace opsight::importer::tensorrt {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

Result<element> Document::read(std::string& text, bool& unclean) {
    element document;
    auto error = parser_.parse(text).get(document);
    if (error == simdjson::UTF8_ERROR || error == simdjson::UNESCAPED_CHARS) {
        unclean = clean_text(text);
        error = parser_.parse(text).get(document);
    }
    if (error != simdjson::SUCCESS)
        return fail(
            std::string("an export of TensorRT breaks off or is damaged: ") + simdjson::error_message(error),
            {}, {}, "copy the file again, or run trtexec again");
    return document;
}

Result<array> Document::list(std::string& text, bool& unclean, const char* form) {
    OPSIGHT_ASSIGN(const element document, read(text, unclean));
    array rows;
    if (document.get(rows) != simdjson::SUCCESS)
        return fail(std::string("an export of TensorRT is not of the form ") + form);
    return rows;
}

std::string_view text_of(const object& from, std::string_view key) {
    std::string_view text;
    return from[key].get(text) == simdjson::SUCCESS ? text : std::string_view();
}

int64_t integer(const object& from, std::string_view key) {
    int64_t value = -1;
    return from[key].get(value) == simdjson::SUCCESS && value >= 0 ? value : -1;
}

std::vector<int64_t> integers(const object& from, std::string_view key) {
    std::vector<int64_t> out;
    array list;
    if (from[key].get(list) != simdjson::SUCCESS) return out;
    for (const element item : list) {
        int64_t value = 0;
        if (item.get(value) != simdjson::SUCCESS) return {};
        out.push_back(value);
    }
    return out;
}

int64_t ns_of(const object& from, std::initializer_list<std::string_view> keys) {
    constexpr double kNsPerMs = 1e6, kMost = static_cast<double>(kMaxNs) / 8;
    for (const std::string_view key : keys) {
        double ms = 0;
        const auto error = from[key].get(ms);
        if (error == simdjson::NO_SUCH_FIELD) continue;
        const bool is_time = error == simdjson::SUCCESS && ms >= 0 && ms * kNsPerMs < kMost;
        return is_time ? std::llround(ms * kNsPerMs) : -1;
    }
    return -1;
}

}  // namespace opsight::importer::tensorrt
