// Cuts a trace into windows of whole events, and collects what stands around the list of events. The file is
// read once, front to back; memory is the window (4 MiB, more only for an event larger than that).
//
// Takes {"traceEvents": [...], ...} with keys in any order, and the bare list [...] of the first generation.
// Where the text goes wrong (cut off, a quote lost), reading goes on at the next thing that looks like the
// start of an event; what lies between is counted.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "import/kineto/event_reader.h"
#include "import/kineto/scanner.h"
#include "model/diagnostics.h"

namespace opsight::importer::kineto {

// A reusable buffer with some whole events in it.
class Window {
  public:
    char* begin() { return buffer_.get() + kHeadroom; }
    size_t size = 0;      // of the events
    uint64_t offset = 0;  // of begin() in the uncompressed source
    uint64_t sequence = 0;

    size_t capacity() const { return capacity_; }
    // Makes room for `bytes`, keeping the first `used`.
    void reserve(size_t bytes, size_t used);
    void shrink(size_t most);

  private:
    std::unique_ptr<char[]> buffer_;
    size_t capacity_ = 0;
};

class TraceReader {
  public:
    struct Limits {
        size_t window = size_t{4} << 20;
        size_t event = size_t{64} << 20;         // a larger event is skipped
        size_t header_value = size_t{16} << 20;  // a larger value outside the events is skipped
    };
    explicit TraceReader(ByteSource& source) : TraceReader(source, Limits()) {}
    TraceReader(ByteSource& source, Limits limits) : source_(source), limits_(limits) {}

    // Of writers that never close their list: a bare one that ends behind a comma is whole.
    void let_list_stay_open(bool may) { may_stay_open_ = may; }

    // The next window; false at the end. An error only where nothing of a trace can be seen, or reading
    // fails.
    Result<bool> next(Window& window);

    // What stands around the events: raw JSON by key; complete after next() gave false.
    const std::vector<std::pair<std::string, std::string>>& header() const { return header_; }
    bool is_bare_list() const { return bare_list_; }
    bool found_events() const { return found_events_; }
    uint64_t bytes() const { return read_; }
    Diagnostics& diagnostics() { return diagnostics_; }

  private:
    enum class State : uint8_t { kStart, kTop, kEvents, kEnd, kDone };

    Result<bool> fill();  // more of the source into text_; false at its end
    Result<int> peek();   // next byte that is not white space; -1 at the end
    Status read_start();
    Status read_top();
    Status read_member();
    Result<bool> read_string(std::string& to);
    Result<bool> read_value(std::string& to);
    void truncated(std::string what);

    Result<bool> next_events(Window& window);
    Result<bool> end_of_source(Window& window, size_t used);
    Result<bool> pass_over(Window& window, size_t used);
    bool hand_out(Window& window, size_t end, size_t used, size_t scanned);
    bool leave_events(Window& window, size_t close, size_t used);
    bool pass_stray_brace(Window& window, size_t close, size_t used);
    Status look_behind();  // at the end of the document: is that the end of the file?
    uint64_t place() const { return read_ - (text_.size() - at_); }

    ByteSource& source_;
    Limits limits_;
    State state_ = State::kStart;
    std::string text_;    // read, and not used from at_ on
    size_t at_ = 0;       //
    size_t scanned_ = 0;  // how much of text_ the scanner has seen
    uint64_t read_ = 0;   // bytes read from the source
    bool source_ended_ = false;
    Scanner scanner_;
    uint64_t sequence_ = 0;
    std::vector<std::pair<std::string, std::string>> header_;
    bool bare_list_ = false, found_events_ = false, may_stay_open_ = false;
    Diagnostics diagnostics_;
};

}  // namespace opsight::importer::kineto
