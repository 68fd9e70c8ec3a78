#include "query/nsys/expert.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace opsight::query::nsys {
namespace {

const ThresholdOption* find_option(std::string_view name) {
    for (const ThresholdOption& option : threshold_options())
        if (option.name == name) return &option;
    return nullptr;
}

bool takes(const Rule& rule, std::string_view option) {
    return option == "rows" ||
           std::find(rule.options.begin(), rule.options.end(), option) != rule.options.end();
}

}  // namespace

const std::vector<ThresholdOption>& threshold_options() {
    static const std::vector<ThresholdOption> all = {
        {"rows", &Thresholds::rows, 1, 1'000'000'000, "Rows of each rule's table"},
        {"gap", &Thresholds::gap_ms, 0, 1'000'000'000,
         "gpu_gaps: shortest idle time that counts, in milliseconds"},
        {"threshold", &Thresholds::use_pct, 1, 1'000'000,
         "gpu_time_util: chunks used less, in percent, count"},
        {"chunks", &Thresholds::chunks, 1, 1000,
         "gpu_time_util: equal parts that a device's time is cut into"},
        {"small", &Thresholds::small_copy_bytes, 0, 1'000'000'000'000,
         "cuda_memcpy_sync: copies to the device up to this many bytes do not count"},
    };
    return all;
}

const Registry<Rule>& rules() {
    static const Registry<Rule> all(
        {"analyze", "--rule", "there is no rule", "'opsight analyze --help-rules' lists them", {}}, [] {
            std::vector<Rule> list = cuda_call_rules();
            for (Rule& rule : gpu_use_rules())
                list.push_back(std::move(rule));
            return list;
        }());
    return all;
}

std::string usage(const Rule& rule) {
    std::string text(rule.name);
    for (const ThresholdOption& option : threshold_options())
        if (takes(rule, option.name)) text += fmt::format("[:{}=<n>]", option.name);
    return text;
}

Status check_thresholds(const Thresholds& thresholds) {
    for (const ThresholdOption& option : threshold_options())
        if (const int64_t value = thresholds.*option.value; value < option.least || value > option.most)
            return fail(Error{fmt::format("{}={} is out of range", option.name, value),
                              {},
                              {},
                              fmt::format("use {} to {}", option.least, option.most),
                              2});
    return {};
}

Result<RuleRequest> parse_rule(std::string_view text, const Thresholds& defaults) {
    const std::string_view name = text.substr(0, text.find(':'));
    RuleRequest request{nullptr, defaults, std::string(text)};
    OPSIGHT_ASSIGN(request.rule, rules().get(name));
    for (size_t at = name.size(); at < text.size();) {
        const size_t end = std::min(text.find(':', at + 1), text.size());
        const std::string_view word = text.substr(at + 1, end - at - 1);
        const size_t equals = std::min(word.find('='), word.size());
        const ThresholdOption* option = find_option(word.substr(0, equals));
        int64_t value = 0;
        const char* last = word.data() + word.size();
        const auto read = std::from_chars(std::min(word.data() + equals + 1, last), last, value);
        if (!option || !takes(*request.rule, option->name) || read.ec != std::errc() || read.ptr != last)
            return fail(Error{fmt::format("rule {} takes no argument '{}'", name, word),
                              {},
                              {},
                              "its form is " + usage(*request.rule),
                              2});
        request.thresholds.*option->value = value;
        at = end;
    }
    OPSIGHT_TRY(check_thresholds(request.thresholds));
    return request;
}

}  // namespace opsight::query::nsys
