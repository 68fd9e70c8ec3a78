#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "query/dlprof/by_id.h"
#include "query/dlprof/recording.h"
#include "query/dlprof/sql.h"
#include "query/session/cells.h"

namespace opsight::query::dlprof {
namespace {

using Json = nlohmann::json;

template <class T>
void append(std::vector<T>& to, const duck::Batch& batch, size_t column) {
    const T* data = batch.column<T>(column);
    to.insert(to.end(), data, data + batch.size());
}

// Which of the NVTX ranges are asked for is told by domain.
struct RangeDomain {
    std::string name;  // empty: the default one
    bool chosen = false, of_tensorflow = false;
};

class Loader {
  public:
    Loader(Source& source, const Options& options) : source_(source), options_(options) {}

    Result<Recording> run() {
        OPSIGHT_TRY(facts());
        OPSIGHT_TRY(choose_ranges());
        OPSIGHT_TRY(some_ranges_ ? ops_of_ranges() : ops());
        OPSIGHT_TRY(identities());
        if (options_.mode == Mode::kSimple)
            r_.origin = Origin::kNone;
        else if (!own_ranges_)
            OPSIGHT_TRY(is_recorded() ? recorded() : marks());
        OPSIGHT_TRY(calls());
        OPSIGHT_TRY(device_work());
        OPSIGHT_TRY(names());
        OPSIGHT_TRY(other_kernels());
        OPSIGHT_TRY(host_spans());
        OPSIGHT_TRY(model_config());
        return std::move(r_);
    }

  private:
    Status each(const duck::Statement& statement, auto&& take) {
        OPSIGHT_ASSIGN(const duck::Rows rows, source_.query(statement));
        for (const auto& row : rows.rows)
            take(row);
        return {};
    }
    Status scan(const duck::Statement& statement, const std::function<void(const duck::Batch&)>& take) {
        return source_.connection().scan(statement, take);
    }

    Status facts() {
        OPSIGHT_TRY(each(sql::facts, [this](const auto& row) {
            const auto [it, is_new] = r_.facts.emplace(text(row[0]), text(row[1]));
            if (!is_new && it->first.starts_with("property.source.")) it->second += '\n' + text(row[1]);
        }));
        r_.from_nsys = r_.fact("producer").starts_with("Nsight Systems");
        r_.zero = -source_.shown_time(0);
        OPSIGHT_TRY(each(sql::iterations, [this](const auto& row) {
            r_.stored_iterations.emplace_back(integer(row[0], -1), integer(row[1], -1));
        }));
        return load_devices(source_, r_);
    }

    bool is_recorded() const { return r_.fact("producer").starts_with("DLProf"); }

    // Whether a domain or a mode restricts the ops to some of the NVTX ranges.
    Status choose_ranges() {
        int64_t of_tensorflow = 0, of_tensorrt = 0;
        std::vector<RangeDomain> found;
        OPSIGHT_TRY(each(sql::range_domains, [&](const auto& row) {
            RangeDomain domain{text(row[0])};
            domain.of_tensorflow = marks::nvtx_domain(domain.name) == marks::NvtxDomain::kTensorFlow;
            if (domain.of_tensorflow) of_tensorflow += integer(row[1], -1);
            if (domain.name == "TensorRT") of_tensorrt += integer(row[1], -1);
            found.push_back(std::move(domain));
        }));
        r_.tensorflow = of_tensorflow > 0;
        if (options_.domain) OPSIGHT_TRY(check_domain(found));
        const bool any_tensorflow =
            options_.mode == Mode::kTensorFlow1 || options_.mode == Mode::kTensorFlow2;
        some_ranges_ = options_.domain || (options_.mode == Mode::kTensorRt && of_tensorrt > 0) ||
                       (any_tensorflow && r_.tensorflow);
        for (RangeDomain& domain : found)
            domain.chosen = !some_ranges_                      ? true
                            : options_.domain                  ? domain.name == wanted_domain()
                            : options_.mode == Mode::kTensorRt ? domain.name == "TensorRT"
                                                               : domain.of_tensorflow;
        return tell_domains(found);
    }

    // The default domain has no name of its own.
    std::string wanted_domain() const { return *options_.domain == "default" ? "" : *options_.domain; }

