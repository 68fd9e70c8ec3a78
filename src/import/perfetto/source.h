// A trace of Perfetto as a trace of Chrome, in PyTorch's words, made as it is read: so one reader knows what
// such events mean. In memory are a packet, what writers told before, and the slices that are open.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <string>

#include "base/byte_source.h"
#include "base/json_writer.h"
#include "import/perfetto/events.h"
#include "import/protobuf/parts.h"

namespace opsight::importer::perfetto {

class TraceSource final : public ByteSource {
  public:
    explicit TraceSource(ByteSource& packed);
    Result<size_t> read(char* to, size_t size) override;
    uint64_t position() const override { return packed_.position(); }
    std::string damage() const override { return damage_; }

    // Once all is read.
    const Diagnostics& diagnostics() const { return diagnostics_; }
    const std::map<std::string, int64_t>& unread() const { return unread_; }  // packets, by kind
    uint64_t events() const { return events_.count(); }
    uint64_t bytes() const { return parts_.bytes(); }

  private:
    struct Packet;
    Status next();
    void take(std::string_view packet, int depth);
    void take_data(const Packet& packet, Sequence& sequence, int depth);
    void take_event(const Packet& packet, const Sequence& sequence);
    void take_packed(std::string_view packed, int depth);
    void end();
    Status check_growth();

    ByteSource& packed_;
    protobuf::PartReader parts_;
    protobuf::Part part_;
    Diagnostics diagnostics_;
    Growth growth_;
    JsonWriter json_;
    Events events_;
    Clocks clocks_;
    absl::flat_hash_map<uint32_t, Sequence> sequences_;
    std::map<std::string, int64_t> unread_;
    std::string text_, damage_;
    size_t used_ = 0;
    uint64_t unpacked_ = 0;
    bool ended_ = false;
};

}  // namespace opsight::importer::perfetto
