// Further passes over a program, that counted other counters of the same kernels.
#include <fmt/format.h>

#include "import/rocprofcsv/run.h"
#include "import/text/csv_rows.h"

namespace opsight::importer::rocprofcsv {

Result<Run::Pass> Run::pass_in(PeekedSource& source, uint64_t& bytes) {
    CsvRows rows(source);
    Row row;
    OPSIGHT_TRY(rows.next(row));
    const Columns columns(row);
    columns_ = &columns;
    Pass pass;
    for (;;) {
        OPSIGHT_ASSIGN(const bool any, rows.next(row));
        if (!any) break;
        line_ = rows.line();
        if (rows.is_cut() || rows.ends_inside()) {
            note(Diag::kTruncatedInput, "the last row has no line end, so it may be cut");
            break;
        }
        const int64_t dispatch = columns.number(row, Field::kDispatch);
        if (row.size() < columns.size() || dispatch < 0) {
            note(Diag::kBadEvent, "a counter without a dispatch");
            continue;
        }
        const StringId kernel = kernel_name(row);
        const auto known = moments_.find(std::pair(int64_t{0}, dispatch));
        if (pass.odd.empty() && (known == moments_.end() || known->second.kernel != kernel))
            pass.odd = fmt::format("dispatch {} is {}, and {} there", dispatch, builder_.view(kernel),
                                   known == moments_.end() ? "none" : builder_.view(known->second.kernel));
        pass.kernels.emplace(dispatch, kernel);
        pass.counted.push_back({dispatch, std::string(columns.of(row, Field::kCounter)),
                                std::string(columns.of(row, Field::kValue)), line_});
    }
    columns_ = nullptr;
    bytes = rows.bytes();
    if (pass.odd.empty() && pass.kernels.size() != moments_.size())
        pass.odd = fmt::format("{} kernels, and {} there", pass.kernels.size(), moments_.size());
    return pass;
}

Result<uint64_t> Run::read_pass(PeekedSource& source, const std::string& file) {
    file_ = file;
    uint64_t bytes = 0;
    OPSIGHT_ASSIGN(const Pass pass, pass_in(source, bytes));
    if (!pass.odd.empty()) {
        builder_.diagnostics().add(
            Diag::kDanglingId,
            {file, -1, -1,
             fmt::format("another pass over the program of {}, whose kernels are not the same ({}): its "
                         "counters are left out",
                         name_, pass.odd)});
        return bytes;
    }
    for (const Counted& each : pass.counted) {
        line_ = each.line;
        const Moment& moment = moments_.at(std::pair(int64_t{0}, each.dispatch));
        add_counter(moment, builder_.view(moment.kernel), each.counter, each.value);
    }
    return bytes;
}

}  // namespace opsight::importer::rocprofcsv
