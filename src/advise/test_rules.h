// Runs of twenty steps for tests of rules, and what each must say of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "advise/test_findings.h"
#include "model/source_limits.h"
#include "query/reports/reports.h"

namespace opsight::advise {

using analyze::TestProfile;
using query::Session;
using query::StoredProfile;

inline constexpr std::string_view kSums[] = {"count(", "sum(", "avg(", "max(", "min("};
inline constexpr int64_t kUs = 1'000, kMs = 1'000'000;

// Twenty steps of 10 ms with a kernel of 8 ms each; what a test adds lies in the remaining 2 ms or beside it.
// Whether the page's table has rows that its filter leaves: "column:eq:text" or "column:contains:text".
inline bool leads_to_rows(Session& session, const Finding& finding) {
    const std::string& filter = finding.filter;
    const size_t op = filter.find(':'), text = filter.find(':', op + 1);
    const std::string column = filter.substr(0, op), sought = filter.substr(text + 1);
    const bool whole = filter.substr(op + 1, text - op - 1) == "eq";
    const auto report = query::make_report(session,
                                           finding.view == "ops"       ? "detailed"
                                           : finding.view == "kernels" ? "kernel"
                                                                       : finding.view,
                                           {});
    if (!report) return false;
    const query::ResultTable& table = report->sections.at(0).table;
    for (size_t i = 0; i < table.columns.size(); ++i) {
        if (table.columns[i].key != column) continue;
        for (const auto& row : table.rows)
            if (const auto* cell = std::get_if<std::string>(&row[i]);
                cell && (whole ? *cell == sought : cell->find(sought) != cell->npos))
                return true;
    }
    return false;
}

// The parts of a list in SQL, at commas outside of brackets and quotes.
inline std::vector<std::string> parts_of(std::string_view list) {
    std::vector<std::string> parts(1);
    int depth = 0;
    bool quoted = false;
    for (const char c : list) {
        quoted ^= c == '\'';
        if (!quoted) depth += (c == '(') - (c == ')');
        if (c == ',' && depth == 0 && !quoted)
            parts.emplace_back();
        else if (c != ' ' || !parts.back().empty())
            parts.back() += c;
    }
    return parts;
}

// The first column by which rows of equal rank are not put in order: which of them a limit leaves would be
// chance. Empty: there is none. Of a plain query that groups; what others list has times.
inline std::string not_in_order(std::string_view query) {
    const size_t order = query.rfind("ORDER BY "), from = query.find(" FROM ");
    if (order == query.npos || query.find("GROUP BY ALL") == query.npos || !query.starts_with("SELECT "))
        return {};
    const std::vector<std::string> keys =
        parts_of(query.substr(order + 9, query.find(" LIMIT", order) - order - 9));
    for (const std::string& column : parts_of(query.substr(7, from - 7))) {
        const size_t alias = column.rfind(" AS ");
        const std::string name = alias == column.npos ? column : column.substr(alias + 4);
        const bool is_sum = std::any_of(std::begin(kSums), std::end(kSums), [&](std::string_view sum) {
            return column.find(sum) != column.npos;
        });
        const auto is_it = [&](const std::string& key) { return key.substr(0, key.find(' ')) == name; };
        if (!is_sum && std::none_of(keys.begin(), keys.end(), is_it)) return name;
    }
    return {};
}

struct Recorded {
    TestProfile t;
    int64_t kernel_ns = 8 * kMs, steps = 20;
    bool device = true;
    int64_t next = 1;

