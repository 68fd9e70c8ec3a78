#include "query/compare/gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "base/text.h"
#include "base/wildcards.h"

namespace opsight::query {
namespace {

using Subject = Gate::Subject;
using Metric = Gate::Metric;

constexpr size_t kNamedRows = 10, kNamedPaths = 3;
constexpr const char* kForms =
    "give 'iteration_time > 3%', or 'layer:NAME gpu_time > 5%' with layer:, op: or kernel:, a name (of a "
    "layer its path) in which * stands for anything, and gpu_time, cpu_time or calls, or 'finding:new'";

Error wrong(const std::string& text, const std::string& why) {
    return Error{fmt::format("'{}' is not a limit: {}", text, why), {}, {}, kForms, 2};
}

bool read_subject(std::string_view word, Gate& gate) {
    const std::pair<std::string_view, Subject> subjects[] = {
        {"layer:", Subject::kLayer}, {"op:", Subject::kOp}, {"kernel:", Subject::kKernel}};
    for (const auto& [prefix, subject] : subjects)
        if (word.starts_with(prefix) && word.size() > prefix.size()) {
            gate.subject = subject;
            gate.pattern = word.substr(prefix.size());
            return true;
        }
    return false;
}

bool read_metric(std::string_view word, Gate& gate) {
    const std::pair<std::string_view, Metric> metrics[] = {{"iteration_time", Metric::kTime},
                                                           {"gpu_time", Metric::kGpuTime},
                                                           {"cpu_time", Metric::kCpuTime},
                                                           {"calls", Metric::kCalls}};
    for (const auto& [name, metric] : metrics)
        if (word == name) {
            gate.metric = metric;
            return (metric == Metric::kTime) == (gate.subject == Subject::kIteration);
        }
    return false;
}

bool has(const FoundProblems& problems, const std::string& id) {
    return std::any_of(problems.all.begin(), problems.all.end(),
                       [&id](const FoundProblem& each) { return each.id == id; });
}

// "encoder.0" is the path "encoder/0", too. "encoder.*" is encoder with what is in it.
bool names_layer(std::string_view pattern, const std::string& path) {
    std::string dotted = path;
    std::replace(dotted.begin(), dotted.end(), '/', '.');
    const auto fits = [&](std::string_view wanted) {
        return matches_wildcards(wanted, path) || matches_wildcards(wanted, dotted);
    };
    return fits(pattern) || (pattern.ends_with(".*") && fits(pattern.substr(0, pattern.size() - 2)));
}

// Whatever the capitals.
bool contains_letters(std::string_view text, std::string_view letters) {
    return std::search(text.begin(), text.end(), letters.begin(), letters.end(),
                       [](char a, char b) { return text::lower(a) == text::lower(b); }) != text.end();
}

// One value of a row, before and after.
struct Value {
    double base = 0, next = 0;
    Verdict verdict = Verdict::kReal;
    std::string_view unit;  // "ns", or nothing
};

// Of runs too few to tell noise the iterations of the two in the middle are asked, as for layers and ops; but
// a side whose runs reach into those of the other tells no difference.
Verdict verdict_by_iterations(const Comparison& it) {
    const Verdict verdict = compare_samples(it.base.times(), it.next.times()).verdict;
    if (verdict != Verdict::kReal) return verdict;
    const auto shorter = [](const Run& a, const Run& b) { return a.median_ns < b.median_ns; };
    const auto [base_least, base_most] =
        std::minmax_element(it.base_runs.begin(), it.base_runs.end(), shorter);
    const auto [next_least, next_most] =
        std::minmax_element(it.next_runs.begin(), it.next_runs.end(), shorter);
    const bool apart =
        base_most->median_ns < next_least->median_ns || next_most->median_ns < base_least->median_ns;
    return apart ? Verdict::kReal : Verdict::kNoise;
}

class Checker {
  public:
    Checker(const Comparison& comparison, const Gate& gate, bool strict)
        : it_(comparison), gate_(gate), strict_(strict), result_{gate.text, true, {}, {}, 0} {}

    GateResult check() {
        if (gate_.subject == Subject::kFinding)
            problems();
        else if (gate_.subject == Subject::kIteration)
            iteration_time();
        else
            rows();
        if (over_ == 0) result_.unjudged = unjudged_;
        result_.held = over_ == 0 && result_.unjudged.empty();
        if (over_ > kNamedRows) result_.failures.push_back(fmt::format("and {} more", over_ - kNamedRows));
        result_.summary = fmt::format(
            "{} {} looked at, {} over the limit{}", looked_at_, looked_at_ == 1 ? "row" : "rows", over_,
            result_.doubtful > 0 ? fmt::format(", {} more that noise may explain", result_.doubtful) : "");
        return std::move(result_);
    }

