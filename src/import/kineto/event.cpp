#include "import/kineto/event.h"

#include <cstring>
#include <vector>

namespace opsight::importer::kineto {
namespace {

struct Spelling {
    std::string_view key;
    Arg arg;
};

constexpr Spelling kSpellings[] = {
    {"External id", Arg::kExternalId},
    {"external id", Arg::kExternalId},
    {"Record function id", Arg::kRecordFunction},
    {"correlation", Arg::kCorrelation},
    {"device", Arg::kDevice},
    {"stream", Arg::kStream},
    {"stream_id", Arg::kStream},
    {"context", Arg::kContext},
    {"grid", Arg::kGrid},
    {"block", Arg::kBlock},
    {"registers per thread", Arg::kRegisters},
    {"shared memory", Arg::kSharedMemory},
    {"est. achieved occupancy %", Arg::kOccupancy},
    {"blocks per SM", Arg::kBlocksPerSm},
    {"warps per SM", Arg::kWarpsPerSm},
    {"bytes", Arg::kBytes},
    {"Bytes", Arg::kBytes},
    {"size", Arg::kBytes},
    {"Input Dims", Arg::kInputDims},
    {"Input dims", Arg::kInputDims},
    {"Input type", Arg::kInputTypes},
    {"Concrete Inputs", Arg::kConcreteInputs},
    {"Input Strides", Arg::kInputStrides},
    {"Call stack", Arg::kCallStack},
    {"Module Hierarchy", Arg::kModuleHierarchy},
    {"Sequence number", Arg::kSequence},
    {"Fwd thread id", Arg::kForwardThread},
    {"Collective name", Arg::kCollectiveName},
    {"In msg nelems", Arg::kInElements},
    {"Out msg nelems", Arg::kOutElements},
    {"Group size", Arg::kGroupSize},
    {"dtype", Arg::kDtype},
    {"Process Group Name", Arg::kGroupName},
    {"Process Group Description", Arg::kGroupDescription},
    {"Process Group Ranks", Arg::kGroupRanks},
    {"Seq", Arg::kCollectiveNumber},
    {"Src Rank", Arg::kSourceRank},
    {"Dst Rank", Arg::kDestinationRank},
    {"Device Type", Arg::kDeviceType},
    {"Device Id", Arg::kDeviceId},
    {"Addr", Arg::kAddress},
    {"Total Allocated", Arg::kTotalAllocated},
    {"Total Reserved", Arg::kTotalReserved},
    {"name", Arg::kName},
    {"labels", Arg::kLabels},
    {"kernel", Arg::kKernel},
    {"graph id", Arg::kGraph},
    {"graph node id", Arg::kGraphNode},
    {"rank", Arg::kRank},
    {"pid_raw", Arg::kRawPid},
};

// Spellings by their first byte.
struct Index {
    std::array<std::vector<Spelling>, 256> by_first;
    Index() {
        for (const Spelling& spelling : kSpellings)
            by_first[static_cast<uint8_t>(spelling.key[0])].push_back(spelling);
    }
};

}  // namespace

Arg find_arg(const char* key) {
    static const Index index;
    for (const Spelling& spelling : index.by_first[static_cast<uint8_t>(*key)]) {
        const size_t size = spelling.key.size();
        if (key[size] == '"' && std::memcmp(key, spelling.key.data(), size) == 0) return spelling.arg;
    }
    return Arg::kCount;
}

}  // namespace opsight::importer::kineto
