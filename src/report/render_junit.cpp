#include "report/render_junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/escape.h"

namespace opsight::report {
namespace {

// XML has no way to write control characters.
std::string xml_text(const std::string& text) {
    std::string out = html_escaped(text);
    std::replace_if(
        out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; },
        ' ');
    return out;
}

}  // namespace

std::string render_junit(const std::vector<query::GateResult>& results) {
    const auto failed = std::count_if(results.begin(), results.end(),
                                      [](const query::GateResult& each) { return !each.held; });
    std::string out = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"opsight compare\" "
        "tests=\"{}\" failures=\"{}\">\n",
        results.size(), failed);
    for (const query::GateResult& each : results) {
        out += fmt::format("<testcase classname=\"opsight.compare\" name=\"{}\">", xml_text(each.gate));
        if (!each.held)
            out +=
                fmt::format("<failure message=\"{}\">{}</failure>", xml_text(each.summary),
                            xml_text(each.unjudged.empty() ? fmt::format("{}", fmt::join(each.failures, "; "))
                                                           : "cannot be judged: " + each.unjudged));
        out += "</testcase>\n";
    }
    return out + "</testsuite>\n</testsuites>\n";
}

}  // namespace opsight::report
