#include "import/kineto/structure.h"

#include <simdjson.h>

#include <algorithm>
#include <new>

namespace opsight::importer::kineto {

struct Structure::Indexer {
    std::unique_ptr<simdjson::internal::dom_parser_implementation> stage;
};

Structure::Structure() : indexer_(std::make_unique<Indexer>()) {}
Structure::~Structure() = default;

bool Structure::build(char* text, size_t size) {
    constexpr size_t kMaxDepth = 1;  // of simdjson's second stage, which is not used
    if (size > capacity_) {
        capacity_ = std::max(size, capacity_ * 2);
        auto& stage = indexer_->stage;
        stage.reset();
        if (simdjson::get_active_implementation()->create_dom_parser_implementation(capacity_, kMaxDepth,
                                                                                    stage))
            throw std::bad_alloc();
    }
    text[size] = '\0';
    text_ = text;
    count_ = 0;
    if (size == 0) return true;
    auto& stage = *indexer_->stage;
    const auto* bytes = reinterpret_cast<const uint8_t*>(text);
    if (const auto error = stage.stage1(bytes, size, simdjson::stage1_mode::regular))
        return error == simdjson::EMPTY;
    places_ = stage.structural_indexes.get();
    count_ = stage.n_structural_indexes;
    return true;
}

bool skip_container(const Structure& s, size_t& i) {
    int64_t depth = 0;
    for (; i < s.count(); ++i) {
        const char c = s.at(i);
        if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            if (--depth == 0) {
                ++i;
                return true;
            }
        }
    }
    return false;
}

bool read_raw(const Structure& s, size_t& i, std::string_view& value) {
    const char* const first = s.place(i);
    switch (*first) {
        case '{':
        case '[':
            if (!skip_container(s, i)) return false;
            value = {first, static_cast<size_t>(s.place(i - 1) + 1 - first)};
            return true;
        case '}':
        case ']':
        case ',':
        case ':':
        case '\0':
            return false;
        default:
            value = s.token(i++);
            return true;
    }
}

}  // namespace opsight::importer::kineto
