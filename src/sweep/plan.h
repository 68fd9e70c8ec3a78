// What a sweep runs: its parameters, the points that they span, the command of each, and the order of the
// runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace opsight::sweep {

inline constexpr size_t kMostPoints = 2000, kMostRuns = 20'000, kMostValueLetters = 80;

struct Parameter {
    std::string name;
    std::vector<std::string> values;  // as given; each once
};

// The values of one point, in the order of the parameters.
using Point = std::vector<std::string>;

// "batch=32,64,128"
Result<Parameter> parse_parameter(std::string_view text);

// Every combination of the values, the last parameter changing fastest. Fails where there are too many, or a
// parameter is there twice.
Result<std::vector<Point>> points_of(const std::vector<Parameter>& parameters);

// "batch=32,hidden=512": names a point for people and in files of state.
std::string name_of(const std::vector<Parameter>& parameters, const Point& point);

// The number that a value is; nothing for other words. No infinities.
std::optional<double> number_of(std::string_view value);

// `{batch}` in each word stands for the value; `{{batch}}` is the text {batch}; other braces are left alone.
// Fails for a placeholder that is no parameter.
Result<std::vector<std::string>> words_of_point(const std::vector<std::string>& words,
                                                const std::vector<Parameter>& parameters, const Point& point);
// Fails where a placeholder is no parameter, or a parameter has no placeholder.
Status check_placeholders(const std::vector<std::string>& words, const std::vector<Parameter>& parameters);

struct Trial {
    size_t point = 0;
    int64_t repeat = 0;  // counted from 1
    bool bare = false;   // without the recording
    bool operator==(const Trial&) const = default;
};

// All runs: repetition by repetition, so that each is whole before the next begins, and in random order
// within one, so that what drifts (a clock, a temperature) does not follow a parameter. Alike for the same
// seed, on any machine.
std::vector<Trial> order_of(size_t points, int64_t repeats, bool with_bare, uint64_t seed);

}  // namespace opsight::sweep
