// A YAML file as a tree of our own, each part with its file and line. Nothing else of Opsight's readers of
// Timeloop's files sees the YAML library. Anchors are written out and merges (<<) done, within limits, so a
// small file cannot become a huge tree. Merges are of two kinds, as in Accelergy: "<<" adds the members that
// are not there, "<<<" also those of maps inside of maps.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace opsight::importer::timeloop {

struct TreeMember;

struct Tree {
    enum class Kind : uint8_t { kEmpty, kText, kList, kMap };

    Kind kind = Kind::kEmpty;
    int line = 0;
    std::shared_ptr<const std::string> file;
    std::string tag;      // "!Component", where one is written
    std::string text;     // of kText
    bool quoted = false;  // so it is a text, and no expression
    std::vector<Tree> items;
    std::vector<TreeMember> members;

    bool is_map() const { return kind == Kind::kMap; }
    bool is_list() const { return kind == Kind::kList; }
    bool is_text() const { return kind == Kind::kText; }
    // The member of that name, or of one of these; null: there is none, or it is empty.
    const Tree* find(std::string_view key) const;
    const Tree* find(std::initializer_list<std::string_view> keys) const;

    Error error(std::string what, std::string remedy = {}) const;
    // Values of members; the fallback where there is none.
    Result<std::string> text_of(std::string_view key, std::string fallback) const;
    Result<int64_t> whole_of(std::initializer_list<std::string_view> keys, int64_t fallback) const;
    Result<double> number_of(std::initializer_list<std::string_view> keys, double fallback) const;
    // This as one.
    Result<int64_t> whole() const;
    Result<double> number() const;
};

struct TreeMember {
    std::string key;
    Tree value;
};

// The text of one file; `name` stands in errors. A text with the tag !included is a number: that of
// `included` stands in its place.
Result<Tree> parse_yaml(const std::string& text, const std::string& name,
                        const std::vector<Tree>& included = {});

}  // namespace opsight::importer::timeloop
