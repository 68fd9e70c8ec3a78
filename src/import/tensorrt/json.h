// Reading of values that may be missing or of another type.
#pragma once

#include <simdjson.h>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace opsight::importer::tensorrt {

// A parsed document; what is taken from it lives as long as it does.
class Document {
  public:
    Result<simdjson::dom::element> read(std::string& text, bool& unclean);
    // `form`: of the document, for the error where it is not a list.
    Result<simdjson::dom::array> list(std::string& text, bool& unclean, const char* form);

  private:
    simdjson::dom::parser parser_;
};

std::string_view text_of(const simdjson::dom::object& from, std::string_view key);  // empty: none
int64_t integer(const simdjson::dom::object& from, std::string_view key);           // -1: none, or negative
std::vector<int64_t> integers(const simdjson::dom::object& from, std::string_view key);
// Of the first of the keys that is there, ms as ns; -1: none is, or it is not a time.
int64_t ns_of(const simdjson::dom::object& from, std::initializer_list<std::string_view> keys);

}  // namespace opsight::importer::tensorrt
