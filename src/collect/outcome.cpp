#include "collect/outcome.h"

#include <algorithm>

#include "wire/cuda.h"
#include "wire/reader.h"

namespace opsight::collect {

// Looks into the first block of each stream only: what stands in the way shows at once.
CudaOutcome cuda_outcome(const std::vector<std::string>& captures) {
    CudaOutcome outcome;
    const auto take = [&](const wire::RecordView& record) {
        if (record.type != wire::RecordType::kCudaState) return;
        if (record.as<wire::CudaStateRecord>().state == wire::CudaState::kRecording) {
            outcome.recorded = true;
            return;
        }
        std::string line(record.blob_of<wire::CudaStateRecord>());
        if (std::find(outcome.problems.begin(), outcome.problems.end(), line) == outcome.problems.end())
            outcome.problems.push_back(std::move(line));
    };
    for (const std::string& path : captures) {
        if (!path.ends_with(".opcap")) continue;
        Result<wire::CaptureReader> reader = wire::CaptureReader::open(path);
        if (!reader) continue;  // the import says why
        for (wire::CaptureStream stream : reader->streams()) {
            stream.chunks.resize(std::min<size_t>(stream.chunks.size(), 1));
            reader->read(stream, take);
        }
    }
    return outcome;
}

}  // namespace opsight::collect
