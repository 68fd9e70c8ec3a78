#include "sweep/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <random>
#include <set>

namespace opsight::sweep {
namespace {

Error usage(std::string what, std::string remedy) {
    return {.what = std::move(what), .remedy = std::move(remedy), .exit_code = 2};
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name(std::string_view text) {
    return !text.empty() && is_letter(text[0]) && std::all_of(text.begin(), text.end(), [](char c) {
        return is_letter(c) || (c >= '0' && c <= '9') || c == '-';
    });
}

// What is in a text beside plain letters: a placeholder, or one that is to stay as text.
struct Found {
    std::string_view before, name, rest;
    bool literal = false;
};
// The first of the text; nothing where there is none.
std::optional<Found> first_placeholder(std::string_view text) {
    for (size_t at = text.find('{'); at != text.npos; at = text.find('{', at + 1)) {
        const bool twice = text.substr(at).starts_with("{{");
        const size_t begin = at + (twice ? 2 : 1), end = text.find('}', begin);
        if (end == text.npos) return std::nullopt;
        const std::string_view name = text.substr(begin, end - begin);
        if (!is_name(name) || (twice && !text.substr(end).starts_with("}}"))) continue;
        return Found{text.substr(0, at), name, text.substr(end + (twice ? 2 : 1)), twice};
    }
    return std::nullopt;
}

Error no_such(std::string_view name, const std::vector<Parameter>& parameters) {
    std::vector<std::string> known;
    for (const Parameter& each : parameters)
        known.push_back("{" + each.name + "}");
    return usage(fmt::format("the command has {{{}}}, and no --vary gives it values", name),
                 fmt::format("known are {}; write {{{{{}}}}} where the text itself is meant",
                             fmt::join(known, ", "), name));
}

Result<std::string> filled(std::string_view word,
                           const std::function<Result<std::string>(std::string_view)>& get) {
    std::string out;
    while (const std::optional<Found> found = first_placeholder(word)) {
        out += found->before;
        if (found->literal) {
            out += fmt::format("{{{}}}", found->name);
        } else {
            OPSIGHT_ASSIGN(const std::string value, get(found->name));
            out += value;
        }
        word = found->rest;
    }
    return out.append(word);
}

}  // namespace

std::optional<double> number_of(std::string_view value) {
    double number = 0;
    const char* const end = value.data() + value.size();
    const auto [stop, problem] = std::from_chars(value.data(), end, number);
    if (problem != std::errc{} || stop != end || !std::isfinite(number)) return std::nullopt;
    return number;
}

Result<Parameter> parse_parameter(std::string_view text) {
    const size_t equals = text.find('=');
    if (equals == text.npos || !is_name(text.substr(0, equals)))
        return fail(usage(fmt::format("--vary {}: a name, = and values are expected", text),
                          "as in --vary batch=32,64,128; a name has letters, digits, _ and -"));
    Parameter out{std::string(text.substr(0, equals)), {}};
    std::set<std::string> words;
    std::set<double> numbers;
    for (std::string_view rest = text.substr(equals + 1);;) {
        const size_t comma = rest.find(',');
        std::string value(rest.substr(0, comma));
        const std::optional<double> number = number_of(value);
        if (value.empty() || value.size() > kMostValueLetters)
            return fail(
                usage(fmt::format("--vary {}: a value is {}", text.substr(0, 200),
                                  value.empty() ? "empty" : "too long"),
                      fmt::format("values have 1 to {} letters, with one comma between", kMostValueLetters)));
        if (!words.insert(value).second || (number && !numbers.insert(*number).second))
            return fail(usage(fmt::format("--vary {}: {} is there twice", out.name, value),
                              "give each value once; --repeat runs every point several times"));
        out.values.push_back(std::move(value));
        if (comma == rest.npos) return out;
        rest.remove_prefix(comma + 1);
    }
}

Result<std::vector<Point>> points_of(const std::vector<Parameter>& parameters) {
    std::vector<Point> points = {{}};
    std::set<std::string> names;
    for (const Parameter& each : parameters) {
        if (!names.insert(each.name).second)
            return fail(usage(fmt::format("--vary {} is given twice", each.name),
                              "give all its values at once, with commas between"));
        if (points.size() > kMostPoints / each.values.size())
            return fail(usage(fmt::format("the parameters span more than {} points", kMostPoints),
                              "vary fewer parameters, or fewer values of each"));
        std::vector<Point> longer;
        for (const Point& point : points)
            for (const std::string& value : each.values) {
                longer.push_back(point);
                longer.back().push_back(value);
            }
        points = std::move(longer);
    }
    return points;
}

std::string name_of(const std::vector<Parameter>& parameters, const Point& point) {
    std::string out;
    for (size_t i = 0; i < parameters.size(); ++i)
        out += fmt::format("{}{}={}", i > 0 ? "," : "", parameters[i].name, point.at(i));
    return out;
}

Result<std::vector<std::string>> words_of_point(const std::vector<std::string>& words,
                                                const std::vector<Parameter>& parameters,
                                                const Point& point) {
    std::vector<std::string> out;
    for (const std::string& word : words) {
        OPSIGHT_ASSIGN(std::string text, filled(word, [&](std::string_view name) -> Result<std::string> {
                           for (size_t i = 0; i < parameters.size(); ++i)
                               if (parameters[i].name == name) return point.at(i);
                           return fail(no_such(name, parameters));
                       }));
        out.push_back(std::move(text));
    }
    return out;
}

Status check_placeholders(const std::vector<std::string>& words, const std::vector<Parameter>& parameters) {
    std::set<std::string, std::less<>> used;
    for (const std::string& word : words) {
        OPSIGHT_TRY(filled(word, [&](std::string_view name) -> Result<std::string> {
            used.emplace(name);
            if (std::none_of(parameters.begin(), parameters.end(),
                             [&](const Parameter& each) { return each.name == name; }))
                return fail(no_such(name, parameters));
            return std::string();
        }));
    }
    for (const Parameter& each : parameters)
        if (!used.contains(each.name))
            return fail(usage(
                fmt::format("{{{0}}} stands nowhere, so every value of {0} would be the same run", each.name),
                fmt::format("put {{{}}} where its value belongs, or leave the --vary out", each.name)));
    return {};
}

std::vector<Trial> order_of(size_t points, int64_t repeats, bool with_bare, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Trial> all;
    for (int64_t repeat = 1; repeat <= repeats; ++repeat) {
        const size_t first = all.size();
        for (size_t point = 0; point < points; ++point)
            for (const bool bare : {false, true})
                if (!bare || with_bare) all.push_back({point, repeat, bare});
        // Not std::shuffle, whose order is up to the library.
        for (size_t left = all.size() - first; left > 1; --left)
            std::swap(all[first + left - 1], all[first + random() % left]);
    }
    return all;
}

}  // namespace opsight::sweep
