/// The runs of each size class, for orders of reuse whose metadata lies apart from the blocks.
///
///     one class asked for so far:    -> record -> runs
///     several classes:               -> [ class 0 | class 1 | ... ], each leads to a record, or is null
///
/// A `Record` serves one class: pop() and push(p) of blocks, and add_run(), which gives it memory
/// (reuse/block_runs.hpp). Records, the table (reuse/class_table.hpp) and the runs are carved from the pool's
/// room when a class is first requested: a class that is never used costs nothing, and freeing needs no memory.
///
/// Invariant: the number of entries in the table is a power of two, so that few tables are left behind as it
/// grows.
#pragma once

#include <mallard/core/build_mode.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/reuse/block_runs.hpp>
#include <mallard/reuse/class_table.hpp>
#include <mallard/reuse/order.hpp>
#include <mallard/reuse/size_classes.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

namespace mallard::reuse::inline MALLARD_MODE {

template <class Record, size_class_policy Classes>
class runs_by_class {
public:
    /// Returns: a block of class `index`, still poisoned; null if none is free.
    [[nodiscard]] void* pop(std::size_t index) noexcept {
        Record* record = record_of(index);
        return record != nullptr ? record->pop() : nullptr;
    }

    /// Effects: makes `p`, a block of class `index`, free.
    /// Returns: false, with no effect, if no block of that class was ever carved: `p` is not the pool's.
    [[nodiscard]] bool push(void* p, std::size_t index) noexcept {
        Record* record = record_of(index);
        if (record == nullptr) [[unlikely]] {
            return false;
        }
        record->push(p);
        return true;
    }

    /// Effects: makes a run of the memory [p, p + bytes), for the largest class in use that fits.
    void donate(std::byte* p, std::size_t bytes, std::size_t classes) noexcept {
        for (std::size_t index = std::min(records_.size(), classes); index-- != 0;) {
            Record* record = record_of(index);
            if (record != nullptr && bytes >= block_runs::least_bytes(Classes::bytes(index))) {
                record->add_run(p, p + bytes);
                return;
            }
        }
    }

    /// Effects: makes a run at the front of [cursor, limit), and takes its first block.
    /// Returns: the block, still poisoned; null if the room is too short.
    [[nodiscard, gnu::cold, gnu::noinline]] void* carve(std::byte*& cursor, std::byte* limit,
                                                        std::size_t index) noexcept {
        if (static_cast<std::size_t>(limit - cursor) < room_for(index)) {
            return nullptr;
        }
        Record* record = record_of(index);
        if (record == nullptr) {
            record = add_record(cursor, index);
        }
        record->add_run(cursor, limit);
        return record->pop();
    }

    [[nodiscard]] std::size_t room_for(std::size_t index) noexcept {
        const std::size_t run_bytes = block_runs::least_bytes(Classes::bytes(index));
        if (record_of(index) != nullptr) {
            return run_bytes;
        }
        return run_bytes + sizeof(Record) + table_bytes(index);
    }

    /// Effects: forgets all blocks.
    void clear() noexcept { records_.clear(); }

private:
    [[nodiscard]] Record* record_of(std::size_t index) noexcept {
        Record** place = records_.find(index);
        return place != nullptr ? *place : nullptr;
    }

    /// Returns: the size of the table that a record of class `index` needs first; 0 if there is a place for it.
    [[nodiscard]] std::size_t table_bytes(std::size_t index) noexcept {
        if (records_.size() == 0 || records_.find(index) != nullptr) {
            return 0;
        }
        return std::bit_ceil(std::max(index + 1, records_.size())) * sizeof(Record*);
    }

    /// Requires: the room at `cursor` is at least that of room_for().
    Record* add_record(std::byte*& cursor, std::size_t index) noexcept {
        if (records_.size() == 0) {
            records_.use_word_for(index);
        } else if (const std::size_t bytes = table_bytes(index)) {
            core::unpoison(cursor, bytes);
            records_.use_table(cursor, bytes / sizeof(Record*));
            cursor += bytes;
        }
        core::unpoison(cursor, sizeof(Record));
        auto* added = ::new (cursor) Record(Classes::bytes(index));
        cursor += sizeof(Record);
        return *records_.find(index) = added;
    }

    [[no_unique_address]] class_table<Record> records_; // lends its last bytes to what follows
};

} // namespace mallard::reuse::inline MALLARD_MODE