    Status check_domain(const std::vector<RangeDomain>& found) const {
        bool named = false;
        std::string names;
        for (const RangeDomain& domain : found) {
            named |= domain.name == wanted_domain();
            names += (names.empty() ? "" : ", ") + (domain.name.empty() ? "default" : domain.name);
        }
        if (named) return {};
        return fail(
            Error{fmt::format("has no ranges in an NVTX domain '{}'", *options_.domain),
                  source_.path(),
                  {},
                  names.empty() ? "it has no NVTX ranges: leave --domains out" : "it has ranges in " + names,
                  2});
    }

    Status tell_domains(const std::vector<RangeDomain>& domains) {
        OPSIGHT_TRY(source_.execute(sql::chosen_domains));
        OPSIGHT_ASSIGN(auto rows, duck::Appender::create(
                                      source_.connection(), "temp", "chosen_domains",
                                      {duck::Type::kVarchar, duck::Type::kBoolean, duck::Type::kBoolean}));
        for (const RangeDomain& domain : domains) {
            rows.set_text(0, 0, domain.name);
            rows.column<bool>(1)[0] = domain.chosen;
            rows.column<bool>(2)[0] = domain.of_tensorflow;
            OPSIGHT_TRY(rows.add(1));
        }
        OPSIGHT_TRY(rows.close());
        return source_.execute(sql::domain_ranges);
    }

    // Ops from the chosen ranges; which one is inside another is found anew, without the other domains. In a
    // domain of the user's own, where no range is an op, all of them are.
    Status ops_of_ranges() {
        OPSIGHT_ASSIGN(const duck::Rows known, source_.query(sql::count_chosen_ops));
        own_ranges_ = integer(known.rows.at(0).at(0), -1) == 0;
        OPSIGHT_TRY(scan(duck::Statement(sql::chosen_ops).set("all_ranges", own_ranges_),
                         [this](const duck::Batch& batch) { append_ops(batch); }));
        OpRows& o = r_.ops;
        std::vector<size_t> open;
        for (size_t row = 0; row < o.size(); ++row) {
            while (!open.empty() &&
                   (o.track[open.back()] != o.track[row] || o.end[open.back()] <= o.begin[row]))
                open.pop_back();
            if (!open.empty()) o.parent[row] = o.id[open.back()];
            open.push_back(row);
        }
        return own_ranges_ ? names_of_ranges() : Status();
    }

    Status names_of_ranges() {
        return each(sql::chosen_texts, [this](const auto& row) {
            const std::string said = text(row[1]);
            const size_t colon = said.find(": ");
            // "type: name", as TensorFlow's ranges; else the text is both.
            const bool parted = colon != said.npos && colon > 0 && colon + 2 < said.size();
            tell(row[0], parted ? said.substr(colon + 2) : said,
                 parted ? said.substr(0, colon) : said.substr(said.rfind('/') + 1));
        });
    }

    void append_ops(const duck::Batch& batch) {
        OpRows& o = r_.ops;
        size_t column = 0;
        for (auto* list : {&o.id, &o.track, &o.op, &o.parent, &o.forward, &o.iteration})
            append(*list, batch, column++);
        append(o.begin, batch, column++);
        append(o.end, batch, column++);
        append(o.sequence, batch, column);
    }

    Status ops() {
        return scan(sql::ops, [this](const duck::Batch& batch) { append_ops(batch); });
    }

    Status identities() {
        OPSIGHT_TRY(each(sql::identities, [this](const auto& row) {
            at(r_.identities, integer(row[0], -1)) = {text(row[1]), text(row[2]), text(row[3]), text(row[4]),
                                                      text(row[5]), flag(row[6]), flag(row[7])};
        }));
        return stacks();
    }

    // Each distinct one is read once.
    Status stacks() {
        OPSIGHT_TRY(source_.execute(sql::distinct_stacks));
        OPSIGHT_TRY(each(sql::stacks, [this](const auto& row) { r_.stacks.push_back(text(row[0])); }));
        if (r_.stacks.empty()) return {};
        return scan(sql::op_stacks, [this](const duck::Batch& batch) {
            for (size_t i = 0; i < batch.size(); ++i)
                r_.stack_of.emplace(batch.column<int32_t>(0)[i], batch.column<int32_t>(1)[i]);
        });
    }

