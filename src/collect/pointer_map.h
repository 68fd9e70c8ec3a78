// From addresses to what is known of them. Open addressing, no allocation but to grow. Not for several
// threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace opsight::collect {

template <class Value>
class PointerMap {
  public:
    // Null: nothing is known.
    Value* find(const void* key) const {
        if (!capacity_) return nullptr;
        for (size_t at = place(key);; at = next(at)) {
            if (entries_[at].key == key) return entries_[at].value;
            if (!entries_[at].key) return nullptr;
        }
    }

    // False where memory is short. Null is not a key.
    bool insert(const void* key, Value* value) {
        if (2 * (size_ + 1) > capacity_ && !grow()) return false;
        put(key, value);
        return true;
    }

    void erase(const void* key) {
        if (!capacity_) return;
        size_t hole = place(key);
        while (entries_[hole].key != key) {
            if (!entries_[hole].key) return;
            hole = next(hole);
        }
        // What stands behind the hole and belongs before it moves up.
        for (size_t at = next(hole); entries_[at].key; at = next(at)) {
            const size_t wanted = place(entries_[at].key);
            if (((at - wanted) & (capacity_ - 1)) < ((at - hole) & (capacity_ - 1))) continue;
            entries_[hole] = entries_[at];
            hole = at;
        }
        entries_[hole] = {};
        --size_;
    }

    size_t size() const { return size_; }

  private:
    struct Entry {
        const void* key;
        Value* value;
    };

    size_t place(const void* key) const {
        return (reinterpret_cast<uintptr_t>(key) >> 4) * 0x9e3779b97f4a7c15 >> 20 & (capacity_ - 1);
    }
    size_t next(size_t at) const { return (at + 1) & (capacity_ - 1); }

    void put(const void* key, Value* value) {
        size_t at = place(key);
        while (entries_[at].key && entries_[at].key != key)
            at = next(at);
        size_ += !entries_[at].key;
        entries_[at] = {key, value};
    }

    bool grow() {
        const size_t old_capacity = capacity_;
        Entry* const old = entries_;
        const size_t wanted = capacity_ ? 2 * capacity_ : 64;
        auto* made = static_cast<Entry*>(std::calloc(wanted, sizeof(Entry)));
        if (!made) return false;
        entries_ = made;
        capacity_ = wanted;
        size_ = 0;
        for (size_t i = 0; i < old_capacity; ++i)
            if (old[i].key) put(old[i].key, old[i].value);
        std::free(old);
        return true;
    }

    Entry* entries_ = nullptr;
    size_t capacity_ = 0, size_ = 0;
};

}  // namespace opsight::collect