    static int64_t at(int64_t step) { return 10 * kMs * step; }
    OpDetail detail(const std::string& shapes, const std::string& dtypes, const std::string& values = "") {
        OpDetail detail;
        detail.signature = t.builder.signature(
            {t.builder.text(shapes), t.builder.text(dtypes), t.builder.text(values), t.builder.text("")});
        return detail;
    }
    // In each step, from 300 us on, one after the other; with a kernel each from 9 ms on where it has a time.
    void row(const std::vector<std::string>& names, int64_t host_ns, int64_t kernel_ns_each,
             const std::vector<std::string>& shapes = {}) {
        for (int64_t i = 0; i < steps; ++i)
            for (int64_t k = 0; k < static_cast<int64_t>(names.size()); ++k) {
                const int64_t begin = at(i) + 300 * kUs + k * (host_ns + 200);
                const size_t at_k = static_cast<size_t>(k);
                t.op(names[at_k], begin, host_ns, t.thread(),
                     shapes.empty() ? OpDetail() : detail(shapes[at_k % shapes.size()], ""));
                if (kernel_ns_each > 0)
                    launched("elementwise_kernel", begin + 100, at(i) + 9 * kMs + k * kernel_ns_each,
                             kernel_ns_each);
            }
    }
    // In each step an op that encloses what is in a row.
    void around(const std::string& name, int64_t ns) {
        for (int64_t i = 0; i < steps; ++i)
            t.op(name, at(i) + 250 * kUs, ns);
    }
    void told(const std::string& key, const std::string& value) {
        t.builder.info().properties.push_back({key, value});
    }
    void begin(const std::string& gpu = "NVIDIA A100-SXM4-40GB") {
        t.builder.info().frameworks = {"PyTorch"};
        if (device) t.gpu(0, gpu, 8, 0).sm_count = 108;
        for (int64_t i = 0; i < steps; ++i) {
            t.annotation("ProfilerStep#" + std::to_string(i), at(i), 10 * kMs, t.thread());
            if (device) launched("ampere_sgemm_128x64_nn", at(i) + 100 * kUs, at(i) + 2 * kMs, kernel_ns);
        }
    }
    void launched(const std::string& kernel, int64_t call, int64_t begin, int64_t ns) {
        t.api("cudaLaunchKernel", call, 5 * kUs, t.thread(), next);
        t.kernel(kernel, begin, ns, t.stream(), next++);
    }
    // In each step an op of that length at 200 us, and what it launches at 9 ms.
    void op(const std::string& name, int64_t host_ns, int64_t kernel_ns_each,
            const std::string& kernel = "elementwise_kernel", const OpDetail& with = {}) {
        for (int64_t i = 0; i < steps; ++i) {
            t.op(name, at(i) + 200 * kUs, host_ns, t.thread(), with);
            if (kernel_ns_each > 0)
                launched(kernel, at(i) + 201 * kUs, at(i) + 9 * kMs + 100 * kUs, kernel_ns_each);
        }
    }
    void calls(const std::string& name, int64_t ns) {
        for (int64_t i = 0; i < steps; ++i)
            t.api(name, at(i) + 300 * kUs, ns, t.thread());
    }
    void marks(const std::string& name, int64_t ns) {
        for (int64_t i = 0; i < steps; ++i)
            t.annotation(name, at(i) + 200 * kUs, ns, t.thread());
    }
    void copies(int64_t count, int64_t bytes, const std::string& name) {
        for (int64_t i = 0; i < steps; ++i)
            for (int64_t k = 0; k < count; ++k) {
                t.api("cudaMemcpyAsync", at(i) + (200 + 40 * k) * kUs, 30 * kUs, t.thread(), next);
                DeviceSpan copy;
                copy.begin = at(i) + (205 + 40 * k) * kUs;
                copy.dur = 20 * kUs;
                copy.track = t.stream(8);
                copy.kind = DeviceKind::kMemcpy;
                copy.bytes = bytes;
                copy.correlation = next++;
                copy.transfer = t.builder.transfer(transfer_of_name(name));
                t.device(copy, name);
            }
    }
    Advice ask(const std::string& rule, const Options& options = {}) {
        const StoredProfile stored(std::move(t));
        Session session = stored.open();
        Options chosen = options;
        chosen.rules = {rule};
        auto advice = advise(session, chosen);
        EXPECT_TRUE(advice.has_value()) << advice.error().message();
        for (const Finding& each : advice->findings) {
            EXPECT_TRUE(each.filter.empty() || leads_to_rows(session, each))
                << each.rule << ": " << each.filter;
            EXPECT_EQ(not_in_order(each.query), "") << each.rule << ": " << each.query;
            if (each.query.empty() || each.kind == "unknown") continue;
            const auto rows = session.query(each.query);  // the evidence of what was found
            EXPECT_TRUE(rows && !rows->rows.empty()) << each.rule << ": " << each.query;
        }
        return std::move(advice).value();
    }
};

// What a run must be for the rule to speak, and a healthy one.
struct Case {
    const char* rule;
    std::function<void(Recorded&)> sick, healthy;
    double bound_pct;  // of the sick one; below 0: it has none
};

// Pages of the viewer: a link to another one is not shown.
inline bool is_page(const std::string& view) {
    constexpr const char* kPages[] = {"communication", "diagnostics", "gpus",   "iterations", "kernels",
                                      "memory",        "ops",         "ranges", "recorded",   "timeline"};
    return std::find(std::begin(kPages), std::end(kPages), view) != std::end(kPages);
}

// Where the source tells how long work took, and not when, a share is of what was recorded.
inline void expect_right_of_durations(const Case& each) {
    if (!find_rule(each.rule)->of_durations) return;
    Recorded sick;
    each.sick(sick);
    set_durations_only(sick.t.builder.info());
    const Advice found = sick.ask(each.rule);
    ASSERT_EQ(found.findings.size(), 1u);
    EXPECT_NE(found.findings[0].title.find(" of the recorded time"), std::string::npos)
        << found.findings[0].title;
    EXPECT_TRUE(found.findings[0].places.empty()) << "nobody knows when";
}

// Each rule speaks of the sick run, with its bound, and says nothing of the healthy one.
inline void expect_right(const std::vector<Case>& all) {
    for (const Case& each : all) {
        SCOPED_TRACE(each.rule);
        Recorded sick, healthy;
        each.sick(sick);
        each.healthy(healthy);
        const Advice found = sick.ask(each.rule);
        ASSERT_EQ(found.findings.size(), 1u);
        const Finding& finding = found.findings[0];
        EXPECT_EQ(finding.rule, each.rule);
        EXPECT_TRUE(is_page(finding.view)) << finding.view;
        EXPECT_EQ(finding.bound.has_value(), each.bound_pct >= 0);
        if (finding.bound) {
            EXPECT_NEAR(finding.bound->pct, each.bound_pct, 1.01) << finding.title;
        }
        const Advice fine = healthy.ask(each.rule);
        EXPECT_TRUE(fine.findings.empty()) << fine.findings[0].title;
        // Or the healthy one has nothing that the rule could look at, which is said.
        EXPECT_EQ(fine.quiet.size() + fine.not_checked.size(), 1u);
        expect_right_of_durations(each);
    }
}

}  // namespace opsight::advise