    // A call inside another one is part of it, but for those that a database tells to be ops of their own.
    Status calls() {
        std::vector<int32_t> open;  // rows
        return scan(sql::api_calls, [this, open](const duck::Batch& batch) mutable {
            Calls& c = r_.calls;
            const auto *id = batch.column<int32_t>(0), *track = batch.column<int32_t>(1),
                       *name = batch.column<int32_t>(2), *iteration = batch.column<int32_t>(3);
            const auto *begin = batch.column<int64_t>(4), *end = batch.column<int64_t>(5);
            for (size_t i = 0; i < batch.size(); ++i) {
                while (!open.empty() && (c.track[open.back()] != track[i] || c.end[open.back()] <= begin[i]))
                    open.pop_back();
                if (open.empty() || r_.told_of.contains(id[i])) {
                    open.push_back(static_cast<int32_t>(c.size()));
                    c.id.push_back(id[i]);
                    c.track.push_back(track[i]);
                    c.name.push_back(name[i]);
                    c.iteration.push_back(iteration[i]);
                    c.begin.push_back(begin[i]);
                    c.end.push_back(end[i]);
                }
                c.by_id.emplace_back(id[i], open.back());
            }
        });
    }

    Status device_work() {
        return scan(sql::device_work, [this](const duck::Batch& batch) {
            DeviceRows& d = r_.device;
            size_t column = 0;
            for (auto* list : {&d.launch, &d.device, &d.name, &d.config, &d.iteration})
                append(*list, batch, column++);
            append(d.begin, batch, column++);
            append(d.end, batch, column++);
            append(d.kind, batch, column);
            for (size_t i = d.size() - batch.size(); i < d.size(); ++i)
                if (d.device[i] >= 0) d.device[i] = r_.device_of.at(d.device[i]);
        });
    }

    Status names() {
        // A database of DLProf says which kernels it took for such of Tensor Cores.
        const std::set<std::string> told = r_.lines("source.tc_kernels");
        const bool is_told = r_.facts.contains("property.source.tc_kernels");
        OPSIGHT_TRY(each(sql::kernel_names, [&](const auto& row) {
            const std::string name = text(row[1]);
            at(r_.kernels, integer(row[0], -1)) = {name, text(row[2]),
                                                   is_told ? told.contains(name) : flag(row[3])};
        }));
        OPSIGHT_TRY(each(sql::launch_configs, [this](const auto& row) {
            auto& sizes = at(r_.configs, integer(row[0], -1));
            for (size_t i = 0; i < sizes.size(); ++i)
                sizes[i] = integer(row[i + 1], -1);
        }));
        return call_names();
    }

    // Rows of a database whose short name or use of Tensor Cores is not that of others with their long name.
    Status other_kernels() {
        std::map<std::pair<int64_t, std::string>, int32_t> others;  // by correlation and long name
        std::map<std::tuple<std::string, std::string, bool>, int32_t> known;
        for (const std::string& line : r_.lines("source.other_kernels")) {
            const Json told = Json::parse(line, nullptr, false);
            if (!told.is_object()) continue;
            const auto said = [&](const char* key) { return told.contains(key) ? told[key] : Json(); };
            if (!said("launch").is_number_integer() || !said("name").is_string() ||
                !said("short").is_string())
                continue;
            const KernelName name = {said("name"), said("short"), said("uses_tc") == true};
            const auto [it, is_new] = known.try_emplace({name.name, name.base, name.uses_tc},
                                                        static_cast<int32_t>(r_.kernels.size()));
            if (is_new) r_.kernels.push_back(name);
            others.emplace(std::pair(said("launch").get<int64_t>(), name.name), it->second);
        }
        if (others.empty()) return {};
        absl::flat_hash_map<int32_t, int64_t> correlations;  // of API calls
        OPSIGHT_TRY(scan(sql::correlations, [&](const duck::Batch& batch) {
            for (size_t i = 0; i < batch.size(); ++i)
                correlations.emplace(batch.column<int32_t>(0)[i], batch.column<int64_t>(1)[i]);
        }));
        for (size_t row = 0; row < r_.device.size(); ++row) {
            const auto call = correlations.find(r_.device.launch[row]);
            if (r_.device.kind[row] != 0 || call == correlations.end()) continue;
            const auto found = others.find({call->second, r_.kernels.at(r_.device.name[row]).name});
            if (found != others.end()) r_.device.name[row] = found->second;
        }
        return {};
    }

