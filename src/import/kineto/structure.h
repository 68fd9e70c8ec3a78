// The structure of a stretch of JSON text: where its brackets, colons, commas and values begin, outside of
// strings. This is simdjson's first stage (runs at memory speed, checks UTF-8, quotes and control
// characters); what walks over the structure is ours, as it must stop and go on where a trace is damaged.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace opsight::importer::kineto {

class Structure {
  public:
    Structure();
    ~Structure();

    // Finds the structure of [text, text + size); false where that is not JSON text at all. The byte behind
    // is set to 0. The text must stay in place.
    bool build(char* text, size_t size);

    // Structural places, in order; place(count()) is the end of the text. Reading two further is allowed.
    size_t count() const { return count_; }
    const char* place(size_t i) const { return text_ + places_[i]; }
    char at(size_t i) const { return text_[places_[i]]; }
    // The text from one place to the next.
    std::string_view token(size_t i) const { return {place(i), places_[i + 1] - places_[i]}; }

  private:
    struct Indexer;
    std::unique_ptr<Indexer> indexer_;
    const char* text_ = nullptr;
    const uint32_t* places_ = nullptr;
    size_t count_ = 0, capacity_ = 0;
};

// Walks over values of a Structure. Every function leaves `i` at the next place, or gives false.
// Brackets are matched by depth only, as in Scanner.
bool skip_container(const Structure& s, size_t& i);

// The raw text of the value at `i`: scalars as their token, arrays and objects whole.
bool read_raw(const Structure& s, size_t& i, std::string_view& value);

// After a member or element: false at the closing bracket `close`, which is passed; `good` is unset where
// neither comma nor that bracket follows.
inline bool more(const Structure& s, size_t& i, char close, bool& good) {
    const char c = s.at(i);
    good = c == ',' || c == close;
    ++i;
    return c == ',';
}

}  // namespace opsight::importer::kineto
