// NVTX_EVENTS: ranges and marks become ops, calls of modules, annotations or data loading, by their text.
//
// One pass. Names of domains and categories stand in the same table
// and are looked for only where one is used.
#include <fmt/format.h>

#include "import/nsys/nvtx_payload.h"
#include "import/nsys/readers.h"
#include "import/nvtx/spans.h"

namespace opsight::importer::nsys {
namespace {

// Event types (ENUM_NSYS_EVENT_TYPE), built in for exports without that table. The 60s and 70s are those of
// imported text files.
enum EventType : int64_t {
    kCategory = 33,
    kMark = 34,
    kThreadName = 39,
    kPushPop = 59,
    kStartEnd = 60,
    kImportedCategory = 64,
    kImportedMark = 65,
    kImportedPushPop = 70,
    kImportedStartEnd = 71,
    kDomainCreate = 75,
    kDomainDestroy = 76,
};

class NvtxReader {
  public:
    explicit NvtxReader(Report& report) : report_(report), builder_(report.builder()) {}
    Status run() {
        OPSIGHT_TRY(load_payload_schemas(report_, schemas_));
        return report_.read(kTable, kColumns, [this](Table& row) { take(row); }).map([](bool) {});
    }

  private:
    enum {
        kStart,
        kEnd,
        kType,
        kCategoryId,
        kColor,
        kText,
        kThread,
        kEndThread,
        kTextId,
        kDomain,
        kUint64,
        kInt64,
        kUint32,
        kInt32,
        kDouble,
        kFloat,
        kJsonId,
        kJson,
        kBinary
    };
    static constexpr std::string_view kTable = "NVTX_EVENTS";
    inline static const Columns kColumns = {
        "start",        "end",        "eventType",  "category",    "color",      "text",        "globalTid",
        "endGlobalTid", "textId",     "domainId",   "uint64Value", "int64Value", "uint32Value", "int32Value",
        "doubleValue",  "floatValue", "jsonTextId", "jsonText",    "binaryData"};

    void take(Table& row) {
        switch (row.number(kType, kPushPop)) {
            case kPushPop:
            case kImportedPushPop:
                return take_range(row, NvtxType::kPushPop);
            case kStartEnd:
            case kImportedStartEnd:
                return take_range(row, NvtxType::kStartEnd);
            case kMark:
            case kImportedMark:
                return take_range(row, NvtxType::kMark);
            case kThreadName:
                builder_.track(thread(row.number(kThread, 0))).name = text_of(row);
                return;
            case kCategory:
            case kImportedCategory:
            case kDomainCreate:
            case kDomainDestroy:
                return;  // see find_names
            default:
                report_.note(Diag::kUnreadRow, fmt::format("NVTX event of type {}", row.number(kType)));
        }
    }

    void take_range(Table& row, NvtxType type) {
        HostSpan span;
        if (type == NvtxType::kMark) {
            if (!report_.time(row, kStart, span.begin)) return;
        } else if (!report_.times(row, kStart, kEnd, span.begin, span.dur, span.flags)) {
            return;
        }
        const int64_t from = row.number(kThread, 0), to = row.number(kEndThread, from);
        const StringId text = text_of(row);
        span.track = row.has(kThread) ? thread(from) : report_.thread(row, kThread, !has_cuda_);
        TrackId end_track;
        if (type == NvtxType::kStartEnd && to != from && to > 0) end_track = thread(to);
        const Domain& domain = domain_of(row);
        spans_.add(span, end_track, text, domain.dialect, attributes(row, type, domain), type);
        add_payload(row);
    }

    TrackId thread(int64_t global_tid) { return report_.thread(global_tid, !has_cuda_); }

    StringId text_of(const Table& row) {
        if (row.has(kText)) {
            const std::string_view text = row.text(kText);
            const StringId known = builder_.find_text(text);
            return known.valid() ? known : report_.intern(text);
        }
        return row.has(kTextId) ? report_.string(row.number(kTextId)) : StringId(size_t{0});
    }

    struct Domain {
        int64_t number = 0;
        StringId name{0};
        marks::NvtxDomain dialect = marks::NvtxDomain::kOther;
    };
    using Place = std::pair<int64_t, int64_t>;  // process and domain