    // With the version of the call, where the source has one: "cudaLaunchKernel_v7000".
    Status call_names() {
        std::map<std::string, std::string> spelled;
        for (const std::string& name : r_.lines("source.api_names"))
            spelled.emplace(name.substr(0, name.rfind("_v")), name);
        return each(sql::api_names, [&](const auto& row) {
            const std::string name = text(row[1]);
            const auto found = spelled.find(name);
            r_.call_names.emplace(static_cast<int32_t>(integer(row[0], -1)),
                                  found == spelled.end() ? name : found->second);
        });
    }

    Status host_spans() {
        return each(sql::host_spans, [this](const auto& row) {
            (flag(row[2]) ? r_.loading : r_.file_io).emplace_back(integer(row[0], -1), integer(row[1], -1));
        });
    }

    void tell(const Cell& op, const std::string& name, const std::string& payload) {
        const auto [it, is_new] = told_.try_emplace({name, payload}, static_cast<int32_t>(r_.told.size()));
        if (is_new) r_.told.emplace_back(name, payload);
        r_.told_of.emplace(static_cast<int32_t>(integer(op, -1)), it->second);
    }

    // A database of DLProf: what it tells of ops, of pseudo-ops (with the calls that these are), and its
    // iterations.
    Status recorded() {
        r_.origin = Origin::kRecorded;
        const auto take = [this](const auto& row) { tell(row[0], text(row[1]), text(row[2])); };
        OPSIGHT_TRY(each(sql::recorded_ops, take));
        OPSIGHT_TRY(
            each(sql::recorded_pseudo_ops, [this](const auto& row) { tell(row[0], {}, text(row[1])); }));
        return each(sql::recorded_iterations, [this](const auto& row) {
            r_.recorded_iterations.emplace_back(integer(row[0], -1), integer(row[1], -1));
            r_.recorded_numbers.push_back(integer(row[2], -1));
        });
    }

    Status marks() {
        OPSIGHT_TRY(each(sql::marks, [this](const auto& row) {
            const auto domain = flag(row[2]) ? marks::NvtxDomain::kTensorFlow : marks::NvtxDomain::kOther;
            if (auto mark = read_mark(text(row[1]), domain))
                r_.marks.emplace(static_cast<int32_t>(integer(row[0], -1)), std::move(*mark));
        }));
        const bool marked =
            std::any_of(r_.marks.begin(), r_.marks.end(), [](const auto& mark) { return mark.second.is_op; });
        if (!marked) return scope_names();
        r_.origin = Origin::kMarked;
        return scan(sql::chosen_ranges, [this](const duck::Batch& batch) {
            for (size_t i = 0; i < batch.size(); ++i)
                if (const int32_t said = batch.column<int32_t>(2)[i]; r_.marks.contains(said))
                    r_.ranges.push_back({batch.column<int32_t>(0)[i], batch.column<int32_t>(1)[i], said,
                                         batch.column<int64_t>(3)[i], batch.column<int64_t>(4)[i]});
        });
    }

    Status scope_names() {
        return each(sql::scoped_ops, [this](const auto& row) {
            const std::string said = text(row[1]);
            tell(row[0], said.substr(said.find(": ") + 2), {});
        });
    }

    Status model_config() {
        return each(sql::model_configs, [this](const auto& row) {
            const auto said = nlohmann::json::parse(text(row[0]), nullptr, false);
            if (!said.is_object() || !said.contains("model_config")) return;
            const auto& config = said["model_config"];
            if (!config.is_object()) return;
            for (const auto& [key, value] : config.items())
                r_.facts["property.model_" + key] = value.is_boolean()  ? (value ? "1" : "0")
                                                    : value.is_string() ? value.template get<std::string>()
                                                                        : value.dump();
        });
    }

    Source& source_;
    const Options& options_;
    bool some_ranges_ = false;  // ops are taken from the chosen ranges alone
    bool own_ranges_ = false;   // none of which is an op by itself
    Recording r_;
    std::map<std::pair<std::string, std::string>, int32_t> told_;
};

}  // namespace

std::set<std::string> Recording::lines(const std::string& key) const {
    const std::string all = property(key);
    std::set<std::string> found;
    std::string_view rest = all;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        found.emplace(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return found;
}

Result<Recording> load_recording(Source& source, const Options& options) {
    return Loader(source, options).run();
}

}  // namespace opsight::query::dlprof
