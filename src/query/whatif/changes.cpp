#include "query/whatif/changes.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>

#include "base/wildcards.h"
#include "query/session/cells.h"
#include "query/whatif/sql.h"

namespace opsight::query {
namespace {

namespace sql = whatif::sql;

constexpr size_t kMostScales = 60;

using KernelNames = std::map<int64_t, std::vector<std::string>>;  // each with all its names

struct Target {
    std::string_view word;
    Scale::Of of;
};
constexpr Target kTargets[] = {
    {"kernel", Scale::Of::kKernel}, {"op", Scale::Of::kOp}, {"layer", Scale::Of::kLayer}};

std::string_view word_of(Scale::Of of) {
    for (const Target& target : kTargets)
        if (target.of == of) return target.word;
    return "";
}

// A pattern of Scale, made ready.
class Matcher {
  public:
    explicit Matcher(std::string_view pattern) : pattern_(pattern) {
        if (pattern_.starts_with('~'))
            regex_ = std::make_unique<re2::RE2>(re2::StringPiece(pattern.data() + 1, pattern.size() - 1),
                                                re2::RE2::Quiet);
    }
    std::string problem() const { return regex_ && !regex_->ok() ? regex_->error() : std::string(); }
    bool takes(std::string_view name) const {
        if (!regex_) return matches_wildcards(pattern_, name);
        return regex_->ok() && re2::RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), *regex_);
    }

  private:
    std::string pattern_;
    std::unique_ptr<re2::RE2> regex_;
};

// How alike two names are: the share of their pairs of letters that both have.
double likeness(std::string_view a, std::string_view b) {
    std::map<std::pair<char, char>, int> pairs;
    const auto lower = [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); };
    for (size_t i = 0; i + 1 < a.size(); ++i)
        ++pairs[{lower(a[i]), lower(a[i + 1])}];
    int both = 0;
    for (size_t i = 0; i + 1 < b.size(); ++i)
        if (--pairs[{lower(b[i]), lower(b[i + 1])}] >= 0) ++both;
    return a.size() + b.size() < 3 ? 0 : 2.0 * both / static_cast<double>(a.size() + b.size() - 2);
}

std::string near_names(const Scale& scale, const Names::List& list) {
    std::vector<std::pair<double, std::string>> near;
    for (const auto& [id, each] : list)
        if (!each.text.empty()) near.emplace_back(-likeness(scale.pattern, each.text), each.text);
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    if (near.empty()) return fmt::format("it has no {}s at all", word_of(scale.of));
    std::string out;
    for (size_t i = 0; i < std::min<size_t>(near.size(), 3); ++i)
        out += (out.empty() ? "" : ", ") + near[i].second;
    return fmt::format("near names are {}; '*' stands for any text, and '~' begins a regular expression",
                       out);
}

Status read_names(Session& session, Names& names, KernelNames& kernel_names) {
    OPSIGHT_ASSIGN(const duck::Rows layers, session.query(sql::layers));
    for (const auto& row : layers.rows) {
        Names::Entry& to = names.layers[integer(row[0], -1)];
        to.text = text(row[1]);
        to.layer = integer(row[2], -1);
    }
    OPSIGHT_ASSIGN(const duck::Rows ops, session.query(sql::ops));
    for (const auto& row : ops.rows) {
        Names::Entry& to = names.ops[integer(row[0], -1)];
        to.text = text(row[1]);
        to.layer = integer(row[2], -1);
        to.data_loading = flag(row[3]);
    }
    OPSIGHT_ASSIGN(const duck::Rows kernels, session.query(sql::kernels));
    for (const auto& row : kernels.rows) {
        const int64_t id = integer(row[0], -1);
        names.kernels[id].text = text(row[1]);
        kernel_names[id] = {text(row[1]), text(row[2]), text(row[3])};
    }
    OPSIGHT_ASSIGN(const duck::Rows texts, session.query(sql::texts));
    for (const auto& row : texts.rows)
        names.texts[integer(row[0], -1)].text = text(row[1]);
    return {};
}