    const Domain& domain_of(const Table& row) {
        const int64_t number = row.number(kDomain, 0);
        if (number == 0) return default_domain_;
        find_names();
        const auto [it, is_new] =
            domains_.try_emplace(Place(Report::process_key(row.number(kThread, 0)), number));
        if (is_new) it->second.number = number;
        return it->second;
    }

    NvtxAttributesId attributes(const Table& row, NvtxType type, const Domain& domain) {
        NvtxAttributes a;
        a.type = type;
        a.domain = domain.number;
        a.domain_name = domain.name;
        a.category = row.number(kCategoryId, 0);
        a.color = row.number(kColor);
        if (a == last_attributes_ && last_attributes_id_.valid()) return last_attributes_id_;
        last_attributes_ = a;
        if (a.category != 0) {
            find_names();
            const auto name =
                categories_.find({Place(Report::process_key(row.number(kThread, 0)), a.domain), a.category});
            if (name != categories_.end()) a.category_name = name->second;
        }
        return last_attributes_id_ = builder_.nvtx_attributes(a);
    }

    // Domains and categories are rare, and may be named after their first use.
    void find_names() {
        if (names_found_) return;
        names_found_ = true;
        const auto take_name = [this](Table& row) {
            const int64_t type = row.number(kType);
            const Place place(Report::process_key(row.number(kThread, 0)), row.number(kDomain, 0));
            if (type == kDomainCreate) {
                const StringId name = text_of(row);
                domains_[place] = {place.second, name, marks::nvtx_domain(builder_.view(name))};
            } else if (type == kCategory || type == kImportedCategory) {
                categories_[{place, row.number(kCategoryId, 0)}] = text_of(row);
            }
        };
        const auto done = report_.read(kTable, kColumns, take_name, false);
        if (!done) report_.note(Diag::kTruncatedInput, done.error().what);
    }

    void add_payload(const Table& row) {
        NvtxPayload payload;
        for (const size_t column : {kUint64, kInt64, kUint32, kInt32})
            if (row.has(column)) {
                payload.integer = row.number(column);
                if (column == kUint64 && payload.integer < 0) {  // SQLite's numbers have a sign
                    payload.type = NvtxPayload::Type::kText;
                    payload.text = report_.intern(fmt::format("{}", static_cast<uint64_t>(payload.integer)));
                }
                return builder_.extend_payload(payload);
            }
        for (const size_t column : {kDouble, kFloat})
            if (row.has(column)) {
                payload.type = NvtxPayload::Type::kReal;
                payload.real = row.real(column);
                return builder_.extend_payload(payload);
            }
        const bool by_id = row.has(kJsonId);
        if (by_id || row.has(kJson)) {
            payload.type = NvtxPayload::Type::kText;
            payload.text = by_id ? report_.string(row.number(kJsonId)) : report_.intern(row.text(kJson));
            return builder_.extend_payload(payload);
        }
        if (row.has(kBinary)) add_binary(row, payload);
    }

    void add_binary(const Table& row, NvtxPayload& payload) {
        const nvtx::Decoded decoded =
            decode_payload(schemas_, row.number(kDomain, 0), row.text(kBinary), text_of_id_);
        if (!decoded.problem.empty())
            report_.note(Diag::kUnreadRow, "NVTX payload with a schema: " + decoded.problem);
        if (decoded.json.empty()) return;
        payload.type = NvtxPayload::Type::kText;
        payload.text = report_.intern(decoded.json);
        builder_.extend_payload(payload);
    }

    Report& report_;
    ProfileBuilder& builder_;
    nvtx::Schemas schemas_;
    const nvtx::TextOf text_of_id_ = [this](uint64_t, uint64_t value) {
        const auto id = static_cast<int64_t>(value);
        return report_.has_string(id) ? std::string(builder_.view(report_.string(id))) : std::string();
    };
    nvtx::Spans spans_{builder_};
    const bool has_cuda_ = !report_.ranks().empty();
    const Domain default_domain_;
    absl::flat_hash_map<Place, Domain> domains_;
    absl::flat_hash_map<std::pair<Place, int64_t>, StringId> categories_;
    bool names_found_ = false;
    NvtxAttributes last_attributes_;
    NvtxAttributesId last_attributes_id_;
};

}  // namespace

Status read_nvtx(Report& report) {
    return NvtxReader(report).run();
}

}  // namespace opsight::importer::nsys
