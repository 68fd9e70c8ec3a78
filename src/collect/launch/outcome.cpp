#include "collect/launch/outcome.h"

#include <algorithm>

#include "wire/cuda.h"
#include "wire/reader.h"

namespace opsight::collect {

// Streams of other libraries are told by their first block, and not read further.
CudaOutcome cuda_outcome(const std::vector<std::string>& captures) {
    CudaOutcome outcome;
    bool of_cuda = false;
    const auto take = [&](const wire::RecordView& record) {
        of_cuda = of_cuda || record.type == wire::RecordType::kCudaClock ||
                  record.type == wire::RecordType::kCudaState;
        if (record.type != wire::RecordType::kCudaState) return;
        if (record.as<wire::CudaStateRecord>().state == wire::CudaState::kRecording) {
            outcome.recorded = true;
            return;
        }
        std::string line(record.blob_of<wire::CudaStateRecord>());
        const auto known =
            std::find_if(outcome.problems.begin(), outcome.problems.end(),
                         [&](const CudaOutcome::Problem& other) { return other.line == line; });
        if (known != outcome.problems.end())
            ++known->count;
        else
            outcome.problems.push_back({std::move(line), 1});
    };
    for (const std::string& path : captures) {
        if (!path.ends_with(".opcap")) continue;
        Result<wire::CaptureReader> reader = wire::CaptureReader::open(path);
        if (!reader) continue;  // the import says why
        for (const wire::CaptureStream& stream : reader->streams()) {
            wire::CaptureStream first = stream, rest = stream;
            const size_t one = std::min<size_t>(stream.chunks.size(), 1);
            first.chunks.resize(one);
            rest.chunks.erase(rest.chunks.begin(), rest.chunks.begin() + static_cast<ptrdiff_t>(one));
            of_cuda = false;
            reader->read(first, take);
            if (of_cuda) reader->read(rest, take);
        }
    }
    return outcome;
}

}  // namespace opsight::collect
