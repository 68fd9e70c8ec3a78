// Times of the chosen range in which something goes on, whatever else goes on beside it. What leaves the run
// cannot save more than the time in which it went on: work on one path of dependencies does not overlap.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/reports/time_spans.h"
#include "query/session/session.h"

namespace opsight::query {

enum class Activity : uint8_t {
    kDataLoading,
    kFiles,
    kCommunication,
    kTransfers,
    kPageableCopies,  // with the calls that launched them
    kPlainKernels,    // known not to use Tensor Cores, of ops that cannot
    kDevice,          // any work of a device, of the range or launched before it
    kKernels,         // the same of kernels
    kOps,             // any op of the range
    kCalls,           // any call of the runtime or driver
    kSmallGrids,      // kernels with fewer blocks than multiprocessors, alone on their device
    kHostSoftmax,     // softmaxes over square scores, on the host and on devices
    kDeviceSoftmax,
    kHostScores,  // all work on such scores
    kDeviceScores,
    kWaveTails,       // the ends of kernels in which their last wave of blocks does not fill the device
    kComputeKernels,  // all but collectives
    kOverhead,        // the profiler's own work, as it tells it
    kQueued,          // a pause of all devices of a rank before work that was launched already
    kRunQueue,        // a thread that runs the ops is ready to run, and has no processor
    kNothing,         // nothing that was recorded: the share "idle" of the wall clock
};

// What goes on, and how often: spans that begin in the range.
struct Occurrences {
    TimeSpans times;
    int64_t count = 0;
};

// Within the wall clock of the range. Cost: linear in the spans, and a sort.
Result<Occurrences> times_of(Session& session, Activity activity);
// Of calls of the runtime or driver, of annotations and ops of the host, and of kernels, by regular
// expressions.
Result<Occurrences> times_of_calls(Session& session, const std::string& pattern);
Result<Occurrences> times_of_annotations(Session& session, const std::string& pattern);
Result<Occurrences> times_of_kernels(Session& session, const std::string& pattern);

// Ops that are matrix products, convolutions and the like by name, whether or not their device or type lets
// them use Tensor Cores: their op_identities.id, joined by commas, and their names, each once.
struct ProductOps {
    std::string ids;
    std::vector<std::string> names;
};
Result<ProductOps> product_ops(Session& session);

struct OpChoice {
    std::string pattern, dtypes = {};  // regular expressions; no dtypes: any
    std::string but_shapes = {};       // not those whose shapes match this; empty: any
    std::string values = {};           // those of which values of arguments match this; empty: any
    std::string but_values = {};       // not those of which they match this; empty: any
    bool device = false;               // what they launched, else the host's time
    bool kernels = false;              // of what they launched
};
Result<Occurrences> times_of_ops(Session& session, const OpChoice& choice);
// Of kernels of matrix products on 16-bit floats with a size that is not a multiple of this one.
Result<Occurrences> times_of_misaligned_products(Session& session, int64_t multiple);
// Of kernels of matrix products the part for what their tiles cover beside the result, where that is this
// much of the tiles or more. An estimate: it takes each tile to take equally long.
Result<Occurrences> times_of_tile_tails(Session& session, double pct);
// Of copies from the host of at most so many bytes, with the calls that launched them.
Result<Occurrences> times_of_small_copies(Session& session, int64_t bytes);

// Of kernels that keep at most this part of a multiprocessor's threads resident; of products, convolutions
// and attention none.
Result<Occurrences> times_of_low_occupancy(Session& session, double pct);
// Of loading data, in iterations that load for more than this many times the median.
Result<Occurrences> times_of_first_batches(Session& session, double times);
// Of the kernels of convolutions that launch this many different ones or more.
Result<Occurrences> times_of_convolution_trials(Session& session, int64_t kernels);
// Of the kernels of convolutions of sizes that come this often or more, where the library chose them without
// a search: the part beyond what their counted work needs.
Result<Occurrences> times_of_convolution_choice(Session& session, int64_t calls);
// Of kernels that take less.
Result<Occurrences> times_of_short_kernels(Session& session, int64_t ns);
// Of collectives on a device that take at most this long.
Result<Occurrences> times_of_short_collectives(Session& session, int64_t ns);

// The wall clock of the range, and the part of it that is not in `spans`.
Result<TimeSpans> times_of_range(Session& session);
Result<TimeSpans> times_without(Session& session, const TimeSpans& spans);

// The wall clock of the range without what one row of each rank does: the stream that computes longest, or
// the device that works longest. What a stream runs stays in order, and what a device has to do stays to be
// done: whatever else goes, the run saves no more than this. Work of other rows could run meanwhile.
enum class Longest : uint8_t { kStream, kDevice };
Result<TimeSpans> times_beside(Session& session, Longest row);

// The rows of a statement (rank, begin, end, as BIGINT) as they come.
Status each_span(Session& session, const duck::Statement& statement,
                 const std::function<void(const TimeSpan&)>& see);
// Those of any order that may overlap, united and cut to the wall clock of the range.
Result<TimeSpans> within_range(Session& session, std::vector<TimeSpan> spans);

}  // namespace opsight::query
