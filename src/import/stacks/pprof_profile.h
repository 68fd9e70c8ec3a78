// A profile of pprof, as views of its bytes.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "import/protobuf/fields.h"

namespace opsight::importer::stacks {

class PprofProfile {
  public:
    struct ValueType {
        std::string_view type, unit;  // "cpu", "nanoseconds"
    };
    struct Sample {
        std::vector<uint64_t> locations;  // from the innermost out
        std::vector<int64_t> values;      // one for each type
        int64_t tid = -1;
        std::string_view thread;  // its name; empty: not told
    };

    // `bytes` outlive it. False: they are damaged, and what is told is what comes before.
    bool read(std::string_view bytes);
    const std::vector<ValueType>& types() const { return types_; }
    ValueType period_type() const { return period_type_; }
    int64_t period() const { return period_; }  // in the unit of its type; 0: not told
    int64_t duration_ns() const { return duration_; }
    // Those of the profile, one by one; false: this one is damaged.
    const std::vector<std::string_view>& samples() const { return samples_; }
    bool read_sample(std::string_view message, Sample& sample) const;
    // Adds the functions of a location, innermost first: several where some were inlined; no more than make
    // `most`. False: it is not told.
    bool add_functions(uint64_t location, size_t most, std::vector<std::string_view>& functions) const;

  private:
    struct Location {
        std::vector<uint64_t> functions;
        uint64_t mapping = 0;
    };
    std::string_view text(uint64_t number) const {
        return number < texts_.size() ? texts_[number] : std::string_view();
    }
    ValueType value_type(std::string_view message) const;
    bool take_location(std::string_view message);
    bool take_named(std::string_view message, int name, absl::flat_hash_map<uint64_t, uint64_t>& to);
    void read_label(std::string_view message, Sample& sample) const;

    std::vector<std::string_view> texts_, samples_, type_messages_;
    std::vector<ValueType> types_;
    ValueType period_type_;
    std::string_view period_message_;
    int64_t period_ = 0, duration_ = 0;
    absl::flat_hash_map<uint64_t, Location> locations_;
    absl::flat_hash_map<uint64_t, uint64_t> functions_, mappings_;  // numbers of their names
};

}  // namespace opsight::importer::stacks