// Whether any name is as the pattern; those get the rule.
bool mark(const Scale& scale, replay::RuleSet rule, Names& names, const KernelNames& kernel_names) {
    bool found = false;
    const Matcher pattern(scale.pattern);
    const auto take = [&](Names::Entry& to) {
        to.rules |= rule;
        found = true;
    };
    if (scale.of == Scale::Of::kOp) {
        for (auto& [id, op] : names.ops)
            if (!op.text.empty() && pattern.takes(op.text)) take(op);
    } else if (scale.of == Scale::Of::kLayer) {
        for (auto& [id, layer] : names.layers) {  // parents come first
            const bool below = (Names::at(names.layers, layer.layer).rules & rule) != 0;
            if (!layer.text.empty() && (below || pattern.takes(layer.text))) take(layer);
        }
    } else {
        for (const auto& [id, all] : kernel_names)
            if (std::any_of(all.begin(), all.end(),
                            [&](const std::string& name) { return pattern.takes(name); }))
                take(names.kernels[id]);
    }
    return found;
}

replay::RuleSet add_rule(Rules& rules, double factor, std::string words) {
    const auto bit = replay::RuleSet{1} << rules.changes.factors.size();
    rules.changes.factors.push_back(factor);
    rules.words.push_back(std::move(words));
    return bit;
}

}  // namespace

const Names::Entry& Names::at(const List& list, int64_t id) {
    static const Entry none;
    const auto found = list.find(id);
    return found == list.end() ? none : found->second;
}

Result<Scale> parse_scale(std::string_view text) {
    const auto wrong = [&](std::string_view why) {
        return fail(
            Error{fmt::format("--scale '{}': {}", text, why),
                  {},
                  {},
                  "write kernel:NAME=FACTOR, op:NAME=FACTOR or layer:PATH=FACTOR; in a name * stands for "
                  "any text, and ~ before it makes it a regular expression (RE2); FACTOR is of "
                  "the time: 0.5 halves it, 0 removes it",
                  2});
    };
    const size_t colon = text.find(':'), equals = text.rfind('=');
    if (colon == std::string_view::npos || equals == std::string_view::npos || equals < colon)
        return wrong("no target and factor");
    Scale scale;
    const auto* target = std::find_if(std::begin(kTargets), std::end(kTargets),
                                      [&](const Target& t) { return t.word == text.substr(0, colon); });
    if (target == std::end(kTargets)) return wrong("the target is none of kernel, op and layer");
    scale.of = target->of;
    scale.pattern = text.substr(colon + 1, equals - colon - 1);
    if (scale.pattern.empty() || scale.pattern == "~") return wrong("no name");
    if (const std::string problem = Matcher(scale.pattern).problem(); !problem.empty()) return wrong(problem);
    const std::string_view number = text.substr(equals + 1);
    const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), scale.factor);
    const bool whole = problem == std::errc() && end == number.data() + number.size();
    if (!whole || !std::isfinite(scale.factor) || scale.factor < 0 || scale.factor > 1000)
        return wrong("the factor is not a number from 0 to 1000");
    return scale;
}

Result<Rules> make_rules(Session& session, const Suppositions& suppositions) {
    if (suppositions.scales.size() > kMostScales)
        return fail(Error{fmt::format("more than {} times --scale", kMostScales), {}, {}, "give fewer", 2});
    Rules rules;
    KernelNames kernel_names;
    OPSIGHT_TRY(read_names(session, rules.names, kernel_names));
    for (const Scale& scale : suppositions.scales) {
        const std::string target = fmt::format("{}:{}", word_of(scale.of), scale.pattern);
        const auto rule = add_rule(rules, scale.factor, fmt::format("{}={}", target, scale.factor));
        if (mark(scale, rule, rules.names, kernel_names)) continue;
        const auto& list = scale.of == Scale::Of::kOp      ? rules.names.ops
                           : scale.of == Scale::Of::kLayer ? rules.names.layers
                                                           : rules.names.kernels;
        return fail(Error{fmt::format("the profile has nothing that is called {}", target),
                          session.path(),
                          {},
                          near_names(scale, list),
                          2});
    }
    if (suppositions.no_data_loading) rules.data_loading = add_rule(rules, 0, "without data loading");
    if (suppositions.no_waits) rules.waits = add_rule(rules, 0, "without waits of the host for the device");
    if (suppositions.no_communication) rules.communication = add_rule(rules, 0, "without communication");
    if (suppositions.clock != 1)
        rules.clock =
            add_rule(rules, 1 / suppositions.clock, fmt::format("device clock x {}", suppositions.clock));
    rules.changes.no_waits = suppositions.no_waits;
    for (auto& [id, op] : rules.names.ops)
        op.rules |=
            Names::at(rules.names.layers, op.layer).rules | (op.data_loading ? rules.data_loading : 0);
    return rules;
}

}  // namespace opsight::query
