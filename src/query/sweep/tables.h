// The tables of a sweep, a file each. Where a table has no row there was nothing to say.
#pragma once

#include <string>
#include <vector>

#include "query/ask/question.h"
#include "query/ask/report.h"
#include "query/sweep/sweep.h"
#include "sweep/curve.h"
#include "sweep/fits.h"

namespace opsight::query {

// The line through a series' times, and its curve of throughput.
struct SeriesShape {
    size_t series = 0;
    std::optional<plan::LineFit> line;  // ns by work
    plan::Place knee, saturation;
    size_t points = 0;
    bool measured_once = false;  // no point of it twice
};
std::vector<SeriesShape> shapes_of(const SweepSummary& summary);

ResultTable point_table(const Sweep& sweep, const SweepSummary& summary, const SweepOptions& options);
ResultTable fit_table(const SweepSummary& summary, const std::vector<SeriesShape>& shapes);
ResultTable curve_table(const SweepSummary& summary, const std::vector<SeriesShape>& shapes);
std::vector<std::string> shape_notes(const SweepSummary& summary, const std::vector<SeriesShape>& shapes);

// Something whose time each point has: an op of a layer, all ops of a name, a layer with all in it, a kernel.
struct PartOfSweep {
    enum class Kind : uint8_t { kOp, kOpType, kLayer, kKernel };
    Kind kind = Kind::kOp;
    std::string layer, name, direction;
    std::vector<std::vector<double>> ns;       // of each point, of each of its runs
    std::vector<std::optional<double>> flops;  // of each point
    std::vector<double> medians;               // of each point; below 0: it is not there
    std::string label() const;
};
std::string_view name_of(PartOfSweep::Kind kind);
// By kind, in each by falling time at the last measured point, or where it is most.
std::vector<PartOfSweep> parts_of(const SweepSummary& summary);

// Times of parts of one kind, a column for each point.
ResultTable part_table(const SweepSummary& summary, const std::vector<PartOfSweep>& parts,
                       PartOfSweep::Kind kind, const TableShape& shape);

// How the time of a part grows with a parameter.
struct Growth {
    const PartOfSweep* part = nullptr;
    std::string parameter;
    plan::PowerFit time;
    std::optional<plan::PowerFit> flops;
    double first_ns = 0, last_ns = 0;  // medians at the least and the greatest value where it is
    double share_pct = 0;              // of the greatest point's time of all parts of its kind
};
std::vector<Growth> growths_of(const Sweep& sweep, const SweepSummary& summary,
                               const std::vector<PartOfSweep>& parts);
ResultTable growth_table(const std::vector<Growth>& growths, const TableShape& shape);
// The ops that grow faster than what is varied.
std::vector<std::string> growth_notes(const std::vector<Growth>& growths);
std::string growth_word(const plan::Estimated& exponent);

// Counted FLOPs between the first and the last point of each series: two-point slopes.
ResultTable counted_table(const SweepSummary& summary, const std::vector<PartOfSweep>& parts,
                          const TableShape& shape);

// Under the limits of the options; no row where none is given.
ResultTable best_table(const SweepSummary& summary, const SweepOptions& options,
                       std::vector<std::string>& notes);
// Ops that some points have and others have not.
std::vector<std::string> op_set_notes(const SweepSummary& summary, const std::vector<PartOfSweep>& parts);

// All of it. Notes are the answer, and come first.
Result<Report> sweep_report(const Sweep& sweep, const SweepOptions& options, const TableShape& shape);
// Two sweeps beside each other, by points of the same name.
Result<Report> compare_sweeps(const Sweep& base, const Sweep& next, const SweepOptions& options);

// A number as a cell; nothing where there is none.
Cell cell_of(const std::optional<double>& value);
// "4.21 ms", by the unit.
std::string time_words(double ns);
// " (3.9 ms to 4.5 ms)", or nothing where there is no interval.
std::string interval_words(const plan::Estimated& value);

}  // namespace opsight::query