  private:
    void iteration_time() {
        if (has_caveat(it_, kUnlikeIterations)) {
            unjudged_ =
                "the iterations of the two sides are not alike: cut them alike (--key-op, --iteration-range, "
                "--whole-run)";
            return;
        }
        const bool by_iterations = !it_.base_runs.empty() && is_few(it_.time.verdict);
        look(by_iterations ? "iteration time (runs too few to judge by: by iterations of those in the middle)"
                           : "iteration time",
             {static_cast<double>(it_.time.base_median), static_cast<double>(it_.time.next_median),
              by_iterations ? verdict_by_iterations(it_) : it_.time.verdict, "ns"});
    }

    // A problem that the base was not or could not be found to have. One of little time may be noise's doing,
    // and so may be one that the base's recording cannot tell of.
    void problems() {
        const auto &base = it_.base.problems, &next = it_.next.problems;
        if (!base || !next) return about_nothing("nobody looked for problems");
        for (const FoundProblem& each : next->all) {
            ++looked_at_;
            if (has(*base, each.id)) continue;
            const bool not_checked = base->not_checked.contains(each.id);
            if ((each.small || not_checked) && !strict_) {
                ++result_.doubtful;
                continue;
            }
            if (++over_ > kNamedRows) continue;
            result_.failures.push_back(fmt::format("new problem ({}): {}{}", each.severity, each.title,
                                                   not_checked ? ", which the base cannot tell of" : ""));
        }
    }

    void rows() {
        const Changes& all = it_.changes;
        const bool layers = gate_.subject == Subject::kLayer, ops = gate_.subject == Subject::kOp;
        if (gate_.metric == Metric::kGpuTime && !(all.base_gpu && all.next_gpu))
            return about_nothing("the time of devices is not recorded on both sides");
        if (gate_.metric == Metric::kCpuTime &&
            (gate_.subject == Subject::kKernel || !(all.base_cpu && all.next_cpu)))
            return about_nothing(gate_.subject == Subject::kKernel
                                     ? "kernels have no time on the host"
                                     : "the time of ops is not recorded on both sides");
        if (layers && gate_.metric == Metric::kCalls)
            return about_nothing("calls are counted of ops and kernels");
        if (layers) return layer_rows();
        for (const Change& row : ops ? all.ops : all.kernels) {
            const std::string& name = ops ? row.op : row.kernel;
            if (matches_wildcards(gate_.pattern, name))
                look(fmt::format("{} {} in {}", ops ? "op" : "kernel", name, row.layer), value_of(row));
        }
        if (looked_at_ == 0) return about_nothing("nothing on either side is named so");
    }

    // Of a layer all that is below it: most have no ops of their own.
    void layer_rows() {
        if (it_.changes.without_layers) return about_nothing("only one side recorded layers");
        std::vector<std::string> paths;
        for (const Change& row : layer_totals(it_.base.work, it_.next.work)) {
            paths.push_back(row.layer.substr(row.layer == "/" ? 0 : 1));
            if (names_layer(gate_.pattern, paths.back()))
                look(fmt::format("layer {} and all below it", row.layer), value_of(row));
        }
        if (looked_at_ == 0) return about_nothing(no_such_layer(paths));
    }
    std::string no_such_layer(const std::vector<std::string>& paths) const {
        std::string letters;
        for (const char c : gate_.pattern)
            if (c != '*' && c != '?' && c != '.') letters += c;
        std::vector<std::string> alike;
        for (const std::string& each : paths)
            if (alike.size() < kNamedPaths && contains_letters(each, letters))
                alike.push_back("'" + each + "'");
        if (!alike.empty())
            return fmt::format(
                "no layer has that path; alike are {} (capitals count, and '*' before a name "
                "finds it anywhere in a path)",
                fmt::join(alike, ", "));
        return paths.size() < 2 ? "no layers were recorded" : "no layer on either side has such a path";
    }

    void about_nothing(const std::string& why) {
        unjudged_ = fmt::format(
            "it holds nothing, for {}; 'opsight compare BASE NEW --format csv' lists what there is", why);
    }

    Value value_of(const Change& row) const {
        const ChangeSide base = row.base.value_or(ChangeSide{}), next = row.next.value_or(ChangeSide{});
        if (gate_.metric == Metric::kCalls) return {base.calls, next.calls, Verdict::kReal, {}};
        if (gate_.metric == Metric::kCpuTime) return time_of(row.cpu, base.cpu_ns, next.cpu_ns);
        return time_of(row.gpu, base.gpu_ns, next.gpu_ns);
    }

    // What is real by the medians, as it is judged by ranks: one iteration with a hiccup makes a mean. What
    // most iterations do not run has no median.
    static Value time_of(const SampleDifference& samples, int64_t base_mean, int64_t next_mean) {
        const bool medians =
            samples.verdict == Verdict::kReal && (samples.base_median > 0 || samples.next_median > 0);
        return {static_cast<double>(medians ? samples.base_median : base_mean),
                static_cast<double>(medians ? samples.next_median : next_mean), samples.verdict, "ns"};
    }

