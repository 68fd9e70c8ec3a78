// Collectives of torch.distributed in a recording: which process group, and how much of which type.
//
// An op of a group ("c10d::allreduce_") has the group among its inputs. The range in which the backend
// carries it out
// ("gloo:all_reduce"), on a thread of its own, tells neither: what belongs together is found where ranks are
// matched.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile_builder.h"
#include "wire/signature.h"

namespace opsight::importer::capture {

// As python/opsight/groups.py tells it.
struct ProcessGroup {
    std::string name, description, backend;
    int64_t size = -1;
    std::vector<int64_t> members;  // ranks in the job, by their rank in the group; empty: not told
};
// By number. What makes no sense is left out.
std::map<uint64_t, ProcessGroup> read_groups(const std::map<std::string, std::string>& properties);

// Of one process.
class ProcessGroups {
  public:
    // `rank`: of the process in its job; -1: not known.
    ProcessGroups(const std::map<std::string, std::string>& properties, int64_t rank, ProfileBuilder& builder)
        : builder_(builder), groups_(read_groups(properties)), rank_(rank) {}

    // What an op moves among a group; invalid where no group is among its inputs. Sends and receives are of a
    // group of two: who sends, and who receives.
    CollectiveId collective_of(std::string_view op, const std::vector<wire::SignatureInput>& inputs);

  private:
    struct Call;
    Call call_of(std::string_view op, const std::vector<wire::SignatureInput>& inputs) const;
    const ProcessGroup* known(uint64_t group) const;
    int64_t times_size(int64_t elements, uint64_t group) const;
    int64_t member(uint64_t group, int64_t place) const;
    bool is_root(uint64_t group, int64_t root) const;

    ProfileBuilder& builder_;
    const std::map<uint64_t, ProcessGroup> groups_;
    const int64_t rank_;
};

}  // namespace opsight::importer::capture
