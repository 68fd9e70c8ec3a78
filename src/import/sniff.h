// Tells formats apart by their first bytes.
#pragma once

#include <string>
#include <string_view>

namespace opsight {

enum class Format { kJson, kTar, kGzip, kEmpty, kSqlite, kOther };

struct Sniffed {
    Format format = Format::kOther;
    std::string what;  // of kOther: "a SQLite database", ...
    std::string hint;  // what to do about it
};

inline constexpr size_t kSniffBytes = 4096;

Sniffed sniff(std::string_view first_bytes);

// Which other profiler wrote these first bytes of a list of trace events, "ONNX Runtime"; empty: none that is
// known.
std::string foreign_profiler(std::string_view first_bytes);

}  // namespace opsight