    void look(const std::string& name, const Value& value) {
        ++looked_at_;
        const double by = value.next - value.base;
        if (by <= 0 || by <= value.base * gate_.percent / 100) return;
        const std::string change =
            value.base > 0 ? fmt::format("+{:.1f}%", 100 * by / value.base) : std::string("new");
        if (value.verdict != Verdict::kReal && !strict_) {
            ++result_.doubtful;
            if (unjudged_.empty() && is_few(value.verdict))
                unjudged_ = fmt::format(
                    "{} ({}) is over it, and too few samples were recorded to tell that from noise: record "
                    "five iterations or more on each side, or five runs (--strict judges without)",
                    name, change);
            return;
        }
        if (++over_ > kNamedRows) return;
        const auto text = [&value](double amount) {
            return value.unit.empty() ? fmt::format("{:g}", amount) : time_text(static_cast<int64_t>(amount));
        };
        result_.failures.push_back(
            fmt::format("{}: {} before, {} after ({}){}", name, text(value.base), text(value.next), change,
                        value.verdict == Verdict::kReal
                            ? ""
                            : fmt::format(", difference is: {}", verdict_name(value.verdict))));
    }

    const Comparison& it_;
    const Gate& gate_;
    bool strict_;
    GateResult result_;
    size_t looked_at_ = 0, over_ = 0;
    std::string unjudged_;  // why nothing tells whether the limit holds
};

}  // namespace

Result<Gate> parse_gate(const std::string& text) {
    Gate gate;
    gate.text = text;
    if (text == "finding:new") {
        gate.subject = Subject::kFinding;
        return gate;
    }
    // The limit is what follows the last '>': names of kernels hold such signs too.
    const size_t sign = text.rfind('>');
    if (sign == text.npos) return fail(wrong(text, "there is no '>' in it"));
    std::istringstream limit(text.substr(sign + 1));
    std::string amount, more;
    limit >> amount >> more;
    if (more == "%") amount += "%", more.clear();
    if (!more.empty() || amount.size() < 2 || amount.back() != '%')
        return fail(wrong(text, "a percentage must follow the '>'"));
    const char* end = amount.data() + amount.size() - 1;
    const auto read = std::from_chars(amount.data(), end, gate.percent);
    if (read.ec != std::errc() || read.ptr != end || !std::isfinite(gate.percent) || gate.percent < 0)
        return fail(wrong(text, fmt::format("'{}' is not a percentage", amount)));
    std::string before = text.substr(0, sign);
    before.erase(before.find_last_not_of(" \t") + 1);
    const size_t blank = before.find_last_of(" \t");
    std::string subject = blank == before.npos ? "" : before.substr(0, blank);
    subject.erase(subject.find_last_not_of(" \t") + 1);
    subject.erase(0, subject.find_first_not_of(" \t"));
    const std::string metric = blank == before.npos ? before : before.substr(blank + 1);
    if (!subject.empty() && !read_subject(subject, gate))
        return fail(wrong(text, fmt::format("'{}' is neither layer:, op: nor kernel: with a name", subject)));
    if (!read_metric(metric, gate))
        return fail(wrong(text, fmt::format("'{}' is not measured of that", metric)));
    return gate;
}

std::vector<GateResult> check_gates(const Comparison& comparison, const std::vector<Gate>& gates,
                                    bool strict) {
    std::vector<GateResult> results;
    for (const Gate& gate : gates)
        results.push_back(Checker(comparison, gate, strict).check());
    return results;
}

ResultTable problem_changes(const FoundProblems& base, const FoundProblems& next) {
    ResultTable table;
    table.name = "findings";
    table.title = "Problems That Only One Side Has";
    table.columns = {
        {"change", "Change"}, {"id", "Finding"}, {"severity", "Severity"}, {"title", "What Was Found"}};
    const auto add = [&table](const char* change, const FoundProblems& from, const FoundProblems& other) {
        for (const FoundProblem& each : from.all)
            if (!has(other, each.id))
                table.rows.push_back(
                    {std::string(change) +
                         (other.not_checked.contains(each.id) ? ", or not to be told on the other side" : ""),
                     each.id, each.severity, each.title});
    };
    add("new", next, base);
    add("gone", base, next);
    return table;
}

ResultTable gate_table(const std::vector<GateResult>& results) {
    ResultTable table;
    table.name = "limits";
    table.title = "Limits";
    table.columns = {{"limit", "Limit"}, {"held", "Held"}, {"rows", "Rows"}, {"over", "Over the Limit"}};
    for (const GateResult& each : results)
        table.rows.push_back({each.gate, each.held, each.summary,
                              each.held ? Cell{}
                              : each.unjudged.empty()
                                  ? Cell{fmt::format("{}", fmt::join(each.failures, "; "))}
                                  : Cell{"cannot be judged: " + each.unjudged}});
    return table;
}

}  // namespace opsight::query
