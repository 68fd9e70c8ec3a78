#include "report/render_advice.h"

#include <fmt/format.h>

#include "report/escape.h"
#include "report/html_style.h"
#include "report/json_parts.h"
#include "report/render.h"
#include "report/units.h"

namespace opsight::report {
namespace {

using advise::Advice;
using advise::Bound;
using advise::Finding;

constexpr size_t kFirst = 3;   // findings of a summary
constexpr size_t kIndent = 5;  // of what lies below a finding's words

std::string time_of(int64_t ns) {
    return human(query::Unit::kNs, static_cast<double>(ns));
}

const char* per(const Advice& advice) {
    return advice.iterations > 0 ? " per iteration" : advice.ranks > 1 ? " of a rank" : "";
}

std::string bound_words(const Advice& advice, const Bound& bound) {
    std::string words =
        fmt::format("at most {}{} ({} %)", time_of(bound.ns), per(advice), percent_digits(bound.pct));
    if (bound.predicted_ns) words += fmt::format("; a replay saves {}", time_of(*bound.predicted_ns));
    return words;
}

// What stands before the title.
std::string rank_of(const Finding& finding) {
    if (finding.kind == "problem") return std::string(advise::severity_name(finding.severity));
    return finding.kind == "unknown" ? "not known" : finding.kind;
}

// Words broken into lines of at most `width` (0: one line), all after `indent` blanks.
std::string wrapped(std::string_view text, size_t width, size_t indent) {
    const std::string blanks(indent, ' ');
    std::string out = blanks;
    size_t column = indent;
    for (size_t at = 0; at < text.size();) {
        size_t end = text.find_first_of(" \n", at);
        if (end == text.npos) end = text.size();
        const std::string_view word = text.substr(at, end - at);
        if (column > indent) {
            const bool breaks = width > 0 && column + 1 + word.size() > width;
            out += breaks ? "\n" + blanks : " ";
            column = breaks ? indent : column + 1;
        }
        out += word;
        column += word.size();
        if (end < text.size() && text[end] == '\n') {
            out += "\n" + blanks;
            column = indent;
        }
        at = end + 1;
    }
    return out + "\n";
}

// Lines after the first stand below its text.
std::string numbered(size_t number, std::string_view text, size_t width) {
    const std::string head = fmt::format("{}. ", number);
    std::string out = wrapped(text, width, head.size());
    return out.replace(0, head.size(), head);
}

// Code, whose blanks mean something.
std::string indented(std::string_view code, size_t indent) {
    const std::string blanks(indent, ' ');
    std::string out = blanks;
    for (const char c : code) {
        out += c;
        if (c == '\n') out += blanks;
    }
    return out + "\n";
}

constexpr std::string_view kNotAsked =
    "No rule could be asked of this recording: it does not tell what they rest on.";

std::string head_words(const Advice& advice) {
    if (advice.findings.empty() && advice.quiet.empty()) return std::string(kNotAsked);
    const bool bounded = std::any_of(advice.findings.begin(), advice.findings.end(),
                                     [](const advise::Finding& each) { return each.bound.has_value(); });
    if (!advice.combined)
        return bounded ? "No gain is added up: the files do not fit together as one job."
                       : "Nothing to gain was found.";
    return fmt::format("All that is to gain, together: {} of {}.", bound_words(advice, *advice.combined),
                       time_of(advice.wall_ns));
}

// "no ops were recorded: data_loading, copies": each reason once, in the order of the first rule that it
// keeps.
std::vector<std::string> not_checked_words(const Advice& advice) {
    std::vector<std::pair<std::string_view, std::string>> reasons;
    for (const advise::NotChecked& each : advice.not_checked) {
        const auto known = std::find_if(reasons.begin(), reasons.end(),
                                        [&](const auto& reason) { return reason.first == each.why; });
        if (known == reasons.end())
            reasons.emplace_back(each.why, each.rule);
        else
            known->second += ", " + each.rule;
    }
    std::vector<std::string> words;
    for (const auto& [why, rules] : reasons)
        words.push_back(fmt::format("{}: {}", why, rules));
    return words;
}

std::string html_not_checked(const Advice& advice) {
    if (advice.not_checked.empty()) return {};
    std::string out = "<p class=\"note\">Not checked:</p><ul class=\"note\">";
    for (const std::string& words : not_checked_words(advice))
        out += fmt::format("<li>{}</li>", html_escaped(words));
    return out + "</ul>";
}

// "4.000 ms at 13.000 ms of rank 1, ...": where in the timeline.
std::string places_words(const Advice& advice, const Finding& f) {
    std::string words;
    for (const query::TimeSpan& each : f.places)
        words += fmt::format("{}{} at {}{}", words.empty() ? "" : ", ", time_of(each.end - each.begin),
                             time_of(each.begin),
                             advice.ranks > 1 ? fmt::format(" of rank {}", each.rank) : std::string());
    return words;
}

// The first rows of its evidence, as a terminal shows a table, without an end of line; empty: there are none.
std::string rows_text(const Finding& f, size_t width) {
    if (f.rows.table.rows.empty()) return {};
    std::string text = render_table(f.rows.table, static_cast<int>(width)).substr(1);  // it has no title
    if (f.rows.more) text += "...\n";
    text.pop_back();
    return text;
}

std::string evidence_words(const Advice& advice) {
    return "evidence, with opsight sql " + (advice.run.empty() ? "RUN" : advice.run);
}

std::string markdown_text(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (std::string_view("\\`*_{}[]<>#|~").find(c) != std::string_view::npos) out += '\\';
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out;
}

// Behind a title, which ends without a full stop.
std::string sentences(const Finding& f) {
    return f.evidence.empty() ? f.title : f.title + ". " + f.evidence;
}

// A fence that is longer than any in the text.
std::string markdown_code(const char* language, std::string_view text) {
    std::string fence = "```";
    while (text.find(fence) != text.npos)
        fence += '`';
    return fmt::format("{}{}\n{}\n{}\n\n", fence, language, text, fence);
}

std::string markdown_details(const Advice& advice, const Finding& f, size_t number) {
    std::string out = fmt::format("**{}. {}** (rule `{}`)\n\n", number, markdown_text(f.title), f.rule);
    if (f.bound) out += fmt::format("Bound: {}. ", markdown_text(f.bound->formula));
    out += fmt::format("Confidence {}.\n\n", markdown_text(f.confidence));
    if (!f.lines.empty()) out += "To change:\n\n" + markdown_code("", f.lines);
    if (!f.query.empty())
        out +=
            fmt::format("The {}:\n\n", markdown_text(evidence_words(advice))) + markdown_code("sql", f.query);
    if (const std::string rows = rows_text(f, 0); !rows.empty())
        out += "Its first rows:\n\n" + markdown_code("", rows);
    if (!f.verify.empty()) out += "Verify:\n\n" + markdown_code("sh", f.verify);
    return out;
}

void put_bound(JsonWriter& json, const std::optional<Bound>& bound) {
    if (!bound) {
        json.value(nullptr);
        return;
    }
    json.object([&] {
        json.field("ns", bound->ns).field("pct", bound->pct).field("formula", bound->formula);
        json.field("predicted_ns", bound->predicted_ns);
    });
}

std::string html_finding(const Advice& advice, const Finding& f) {
    const auto line = [](const char* name, const std::string& what, bool code) {
        if (what.empty()) return std::string();
        const std::string words = html_escaped(what);
        return fmt::format("<dt>{}</dt><dd>{}</dd>", name, code ? "<pre>" + words + "</pre>" : words);
    };
    std::string out = fmt::format("<li><h3>{} <small>{}</small></h3><p>{} {}</p><dl class=\"lines\">",
                                  html_escaped(f.title), html_escaped(rank_of(f)), html_escaped(f.evidence),
                                  html_escaped(f.advice));
    if (f.bound)
        out += line("To gain", bound_words(advice, *f.bound) + ". Bound: " + f.bound->formula + ".", false);
    return out + line("Confidence", f.confidence, false) + line("Longest", places_words(advice, f), false) +
           line("Change", f.lines, true) + line("Evidence", f.query, true) +
           line("Its first rows", rows_text(f, 0), true) + line("Verify", f.verify, true) + "</dl></li>";
}

constexpr const char* kLines =
    "li{margin:1rem 0}small{color:var(--soft);font-weight:400}pre{margin:0;white-space:pre-wrap}"
    "dl.lines{display:block}dl.lines div,dl.lines dt{margin-top:.3rem}dl.lines dd{text-align:left}";

}  // namespace

std::string render_advice(const Advice& advice, int width) {
    const auto columns = static_cast<size_t>(std::max(width, 0));
    std::string out = wrapped(head_words(advice), columns, 0);
    size_t number = 0;
    for (const Finding& f : advice.findings) {
        out += "\n" + numbered(++number, fmt::format("[{}] {}", rank_of(f), f.title), columns);
        if (f.bound)
            out += wrapped(
                fmt::format("to gain: {}. Bound: {}.", bound_words(advice, *f.bound), f.bound->formula),
                columns, 3);
        if (!f.evidence.empty()) out += wrapped(f.evidence, columns, 3);
        if (!f.advice.empty()) out += wrapped(f.advice, columns, 3);
        if (!f.lines.empty()) out += indented(f.lines, 5);
        out += wrapped(fmt::format("rule: {} (--explain {}); confidence {}", f.rule, f.rule, f.confidence),
                       columns, 3);
        if (!f.places.empty())
            out += wrapped("longest in the timeline: " + places_words(advice, f), columns, 3);
        if (!f.query.empty())
            out += wrapped(evidence_words(advice) + ":", columns, 3) + wrapped(f.query, columns, 5);
        if (const std::string rows = rows_text(f, columns > kIndent ? columns - kIndent : columns);
            !rows.empty())
            out += "\n" + indented(rows, kIndent) + "\n";
        if (!f.verify.empty()) out += wrapped("verify: " + f.verify, columns, 3);
    }
    if (!advice.not_checked.empty()) out += "\nNot checked:\n";
    for (const std::string& words : not_checked_words(advice))
        out += "-" + wrapped(words, columns, 2).substr(1);
    if (!advice.quiet.empty())
        out += "\n" +
               wrapped(fmt::format("Checked, nothing found: {}", fmt::join(advice.quiet, ", ")), columns, 0);
    if (!advice.prediction_note.empty()) out += wrapped(advice.prediction_note, columns, 0);
    return out;
}

std::string render_advice_in_short(const Advice& advice, const std::string& run, int width) {
    const auto columns = static_cast<size_t>(std::max(width, 0));
    std::string out = "Where to Look First\n";
    for (size_t i = 0; i < std::min(kFirst, advice.findings.size()); ++i) {
        const Finding& f = advice.findings[i];
        std::string words = fmt::format("[{}] {}", rank_of(f), f.title);
        if (f.bound) words += "; to gain: " + bound_words(advice, *f.bound);
        out += numbered(i + 1, words, columns);
        if (!f.advice.empty()) out += wrapped(f.advice, columns, 3);
    }
    if (advice.findings.empty())
        out += advice.quiet.empty() ? wrapped(kNotAsked, columns, 0) : "Nothing stands out.\n";
    return out + wrapped(fmt::format("Evidence, what to change, {}: opsight advise {}",
                                     advice.findings.size() > kFirst
                                         ? fmt::format("and {} more", advice.findings.size() - kFirst)
                                         : "and what was checked",
                                     run),
                         columns, 0);
}

std::string render_advice_section(const Advice& advice) {
    std::string out =
        fmt::format("<section id=\"advice\"><h2>Where to look first</h2><style>{}</style><p>{}</p><ol>",
                    kLines, html_escaped(head_words(advice)));
    for (const Finding& f : advice.findings)
        out += html_finding(advice, f);
    out += "</ol>";
    return out + html_not_checked(advice) + "</section>\n";
}

std::string render_advice_markdown(const Advice& advice) {
    std::string out = "### Advice\n\n" + markdown_text(head_words(advice)) + "\n\n";
    if (!advice.findings.empty())
        out += "| | Finding | To gain | What to change |\n| --- | --- | --- | --- |\n";
    for (const Finding& f : advice.findings)
        out += fmt::format("| {} | {} | {} | {} |\n", rank_of(f), markdown_text(sentences(f)),
                           f.bound ? markdown_text(bound_words(advice, *f.bound)) : "-",
                           markdown_text(f.advice));
    if (!advice.not_checked.empty()) out += "\nNot checked:\n\n";
    for (const std::string& words : not_checked_words(advice))
        out += "- " + markdown_text(words) + "\n";
    if (!advice.findings.empty()) out += "\n";
    size_t number = 0;
    for (const Finding& f : advice.findings)
        out += markdown_details(advice, f, ++number);
    return out;
}

std::string render_advice_html(const Advice& advice, const std::string& title, const std::string& writer) {
    std::string out = fmt::format(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width\"><title>Advice: "
        "{0}</title><style>{1}{2}</style></head><body><header><h1>Advice: "
        "{0}</h1><p>{3}</p></header><ol>",
        html_escaped(title), kHtmlStyle, kLines, html_escaped(head_words(advice)));
    for (const Finding& f : advice.findings)
        out += html_finding(advice, f);
    out += "</ol>";
    out += html_not_checked(advice);
    return out + fmt::format("<footer>{}</footer></body></html>\n", html_escaped(writer));
}

void put_finding(JsonWriter& json, const Finding& finding) {
    json.field("id", finding.id).field("rule", finding.rule).field("kind", finding.kind);
    json.field("severity", advise::severity_name(finding.severity)).field("title", finding.title);
    json.field("evidence", finding.evidence).field("advice", finding.advice);
    put_bound(json.key("bound"), finding.bound);
    json.field("confidence", finding.confidence).field("lines", finding.lines);
    json.field("query", finding.query).field("verify", finding.verify);
    json.object("rows", [&] {
        json.list("columns", [&] {
            for (const query::Column& each : finding.rows.table.columns)
                json.value(each.key);
        });
        put_rows(json.key("rows"), finding.rows.table, put_page_cell);
        json.field("more", finding.rows.more);
    });
    json.field("share_pct", finding.share_pct).field("view", finding.view).field("tab", finding.tab);
    json.field("filter", finding.filter);
    json.list("places", [&] {
        for (const query::TimeSpan& each : finding.places)
            json.object([&] {
                json.field("rank", each.rank).field("begin_ns", each.begin).field("end_ns", each.end);
            });
    });
    json.list("reading", [&] {
        for (const auto& each : finding.reading)
            json.object([&] { json.field("title", each.first).field("address", each.second); });
    });
}

void put_advice(JsonWriter& json, const Advice& advice) {
    json.field("iterations", advice.iterations).field("wall_ns", advice.wall_ns);
    put_bound(json.key("combined"), advice.combined);
    json.list("findings", [&] {
        for (const Finding& each : advice.findings)
            json.object([&] { put_finding(json, each); });
    });
    json.list("not_checked", [&] {
        for (const advise::NotChecked& each : advice.not_checked)
            json.object([&] { json.field("rule", each.rule).field("why", each.why); });
    });
    json.field("quiet", advice.quiet);
    json.field("prediction_note", advice.prediction_note);
}

std::string render_rule(const advise::Rule& rule, int width) {
    const auto columns = static_cast<size_t>(std::max(width, 0));
    std::string out = fmt::format("{}\n", rule.id);
    const auto line = [&](const char* name, std::string_view what) {
        if (!what.empty()) out += wrapped(fmt::format("{}: {}", name, what), columns, 2);
    };
    line("looks for", rule.looks_for);
    line("needs", rule.needs);
    for (const advise::Threshold& each : rule.thresholds)
        line("threshold", fmt::format("{} = {:g} {} ({})", each.name, each.value, each.unit, each.source));
    line("bound", advise::formula_of(rule));
    line("confidence", rule.confidence);
    line("remedy", rule.remedy);
    if (!rule.lines.empty()) out += "  lines to change:\n" + indented(rule.lines, 4);
    if (!rule.query.empty())
        out += "  evidence, with opsight sql RUN:\n" + wrapped(advise::query_within(rule.query), columns, 4);
    line("verify", rule.verify);
    line("source", rule.source);
    return out;
}

std::string render_rules_markdown() {
    std::string out;
    for (const advise::Rule& rule : advise::all_rules()) {
        out += fmt::format("### `{}`\n\nLooks for {}.", rule.id, rule.looks_for);
        if (!rule.needs.empty()) out += fmt::format(" Needs {}.", rule.needs);
        out += "\n\n";
        for (const advise::Threshold& each : rule.thresholds)
            out += fmt::format("- Threshold `{}`: {:g} {} ({}).\n", each.name, each.value, each.unit,
                               each.source);
        out += fmt::format("- Bound: {}.\n", rule.bound.empty() ? "none" : advise::formula_of(rule));
        out += fmt::format("- Confidence {}.\n", rule.confidence);
        if (!rule.remedy.empty()) out += fmt::format("- Remedy: {}\n", rule.remedy);
        out += fmt::format("- Source: {}.\n", rule.source);
        if (!rule.lines.empty()) out += fmt::format("\n```python\n{}\n```\n", rule.lines);
        out += "\n";
    }
    return out;
}

}  // namespace opsight::report
