// Adds the batches of one trace to a ProfileBuilder, in the order of the windows, and settles what only the
// whole trace tells: names of tracks, begins and ends, where flows end, the base of the times.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "import/kineto/batch.h"
#include "import/kineto/header.h"

namespace opsight::importer::kineto {

class Assembler {
  public:
    // `has_places`: whether bytes of the text are places in the file.
    Assembler(ProfileBuilder& builder, RankId rank, std::string file, size_t workers, bool has_places)
        : builder_(builder),
          rank_(rank),
          file_(std::move(file)),
          workers_(workers),
          has_places_(has_places),
          from_(builder.row_counts()) {}

    void add(const Batch& batch);
    // `diagnostics`: of the readers.
    void finish(const Header& header, const Diagnostics& diagnostics);

    uint64_t events() const { return events_; }
    // Those that the trace's header is about: of merged traces all, else the first.
    std::vector<RankId> ranks() const;
    bool tells_ranks() const { return !ranks_by_number_.empty(); }
    uint64_t no_events() const { return no_events_; }
    bool knows_kineto() const { return knows_kineto_; }
    // Whether there is anything of a kind that means something to the analyses.
    // Counters alone do, but not beside spans of which none is known.
    bool knows_anything() const { return knows_anything_ || (counts_ && !holds_others_); }

  private:
    // Local ids of a worker to ids of the profile.
    struct Remap {
        std::vector<StringId> strings{StringId(0)};
        std::vector<SignatureId> signatures;
        std::vector<LaunchConfigId> configs;
        std::vector<CollectiveId> collectives;
        std::vector<uint32_t> places;  // into places_
        std::vector<TrackId> device_places;
        StringId text(StringId local) const { return local.valid() ? strings[local.index()] : local; }
    };
    // A place of the source and the tracks that it turned out to be.
    struct KnownPlace {
        ThreadKey place;  // with the profile's string ids
        TrackId host, device;
    };
    using PlaceKey = std::tuple<bool, bool, int64_t, int64_t, uint32_t, uint32_t, uint32_t>;

    void learn(const Batch& batch, Remap& map);
    void learn_ranks(const Batch& batch, const Remap& map);
    void learn_merged(StringId rank);
    RankId rank_numbered(std::optional<int64_t> number);
    RankId rank_of(const ThreadKey& place) const;
    uint32_t known_thread(const ThreadKey& place);
    TrackId device_track(const DevicePlace& where, const Remap& map);
    void learn_mangled(StringId name);
    StringId readable(StringId name) const;
    StringId kernel_name(StringId name);
    TrackId host_track(uint32_t place, HostKind kind);
    TrackId row_track(uint32_t place, std::string_view row);
    void add_host(const Batch& batch, const Remap& map);
    void add_device(const Batch& batch, const Remap& map);
    void add_legacy_device(const Batch& batch, const Remap& map);
    void add_rest(const Batch& batch, const Remap& map);
    void add_diagnostics(const Diagnostics& diagnostics);

    void finish_of_threads();
    void finish_spans();
    void finish_async();
    void add_span(const UnpairedEvent& begin, const UnpairedEvent* end, TrackId track);
    void finish_names();
    void finish_flows();
    void finish_legacy_device();
    std::string pid_text(const ThreadKey& place) const;

    ProfileBuilder& builder_;
    const RankId rank_;
    const std::string file_;
    std::vector<Remap> workers_;
    const bool has_places_;
    const RowCounts from_;
    absl::flat_hash_map<uint32_t, StringId> demangled_;  // by the id of the mangled name
    // Of processes whose labels name one; all others are of `rank_`.
    absl::flat_hash_map<int64_t, RankId> ranks_of_processes_;
    absl::flat_hash_map<uint32_t, RankId> ranks_of_merged_;  // by what the tool that merged called them
    absl::flat_hash_map<int64_t, RankId> ranks_by_number_;
    std::vector<KnownPlace> places_;
    std::map<PlaceKey, uint32_t> place_index_;
    std::vector<std::pair<uint32_t, TrackId>> device_tracks_;  // by place
    std::vector<UnpairedEvent> unpaired_;                      // with places and strings of the profile
    std::vector<Batch::OfThread> of_threads_;                  // track: index into places_
    std::vector<FlowEnd> flows_;                               // track: index into places_
    std::vector<DeviceSpan> legacy_device_;                    // of the profile, but not in it yet
    absl::flat_hash_set<StringId> legacy_ops_;                 // names
    uint64_t events_ = 0, no_events_ = 0;
    bool knows_kineto_ = false, knows_anything_ = false, counts_ = false, holds_others_ = false,
         calls_ = false;
};

}  // namespace opsight::importer::kineto
