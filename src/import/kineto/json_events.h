// JsonEvents: the events of a list in JSON, parsed one after another. For formats whose files are small; what
// PyTorch writes is read by importer.cpp, on all cores.
#pragma once

#include <simdjson.h>
#include <string>
#include <string_view>

#include "import/kineto/trace_reader.h"
#include "import/reader/one_file.h"

namespace opsight::importer::kineto {

// Empty where it is not a text.
std::string_view text_of(const simdjson::dom::object& from, std::string_view key);

class JsonEvents {
  public:
    using Event = simdjson::dom::object;

    JsonEvents(const OneFile& file, ProfileBuilder& builder)
        : file_(file), builder_(builder), reader_(file.source) {}

    void let_list_stay_open(bool may) { reader_.let_list_stay_open(may); }

    // Calls take(event) for each; what is not an event is counted.
    template <class Take>
    Status each(Take&& take) {
        Window window;
        for (;;) {
            OPSIGHT_ASSIGN(const bool any, reader_.next(window));
            if (!any) break;
            size_t at = 0;
            Event event;
            while (next(window, at, event))
                take(event);
            file_.tell_progress();
        }
        return {};
    }

    // A time in µs that lies within what can be shown, in ns; else it is counted.
    bool read_time(const Event& event, std::string_view key, int64_t& ns);
    StringId intern(std::string_view text);
    // At the event that is taken.
    void note(Diag diag, std::string_view text);
    // What the reader counted, and whether the source broke off.
    void note_end();
    uint64_t bytes() const { return reader_.bytes(); }

  private:
    bool next(Window& window, size_t& at, Event& event);
    bool parse(std::string_view text, Event& event);

    const OneFile& file_;
    ProfileBuilder& builder_;
    TraceReader reader_;
    simdjson::dom::parser parser_;
    int64_t place_ = -1;
};

}  // namespace opsight::importer::kineto
