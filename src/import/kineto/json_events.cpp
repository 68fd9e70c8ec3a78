#include "import/kineto/json_events.h"

#include <algorithm>

#include "base/time.h"
#include "import/kineto/scanner.h"
#include "import/text/clean_text.h"

namespace opsight::importer::kineto {

std::string_view text_of(const simdjson::dom::object& from, std::string_view key) {
    std::string_view text;
    return from[key].get(text) == simdjson::SUCCESS ? text : std::string_view();
}

bool JsonEvents::next(Window& window, size_t& at, Event& event) {
    const std::string_view events(window.begin(), window.size);
    while (at < events.size()) {
        const size_t end = Scanner().feed(events.data() + at, events.size() - at, true).last_end;
        if (end == Scanner::kNone) return false;
        const size_t first = std::min(events.find('{', at), at + end);
        const std::string_view text = events.substr(first, at + end - first);
        place_ = static_cast<int64_t>(window.offset + first);
        at += end;
        if (parse(text, event)) return true;
    }
    return false;
}

bool JsonEvents::parse(std::string_view text, Event& event) {
    simdjson::dom::element parsed;
    if (parser_.parse(text.data(), text.size()).get(parsed) != simdjson::SUCCESS) {
        std::string clean(text);
        clean_text(clean);
        if (parser_.parse(clean).get(parsed) != simdjson::SUCCESS) {
            note(Diag::kBadEvent, "not JSON");
            return false;
        }
        note(Diag::kUncleanText, clean);
    }
    if (parsed.get(event) == simdjson::SUCCESS) return true;
    note(Diag::kBadEvent, "not an object");
    return false;
}

bool JsonEvents::read_time(const Event& event, std::string_view key, int64_t& ns) {
    constexpr int64_t kMostUs = kMaxNs / 1000 / 2;
    int64_t us = 0;
    if (event[key].get(us) != simdjson::SUCCESS || us < -kMostUs || us > kMostUs) {
        note(Diag::kBadTime, key);
        return false;
    }
    ns = us * 1000;
    return true;
}

StringId JsonEvents::intern(std::string_view text) {
    if (is_clean(text)) return builder_.text(text);
    std::string repaired(text);
    clean_text(repaired);
    return builder_.text(repaired);
}

void JsonEvents::note(Diag diag, std::string_view text) {
    builder_.diagnostics().add(diag, {file_.name, place_, -1, std::string(text)});
}

void JsonEvents::note_end() {
    builder_.diagnostics().merge(reader_.diagnostics());
    file_.note_damage(builder_);
}

}  // namespace opsight::importer::kineto
