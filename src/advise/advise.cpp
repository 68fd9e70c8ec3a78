#include "advise/advise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <tuple>

#include "advise/evidence.h"
#include "advise/iteration_times.h"
#include "advise/sql.h"
#include "query/ask/lean_views.h"
#include "query/reports/device_words.h"
#include "query/session/cells.h"
#include "query/session/rank_numbers.h"
#include "query/whatif/path.h"
#include "query/whatif/whatif.h"

namespace opsight::advise {
namespace {

// A headline of less than this part of the wall clock is none.
constexpr double kHardlyAnything = 2;

double part(int64_t ns, int64_t of) {
    return of > 0 ? 100.0 * static_cast<double>(ns) / static_cast<double>(of) : 0;
}

// What surely is lost, which the bound may be far above; the bound where that is not known, or less: what the
// host does while the device works takes time that is not to be gained.
double weight(const Finding& finding) {
    const double bound = finding.bound ? finding.bound->pct : finding.share_pct.value_or(0);
    const double lost = std::min(finding.share_pct.value_or(bound), bound) - finding.told_pct;
    return std::max(std::min(lost, finding.kernels_pct.value_or(lost)), 0.0);
}

// From 10 % on a run is worth changing for it,
// below 3 % noise hides most of what it gains.
Severity severity_of(const Finding& finding) {
    if (finding.kind != "problem") return Severity::kNote;
    const double pct = weight(finding);
    return pct >= 10 ? Severity::kHigh : pct >= 3 ? Severity::kMedium : Severity::kLow;
}

// As a word of a POSIX shell.
std::string shell_word(const std::string& text) {
    const auto plain = [](unsigned char c) {
        return std::isalnum(c) || std::strchr("/._-+=:,@%", c) || c >= 0x80;
    };
    if (!text.empty() && text[0] != '-' && std::all_of(text.begin(), text.end(), plain)) return text;
    std::string word = "'";
    for (const char c : text)
        word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

class Engine {
  public:
    Engine(query::Session& session, const Options& options, Advice& out)
        : session_(session), options_(options), out_(out) {}

    Status run() {
        OPSIGHT_ASSIGN(const query::RunFacts facts, query::read_run_facts(session_));
        OPSIGHT_ASSIGN(words_, query::device_words(session_));
        OPSIGHT_TRY(measure());
        AskedRun asked{session_, facts, options_.thresholds, wall_ns_, parts_, out_.iterations > 0};
        for (const Rule& rule : all_rules())
            if (chosen(rule)) OPSIGHT_TRY(ask(rule, asked));
        OPSIGHT_TRY(weigh_kernels());
        give_way();
        combine();
        rank();
        return read_rows();
    }

  private:
    bool chosen(const Rule& rule) const {
        return options_.rules.empty() ||
               std::find(options_.rules.begin(), options_.rules.end(), rule.id) != options_.rules.end();
    }

    Status measure() {
        OPSIGHT_ASSIGN(const query::TimeSpans range, query::times_of_range(session_));
        wall_ns_ = query::length_of(range);
        OPSIGHT_ASSIGN(const duck::Rows rows, session_.query(sql::iterations_and_ranks));
        // Of a whole run only a part may be in iterations: it is no sum of them.
        out_.iterations = session_.range().whole ? 0 : query::integer(rows.rows.at(0)[0]);
        out_.ranks = std::max<int64_t>(query::integer(rows.rows[0][1]), 1);
        out_.run = options_.run.empty() ? "" : shell_word(options_.run);
        // Without iterations a run of each rank is one.
        parts_ = out_.iterations > 0 ? out_.iterations : out_.ranks;
        out_.wall_ns = wall_ns_ / parts_;
        OPSIGHT_ASSIGN(rank_numbers_, query::RankNumbers::read(session_));
        OPSIGHT_ASSIGN(iterations_, IterationTimes::read(session_));
        return {};
    }

    Status without_clock(const Rule& rule) {
        out_.not_checked.push_back(
            {std::string(rule.id), "the recording has no wall clock: shares of it are not known"});
        return {};
    }

    Status ask(const Rule& rule, AskedRun& asked) {
        const query::RunFacts& facts = asked.facts;
        if (std::string why = rule.lacks(facts); !why.empty()) {
            out_.not_checked.push_back({std::string(rule.id), std::move(why)});
            return {};
        }
        const bool no_clock = facts.wall_ns <= 0 && !rule.of_durations;  // of what most ask for their shares
        if (no_clock && !rule.of_no_time) return without_clock(rule);
        Findings found;
        Context context(asked, rule, found);
        OPSIGHT_TRY(rule.check(context));
        if (!context.why_not().empty())
            out_.not_checked.push_back({std::string(rule.id), context.why_not()});
        else if (found.empty() && no_clock)  // of a recording of nothing all is not well
            return without_clock(rule);
        else if (found.empty())
            out_.quiet.emplace_back(rule.id);
        for (Finding& finding : found) {
            OPSIGHT_TRY(complete(rule, facts, finding));
            out_.findings.push_back(std::move(finding));
        }
        return {};
    }

    Bound bound_of(const query::TimeSpans& times, int64_t after_ns, std::string formula) const {
        const int64_t own = query::length_of(times), of_slowest = all_as_slowest(iterations_, times);
        if (part(of_slowest - own, own) >= 1)
            formula += "; in each iteration that of the rank that has most of it, for which the others wait";
        const int64_t ns = std::min(std::max(own, of_slowest) + after_ns, wall_ns_);
        return {ns / parts_, part(ns, wall_ns_), std::move(formula), {}};
    }

    // What the host does after something else kept it from its work takes longer, for it finds its caches
    // cold: on programs that slept, read files or started commands up to a fifth longer, for some
    // milliseconds (docs/PATHOLOGIES.md). Where a device does the work that is not to be gained.
    int64_t aftermath(const query::TimeSpans& times) const {
        constexpr int64_t kLongest = 10'000'000, kPart = 4;
        if (session_.contents().device_work) return 0;
        int64_t ns = 0;
        for (const query::TimeSpan& span : times)
            ns += std::min(span.end - span.begin, kLongest) / kPart;
        return ns;
    }

    // The longest first; of equal ones the earliest. Their ranks are called as in the job.
    query::TimeSpans longest_of(const query::TimeSpans& times) const {
        constexpr size_t kPlaces = 3;
        query::TimeSpans longest(std::min(kPlaces, times.size()));
        std::partial_sort_copy(times.begin(), times.end(), longest.begin(), longest.end(),
                               [](const query::TimeSpan& a, const query::TimeSpan& b) {
                                   const int64_t x = a.end - a.begin, y = b.end - b.begin;
                                   return std::tie(y, a.rank, a.begin) < std::tie(x, b.rank, b.begin);
                               });
        for (query::TimeSpan& each : longest)
            each.rank = rank_numbers_.of(each.rank);
        return longest;
    }

    // The kernels of a stream are there without the rest, one after the other, and what they leave is the
    // bound.
    Status leave_kernels(Finding& finding) {
        if (!session_.contents().device_work) return {};
        if (!beside_kernels_) {
            OPSIGHT_ASSIGN(beside_kernels_, query::times_beside(session_, query::Longest::kStream));
        }
        if (query::length_of(*beside_kernels_) < query::length_of(finding.times))
            finding.times = *beside_kernels_;
        return {};
    }

    // A finding that says where time goes stands behind those that say why.
    void give_way() {
        for (Finding& finding : out_.findings) {
            const auto& causes = find_rule(finding.rule)->gives_way_to;
            if (finding.kind != "problem" || finding.times.empty() || causes.empty()) continue;
            query::TimeSpans told;
            for (const Finding& other : out_.findings)
                if (std::find(causes.begin(), causes.end(), other.rule) != causes.end())
                    told = query::united(told, other.times);
            tell_causes(query::length_of(query::common(finding.times, told)), finding);
        }
    }

    // What is to be known, or is as it should be, stands behind all that is not.
    void rank() {
        const bool problems = std::any_of(out_.findings.begin(), out_.findings.end(),
                                          [](const Finding& f) { return f.severity > Severity::kNote; });
        const auto behind = [&](const Finding& f) {
            return problems && (f.kind == "fine" || f.kind == "note");
        };
        std::stable_sort(out_.findings.begin(), out_.findings.end(), [&](const Finding& a, const Finding& b) {
            return std::pair(behind(b), weight(a)) > std::pair(behind(a), weight(b));
        });
    }

    // Of several rules that show the same rows they are read once.
    Status read_rows() {
        std::map<std::string_view, const Finding*> read;
        for (Finding& finding : out_.findings) {
            if (options_.rows == 0 || finding.query.empty()) continue;
            const auto [same, first] = read.emplace(finding.query, &finding);
            if (!first) {
                finding.rows = same->second->rows;
                continue;
            }
            OPSIGHT_ASSIGN(duck::Cursor cursor,
                           session_.open_cursor(duck::Statement(query::with_lean_views(finding.query))));
            OPSIGHT_ASSIGN(finding.rows, query::first_rows(cursor, options_.rows));
        }
        return {};
    }

    static void tell_causes(int64_t told_ns, Finding& finding) {
        const double told = part(told_ns, query::length_of(finding.times));
        finding.told_pct = weight(finding) * told / 100;
        finding.severity = weight(finding) < kHardlyAnything ? Severity::kNote : severity_of(finding);
        if (told >= 1)
            finding.evidence += fmt::format("{}Other findings tell the cause of {} of it.",
                                            finding.evidence.empty() ? "" : " ", percent(told));
    }

    // Its number, where the session has one of several ranks.
    std::optional<int64_t> only_rank() const {
        return session_.contents().ranks_left_out > 0 ? rank_numbers_.only() : std::nullopt;
    }

    // Rules speak of GPUs and Tensor Cores.
    void say(Finding& finding) const {
        for (std::string* text : {&finding.title, &finding.evidence, &finding.advice})
            *text = query::said(*text, words_);
        if (finding.bound) finding.bound->formula = query::said(finding.bound->formula, words_);
    }

    Status complete(const Rule& rule, const query::RunFacts& facts, Finding& finding) {
        finding.rule = rule.id;
        if (facts.wall_ns > 0) finding.places = longest_of(finding.times);  // else nobody knows when
        if (finding.confidence.empty()) finding.confidence = rule.confidence;
        finding.query = query_within(
            query_of_rank(finding.query.empty() ? rule.query : std::string_view(finding.query), only_rank()),
            &session_.range());
        if (finding.kind == "problem") {
            if (finding.lines.empty() && facts.torch && !(facts.compiled && rule.compiles))
                finding.lines = rule.lines;
            finding.verify = verify_of(rule);
            if (!finding.times.empty()) {
                std::string formula(facts.device_work ? formula_of(rule) : rule.bound);
                if (rule.leaves_kernels) OPSIGHT_TRY(leave_kernels(finding));
                const int64_t after = rule.interrupts ? aftermath(finding.times) : 0;
                if (after > 0)
                    formula +=
                        "; and a quarter of it for what follows, which finds its caches cold (of 10 ms at "
                        "most each time)";
                finding.bound = bound_of(finding.times, after, formula);
                if (finding.bound->formula == formula) finding.bound->formula += beside_share(finding);
                tell_few(finding);
            }
            if (options_.predict && finding.bound && rule.suppose) OPSIGHT_TRY(predict(rule, *finding.bound));
        }
        finding.severity = severity_of(finding);
        say(finding);
        return {};
    }

    void tell_few(Finding& finding) const {
        if (out_.iterations == 0 || severity_of(finding) <= Severity::kLow) return;
        const auto few = mostly_in_few(iterations_, finding.times);
        if (!few) return;
        finding.title += ", " + few->where();
        finding.evidence += (finding.evidence.empty() ? "" : " ") + few->sentence();
    }

    // Where the bound is far from the share that the title tells, a reader asks why.
    static std::string beside_share(const Finding& finding) {
        constexpr double kFar = 2, kLeast = 1;
        const double pct = finding.bound->pct, share = finding.share_pct.value_or(pct);
        if (std::abs(pct - share) < kLeast) return {};
        if (share > kFar * pct)
            return fmt::format(
                "; less than the share of {}, since the rest goes on beside other work and would "
                "save no time by itself",
                percent(share));
        if (pct > kFar * share)
            return fmt::format(
                "; more than the share of {}, which is what is surely lost: what else this time "
                "holds may go with it, or be needed",
                percent(share));
        return {};
    }

    std::string verify_of(const Rule& rule) const {
        std::string command(rule.verify);
        if (out_.run.empty()) return command;
        for (const std::string_view name : {"BEFORE.opsight", "RUN"})
            if (const size_t at = command.find(name); at != command.npos)
                return command.replace(at, name.size(), out_.run);
        return command;
    }

    // What a replay of the iterations saves; nothing, and why, where it does not give the measured time
    // without changes, or cannot be made.
    Result<std::optional<int64_t>> saved_by(const query::Suppositions& suppositions, std::string& why) {
        OPSIGHT_ASSIGN(const int64_t spans, query::too_many_to_replay(session_));
        if (spans > 0) {
            why = fmt::format("{} spans are too many; choose iterations", spans);
            return std::nullopt;
        }
        const auto answer = query::what_if(session_, suppositions);
        if (!answer || !*answer) {
            OPSIGHT_ASSIGN(const query::Grounds grounds, query::grounds_of_replay(session_));
            why = !answer                 ? answer.error().what
                  : grounds.lacks.empty() ? "there is nothing to replay"
                                          : grounds.lacks;
            return std::nullopt;
        }
        if (!(*answer)->simulatable()) {
            why = "the replay does not give the measured time (docs/WHATIF.md)";
            return std::nullopt;
        }
        int64_t saved = 0;
        for (const query::ReplayedIteration& each : (*answer)->iterations)
            saved += each.replayed_ns - each.predicted_ns;
        return saved;
    }

    Status predict(const Rule& rule, Bound& bound) {
        if (!out_.prediction_note.empty()) return {};
        query::Suppositions suppositions;
        rule.suppose(suppositions);
        std::string why;
        OPSIGHT_ASSIGN(const std::optional<int64_t> saved, saved_by(suppositions, why));
        if (saved)
            bound.predicted_ns = *saved / parts_;
        else
            out_.prediction_note = "nothing is predicted: " + why;
        return {};
    }

    // Faster kernels gain little where the device waits for the host or for copies: how much at most, a
    // replay without any tells.
    Status weigh_kernels() {
        const auto concerned = [](const Finding& f) {
            return f.severity > Severity::kLow && find_rule(f.rule)->of_kernels;
        };
        if (std::none_of(out_.findings.begin(), out_.findings.end(), concerned)) return {};
        OPSIGHT_ASSIGN(query::Scale none, query::parse_scale("kernel:*=0"));
        query::Suppositions suppositions;
        suppositions.scales.push_back(std::move(none));
        std::string why;
        OPSIGHT_ASSIGN(const std::optional<int64_t> saved, saved_by(suppositions, why));
        if (!saved) return {};
        const double pct = part(std::max<int64_t>(*saved, 0), wall_ns_);
        for (Finding& finding : out_.findings) {
            if (!concerned(finding) || weight(finding) <= pct) continue;
            finding.kernels_pct = pct;
            finding.severity = severity_of(finding);
            finding.evidence += fmt::format(
                "{}Faster kernels alone gain less: without any, a replay of this run is {} shorter. They "
                "count as "
                "what else holds it up gets shorter.",
                finding.evidence.empty() ? "" : " ", percent(pct));
            say(finding);
        }
        return {};
    }

    void combine() {
        query::TimeSpans all, interrupting;
        bool any = false;
        for (const Finding& finding : out_.findings)
            if (finding.bound) {
                all = query::united(all, finding.times);
                if (find_rule(finding.rule)->interrupts)
                    interrupting = query::united(interrupting, finding.times);
                any = true;
            }
        // What files gain that have nothing to do with each other is no sum.
        if (!any || !session_.contents().not_one_job.empty()) return;
        out_.combined = bound_of(all, aftermath(interrupting),
                                 "the time in which at least one of them goes on, and what it leaves behind");
    }

    query::Session& session_;
    const Options& options_;
    Advice& out_;
    int64_t wall_ns_ = 0, parts_ = 1;
    query::RankNumbers rank_numbers_;
    IterationTimes iterations_;
    query::DeviceWords words_;
    std::optional<query::TimeSpans> beside_kernels_;  // once asked for
};

}  // namespace

double Context::threshold_of(const Rule& rule, std::string_view name) const {
    const auto given = run_.thresholds.find(std::string(rule.id) + "." + std::string(name));
    if (given != run_.thresholds.end()) return given->second;
    for (const Threshold& each : rule.thresholds)
        if (each.name == name) return each.value;
    return 0;
}

std::string_view severity_name(Severity severity) {
    switch (severity) {
        case Severity::kHigh:
            return "high";
        case Severity::kMedium:
            return "medium";
        case Severity::kLow:
            return "low";
        case Severity::kNote:
            break;
    }
    return "note";
}

std::optional<Severity> parse_severity(std::string_view name) {
    for (const Severity each : {Severity::kNote, Severity::kLow, Severity::kMedium, Severity::kHigh})
        if (severity_name(each) == name) return each;
    return std::nullopt;
}

Result<Advice> advise(query::Session& session, const Options& options) {
    Advice out;
    OPSIGHT_TRY(Engine(session, options, out).run());
    return out;
}

Result<Findings> find_findings(query::Session& session) {
    OPSIGHT_ASSIGN(Advice advice, advise(session));
    return std::move(advice.findings);
}

Result<std::pair<std::string, double>> parse_threshold(std::string_view text) {
    const size_t dot = text.find('.'), equals = text.find('=', dot == text.npos ? 0 : dot);
    const auto bad = [&](std::string why) {
        return fail(Error{fmt::format("threshold '{}': {}", text, why),
                          {},
                          {},
                          "use RULE.NAME=VALUE, as in data_loading.share=10; --explain RULE lists the names",
                          2});
    };
    if (dot == text.npos || equals == text.npos) return bad("it is not RULE.NAME=VALUE");
    const Rule* rule = find_rule(text.substr(0, dot));
    if (!rule) return bad(fmt::format("there is no rule '{}'", text.substr(0, dot)));
    const std::string_view name = text.substr(dot + 1, equals - dot - 1), number = text.substr(equals + 1);
    if (std::none_of(rule->thresholds.begin(), rule->thresholds.end(),
                     [&](const Threshold& t) { return t.name == name; }))
        return bad(fmt::format("the rule has no threshold '{}'", name));
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size() || !(value >= 0 && value <= 1e15))
        return bad("the value is not a number of 0 or more");
    return std::pair(std::string(text.substr(0, equals)), value);
}

}  // namespace opsight::advise
