#include "runner/workload/fixed_block/objects.hpp"

#include "runner/harness/checksum.hpp"
#include "runner/harness/quick_random.hpp"
#include "runner/strategy/null_blocks.hpp"
#include "runner/strategy/sources.hpp"
#include "runner/workload/fixed_block/works.hpp"

#include <array>

namespace bench {

namespace {

constexpr std::size_t slot_count = 100; // as in the chapter
constexpr std::size_t turn_count = std::size_t{1} << 16;

/// Effects: calls `use` with the maker of objects under `s`.
template <class Use>
void with_maker(const strategy& s, Use&& use) {
    if (s.mechanism == mechanism_kind::null) {
        alignas(instance) static std::array<std::byte, (slot_count + 1) * sizeof(instance)> memory;
        null_slots null(memory);
        use(source_maker(null));
    } else if (s.mechanism == mechanism_kind::global) {
        use(new_maker<instance>());
    } else if (s.mechanism == mechanism_kind::class_new) {
        use(new_maker<pooled_instance>());
    } else {
        with_source(s, {}, constant_shape<sizeof(instance), alignof(instance)>(),
                    [&use](auto& source) { use(source_maker(source)); });
    }
}

/// One object in each slot.
template <class Maker>
class filled_slots {
public:
    explicit filled_slots(Maker maker) : maker_(maker) {
        for (std::size_t i = 0; i != slot_count; ++i) {
            slots_[i] = maker_.make(static_cast<std::int64_t>(i));
        }
    }
    filled_slots(const filled_slots&) = delete;
    filled_slots& operator=(const filled_slots&) = delete;
    ~filled_slots() {
        for (typename Maker::object* object : slots_) {
            maker_.unmake(object);
        }
    }

    [[nodiscard]] std::span<typename Maker::object*> span() noexcept { return slots_; }

    /// Returns: the checksum of the objects' numbers, in the order of the slots.
    [[nodiscard]] std::string checksum_of_numbers() const {
        checksum sum;
        for (const typename Maker::object* object : slots_) {
            sum.add(static_cast<std::uint64_t>(object->number()));
        }
        return to_hexadecimal(sum.value());
    }

private:
    Maker maker_;
    std::array<typename Maker::object*, slot_count> slots_{};
};

std::vector<std::uint8_t> draw_turns(std::uint64_t seed) {
    quick_random draw(seed);
    std::vector<std::uint8_t> turns(turn_count);
    for (std::uint8_t& turn : turns) {
        turn = static_cast<std::uint8_t>(draw.below(slot_count));
    }
    return turns;
}

/// Effects: records the allocation and the deallocation of each operation of both works.
void count_one(const fixed_block_cell& cell, row& result) {
    if (cell.look) {
        result.allocations = result.deallocations = 1;
    }
}

} // namespace

bool has_objects(const strategy& s) noexcept {
    return s.mechanism == mechanism_kind::null || s.mechanism == mechanism_kind::class_new || recycles(s);
}

void measure_new_delete(const fixed_block_cell& cell, row& result) {
    with_maker(cell.subject, [&](auto maker) {
        time_hot(cell.count, result, [&](std::size_t count) { make_and_unmake(maker, count); });
        result.checksum = filled_slots(maker).checksum_of_numbers();
    });
    count_one(cell, result);
}

void measure_replace(const fixed_block_cell& cell, row& result) {
    const std::vector<std::uint8_t> turns = draw_turns(cell.seed);
    with_maker(cell.subject, [&](auto maker) {
        filled_slots slots(maker);
        time_hot(cell.count, result,
                 [&](std::size_t count) { replace_some(maker, slots.span(), turns, count); });
        result.checksum = slots.checksum_of_numbers();
    });
    count_one(cell, result);
}

} // namespace bench
