#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "query/dlprof/by_id.h"
#include "query/dlprof/recording.h"
#include "query/session/cells.h"

namespace opsight::query::dlprof {
namespace {

template <class T>
void append(std::vector<T>& to, const duck::Batch& batch, size_t column) {
    const T* data = batch.column<T>(column);
    to.insert(to.end(), data, data + batch.size());
}

class Loader {
  public:
    Loader(Source& source, const Options& options) : source_(source), options_(options) {}

    Result<Recording> run() {
        OPSIGHT_TRY(facts());
        OPSIGHT_TRY(choose_ranges());
        OPSIGHT_TRY(only_ranges_.empty() ? ops() : ops_of_ranges());
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
    Status each(const std::string& sql, auto&& take) {
        OPSIGHT_ASSIGN(const duck::Rows rows, source_.query(sql));
        for (const auto& row : rows.rows)
            take(row);
        return {};
    }
    Status scan(const std::string& sql, const std::function<void(const duck::Batch&)>& take) {
        return source_.connection().scan(sql, take);
    }

    Status facts() {
        OPSIGHT_TRY(each("SELECT key, value FROM raw.meta ORDER BY rowid", [this](const auto& row) {
            const auto [it, is_new] = r_.facts.emplace(text(row[0]), text(row[1]));
            if (!is_new && it->first.starts_with("property.source.")) it->second += '\n' + text(row[1]);
        }));
        r_.from_nsys = r_.fact("producer").starts_with("Nsight Systems");
        r_.zero = -source_.shown_time(0);
        OPSIGHT_TRY(each("SELECT begin_ns, end_ns FROM raw.iterations WHERE rank = 0 ORDER BY number",
                         [this](const auto& row) {
                             r_.stored_iterations.emplace_back(integer(row[0], -1), integer(row[1], -1));
                         }));
        return load_devices(source_, r_);
    }

    std::string chosen() const { return only_ranges_.empty() ? "true" : only_ranges_; }
    bool is_recorded() const { return r_.fact("producer").starts_with("DLProf"); }

    // Whether a domain or a mode restricts the ops to some of the NVTX ranges.
    Status choose_ranges() {
        int64_t of_tensorflow = 0, of_tensorrt = 0;
        std::string domains;
        bool named = false;
        OPSIGHT_TRY(each(
            "SELECT a.domain_name, count(*) FROM raw.nvtx_ranges r JOIN raw.nvtx_attributes a ON a.id = "
            "r.attributes WHERE a.type = 0 GROUP BY 1 ORDER BY 1",
            [&](const auto& row) {
                const std::string name = text(row[0]);
                if (marks::nvtx_domain(name) == marks::NvtxDomain::kTensorFlow) {
                    of_tensorflow += integer(row[1], -1);
                    tensorflow_domains_ += (tensorflow_domains_.empty() ? "" : ", ") + duck::quote_text(name);
                }
                if (name == "TensorRT") of_tensorrt += integer(row[1], -1);
                named |= (name.empty() ? "default" : name) == options_.domain;
                domains += (domains.empty() ? "" : ", ") + (name.empty() ? "default" : name);
            }));
        r_.tensorflow = of_tensorflow > 0;
        if (options_.domain && !named)
            return fail(Error{fmt::format("has no ranges in an NVTX domain '{}'", *options_.domain),
                              source_.path(),
                              {},
                              domains.empty() ? "it has no NVTX ranges: leave --domains out"
                                              : "it has ranges in " + domains,
                              2});
        if (options_.domain)
            only_ranges_ = "a.domain_name = " +
                           duck::quote_text(*options_.domain == "default" ? std::string() : *options_.domain);
        else if (options_.mode == Mode::kTensorRt && of_tensorrt > 0)
            only_ranges_ = "a.domain_name = 'TensorRT'";
        else if ((options_.mode == Mode::kTensorFlow1 || options_.mode == Mode::kTensorFlow2) &&
                 r_.tensorflow)
            only_ranges_ = of_tensorflow_domain();
        return {};
    }

    std::string of_tensorflow_domain() const {
        return tensorflow_domains_.empty() ? "false" : "a.domain_name IN (" + tensorflow_domains_ + ")";
    }

    // Ops from the chosen ranges; which one is inside another is found anew, without the other domains. In a
    // domain of the user's own, where no range is an op, all of them are.
    Status ops_of_ranges() {
        OPSIGHT_ASSIGN(
            const duck::Rows known,
            source_.query("SELECT count(*) FROM raw.nvtx_ranges r JOIN raw.nvtx_attributes a ON a.id = "
                          "r.attributes SEMI JOIN raw.ops o ON o.id = r.id WHERE a.type = 0 AND " +
                          only_ranges_));
        own_ranges_ = integer(known.rows.at(0).at(0), -1) == 0;
        OPSIGHT_TRY(
            scan(fmt::format("SELECT r.id::INTEGER, r.track::INTEGER, coalesce(o.op, -1)::INTEGER, "
                             "-1::INTEGER, coalesce(o.forward, -1)::INTEGER, coalesce(o.iteration, "
                             "-1)::INTEGER, r.begin_ns::BIGINT, (r.begin_ns + r.dur_ns)::BIGINT, "
                             "coalesce(o.sequence, -1)::BIGINT FROM raw.nvtx_ranges r JOIN "
                             "raw.nvtx_attributes a ON a.id = r.attributes {} JOIN raw.ops o ON o.id = r.id "
                             "WHERE a.type = 0 AND (r.flags & 2) = 0 AND {} ORDER BY r.id",
                             own_ranges_ ? "LEFT" : "", only_ranges_),
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
        return each(
            "SELECT r.id, x.text FROM raw.nvtx_ranges r JOIN raw.nvtx_attributes a ON a.id = r.attributes "
            "JOIN raw.strings x ON x.id = r.text WHERE a.type = 0 AND " +
                only_ranges_,
            [this](const auto& row) {
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
        return scan(
            "SELECT id::INTEGER, track::INTEGER, op::INTEGER, parent_op::INTEGER, forward::INTEGER, "
            "iteration::INTEGER, begin_ns::BIGINT, (begin_ns + dur_ns)::BIGINT, sequence::BIGINT FROM "
            "raw.ops "
            "WHERE (flags & 2) = 0 ORDER BY id",
            [this](const duck::Batch& batch) { append_ops(batch); });
    }

    Status identities() {
        OPSIGHT_TRY(
            each("SELECT i.id, i.name, i.type, l.path, i.dtypes, i.shapes, i.direction, i.tc_eligible FROM "
                 "raw.op_identities i LEFT JOIN raw.layers l ON l.id = i.layer",
                 [this](const auto& row) {
                     at(r_.identities, integer(row[0], -1)) = {text(row[1]), text(row[2]),
                                                               text(row[3]), text(row[4]),
                                                               text(row[5]), integer(row[6], -1) == 1,
                                                               flag(row[7])};
                 }));
        return stacks();
    }

    // Each distinct one is read once.
    Status stacks() {
        const std::string distinct =
            "(SELECT stack, row_number() OVER (ORDER BY stack) - 1 AS place FROM (SELECT DISTINCT stack FROM "
            "raw.op_extras WHERE stack <> ''))";
        OPSIGHT_TRY(each("SELECT stack FROM " + distinct + " ORDER BY place",
                         [this](const auto& row) { r_.stacks.push_back(text(row[0])); }));
        if (r_.stacks.empty()) return {};
        return scan("SELECT e.id::INTEGER, d.place::INTEGER FROM raw.op_extras e JOIN " + distinct +
                        " d ON d.stack = e.stack",
                    [this](const duck::Batch& batch) {
                        for (size_t i = 0; i < batch.size(); ++i)
                            r_.stack_of.emplace(batch.column<int32_t>(0)[i], batch.column<int32_t>(1)[i]);
                    });
    }

    // A call inside another one is part of it, but for those that a database tells to be ops of their own.
    Status calls() {
        std::vector<int32_t> open;  // rows
        return scan(
            "SELECT id::INTEGER, track::INTEGER, name::INTEGER, iteration::INTEGER, begin_ns::BIGINT, "
            "(begin_ns + dur_ns)::BIGINT FROM raw.api_calls ORDER BY id",
            [this, open](const duck::Batch& batch) mutable {
                Calls& c = r_.calls;
                const auto *id = batch.column<int32_t>(0), *track = batch.column<int32_t>(1),
                           *name = batch.column<int32_t>(2), *iteration = batch.column<int32_t>(3);
                const auto *begin = batch.column<int64_t>(4), *end = batch.column<int64_t>(5);
                for (size_t i = 0; i < batch.size(); ++i) {
                    while (!open.empty() &&
                           (c.track[open.back()] != track[i] || c.end[open.back()] <= begin[i]))
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
        return scan(
            "SELECT d.launch::INTEGER, t.device::INTEGER, d.name::INTEGER, d.config::INTEGER, "
            "d.iteration::INTEGER, d.begin_ns::BIGINT, (d.begin_ns + d.dur_ns)::BIGINT, d.kind::TINYINT "
            "FROM raw.device_spans d JOIN raw.tracks t ON t.id = d.track WHERE d.kind < 3 ORDER BY "
            "d.begin_ns, "
            "d.rowid",
            [this](const duck::Batch& batch) {
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
        OPSIGHT_TRY(each(
            "SELECT id, name, coalesce(nullif(base_name, ''), short_name), uses_tc FROM raw.kernel_names",
            [&](const auto& row) {
                const std::string name = text(row[1]);
                at(r_.kernels, integer(row[0], -1)) = {
                    name, text(row[2]), is_told ? told.contains(name) : integer(row[3], -1) == 1};
            }));
        OPSIGHT_TRY(
            each("SELECT id, grid_x, grid_y, grid_z, block_x, block_y, block_z FROM raw.launch_configs",
                 [this](const auto& row) {
                     auto& sizes = at(r_.configs, integer(row[0], -1));
                     for (size_t i = 0; i < sizes.size(); ++i)
                         sizes[i] = integer(row[i + 1], -1);
                 }));
        return call_names();
    }

    // Rows of a database whose short name or use of Tensor Cores is not that of others with their long name.
    Status other_kernels() {
        using Json = nlohmann::json;
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
        OPSIGHT_TRY(
            scan("SELECT id::INTEGER, correlation::BIGINT FROM raw.api_calls", [&](const duck::Batch& batch) {
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
        return each("SELECT id, text FROM raw.strings WHERE id IN (SELECT name FROM raw.api_calls)",
                    [&](const auto& row) {
                        const std::string name = text(row[1]);
                        const auto found = spelled.find(name);
                        r_.call_names.emplace(static_cast<int32_t>(integer(row[0], -1)),
                                              found == spelled.end() ? name : found->second);
                    });
    }

    // Data loading; and file I/O, which the operating system's calls tell where they were recorded.
    Status host_spans() {
        return each(
            "SELECT s.begin_ns, s.begin_ns + s.dur_ns, s.kind = 7 FROM raw.other_spans s "
            "LEFT JOIN raw.strings x ON x.id = s.name WHERE s.kind IN (7, 8) OR (s.kind = 10 AND x.text IN "
            "('read', 'write', 'pread', 'pread64', 'pwrite', 'pwrite64', 'readv', 'writev', 'preadv', "
            "'pwritev', 'fread', 'fwrite', 'fgets', 'fputs', 'fgetc', 'fputc', 'fflush', 'fsync'))",
            [this](const auto& row) {
                (flag(row[2]) ? r_.loading : r_.file_io)
                    .emplace_back(integer(row[0], -1), integer(row[1], -1));
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
        OPSIGHT_TRY(
            each("SELECT r.id, x.text, p.text FROM raw.nvtx_ranges r JOIN raw.nvtx_payloads p ON p.id = r.id "
                 "JOIN raw.strings x ON x.id = r.text WHERE p.type = 2",
                 take));
        OPSIGHT_TRY(
            each("SELECT a.id, p.text FROM raw.api_calls a JOIN raw.nvtx_payloads p ON p.id = a.id "
                 "WHERE p.type = 2",
                 [this](const auto& row) { tell(row[0], {}, text(row[1])); }));
        return each(
            "SELECT DISTINCT a.begin_ns, a.begin_ns + a.dur_ns, try_cast(substr(x.text, 19) AS BIGINT) FROM "
            "raw.annotations a JOIN raw.strings x ON x.id = a.name WHERE starts_with(x.text, 'DLProf "
            "iteration "
            "#') ORDER BY 1, 2, 3",
            [this](const auto& row) {
                r_.recorded_iterations.emplace_back(integer(row[0], -1), integer(row[1], -1));
                r_.recorded_numbers.push_back(integer(row[2], -1));
            });
    }

    Status marks() {
        OPSIGHT_TRY(each(
            "SELECT x.id, x.text, t.of_tensorflow FROM (SELECT r.text, bool_or(" + of_tensorflow_domain() +
                ") AS of_tensorflow FROM raw.nvtx_ranges r JOIN raw.nvtx_attributes a ON a.id = r.attributes "
                "WHERE a.type = 0 AND " +
                chosen() +
                " GROUP BY 1) t JOIN raw.strings x ON x.id = t.text WHERE starts_with(x.text, '{')",
            [this](const auto& row) {
                const auto domain = flag(row[2]) ? marks::NvtxDomain::kTensorFlow : marks::NvtxDomain::kOther;
                if (auto mark = read_mark(text(row[1]), domain))
                    r_.marks.emplace(static_cast<int32_t>(integer(row[0], -1)), std::move(*mark));
            }));
        const bool marked =
            std::any_of(r_.marks.begin(), r_.marks.end(), [](const auto& mark) { return mark.second.is_op; });
        if (!marked) return scope_names();
        r_.origin = Origin::kMarked;
        return scan(
            "SELECT r.id::INTEGER, r.track::INTEGER, r.text::INTEGER, r.begin_ns::BIGINT, (r.begin_ns + "
            "r.dur_ns)::BIGINT FROM raw.nvtx_ranges r JOIN raw.nvtx_attributes a ON a.id = r.attributes "
            "WHERE a.type = 0 AND " +
                chosen() + " ORDER BY r.track, r.begin_ns, r.dur_ns DESC, r.id",
            [this](const duck::Batch& batch) {
                for (size_t i = 0; i < batch.size(); ++i)
                    if (const int32_t said = batch.column<int32_t>(2)[i]; r_.marks.contains(said))
                        r_.ranges.push_back({batch.column<int32_t>(0)[i], batch.column<int32_t>(1)[i], said,
                                             batch.column<int64_t>(3)[i], batch.column<int64_t>(4)[i]});
            });
    }

    // "MatMul: model/dense/MatMul": what TensorFlow's ranges say after their type is the whole name of the
    // op.
    Status scope_names() {
        return each(
            "SELECT r.id, x.text FROM raw.nvtx_ranges r SEMI JOIN raw.ops o ON o.id = r.id "
            "JOIN raw.strings x ON x.id = r.text JOIN raw.nvtx_attributes a ON a.id = r.attributes "
            "WHERE a.type = 0 AND contains(x.text, ': ') AND " +
                of_tensorflow_domain(),
            [this](const auto& row) {
                const std::string said = text(row[1]);
                tell(row[0], said.substr(said.find(": ") + 2), {});
            });
    }

    // {"model_config": {"emit_nvtx": true}}: settings that DLProf's PyTorch package tells in a range.
    Status model_config() {
        return each(
            "SELECT text FROM raw.strings WHERE starts_with(text, '{') AND contains(text, 'model_config') "
            "AND id IN "
            "(SELECT text FROM raw.nvtx_ranges) ORDER BY id",
            [this](const auto& row) {
                const auto said = nlohmann::json::parse(text(row[0]), nullptr, false);
                if (!said.is_object() || !said.contains("model_config")) return;
                const auto& config = said["model_config"];
                if (!config.is_object()) return;
                for (const auto& [key, value] : config.items())
                    r_.facts["property.model_" + key] = value.is_boolean() ? (value ? "1" : "0")
                                                        : value.is_string()
                                                            ? value.template get<std::string>()
                                                            : value.dump();
            });
    }

    Source& source_;
    const Options& options_;
    std::string only_ranges_;         // SQL of the ranges that ops are taken from; empty: any
    bool own_ranges_ = false;         // none of which is an op by itself
    std::string tensorflow_domains_;  // SQL: their names
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
