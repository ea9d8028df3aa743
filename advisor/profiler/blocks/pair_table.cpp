#include "profiler/blocks/pair_table.hpp"

namespace mallard::advisor {

namespace {

std::size_t first_choice(const pair_totals& key, std::size_t places) noexcept {
    std::uint64_t mixed = std::uint64_t{key.allocated} << 32 | key.freed;
    mixed = (mixed ^ mixed >> 29) * 0xff51afd7ed558ccdU;
    mixed += (std::uint64_t{key.container} << 1 | (key.elsewhere ? 1 : 0)) * 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>((mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15U >> 32) & (places - 1);
}

bool equal_keys(const pair_totals& first, const pair_totals& second) noexcept {
    return first.allocated == second.allocated && first.freed == second.freed &&
           first.container == second.container && first.elsewhere == second.elsewhere;
}

} // namespace

void pair_table::add(call_id allocated, call_id freed, scope_id container, bool elsewhere,
                     std::uint64_t bytes, double ticks, double clock) {
    pair_totals& pair = find_or_add(allocated, freed, container, elsewhere);
    ++pair.blocks;
    pair.bytes += bytes;
    pair.life_ticks += ticks;
    pair.life_clock += clock;
}

pair_totals& pair_table::find_or_add(call_id allocated, call_id freed, scope_id container, bool elsewhere) {
    if (pairs_.size() * 4 >= places_.size() * 3) {
        grow();
    }
    pair_totals key{allocated, freed, container, elsewhere};
    for (;;) {
        std::size_t at = first_choice(key, places_.size());
        while (places_[at] != 0) {
            pair_totals& entry = pairs_[places_[at] - 1];
            if (equal_keys(entry, key)) {
                return entry;
            }
            at = (at + 1) & (places_.size() - 1);
        }
        if (pairs_.size() < most_ || key.freed == no_call) {
            places_[at] = static_cast<std::uint32_t>(pairs_.size() + 1);
            return pairs_.emplace_back(key);
        }
        key.freed = no_call;
    }
}

void pair_table::grow() {
    places_.assign(places_.empty() ? 4096 : places_.size() * 2, 0);
    for (std::size_t index = 0; index < pairs_.size(); ++index) {
        std::size_t at = first_choice(pairs_[index], places_.size());
        while (places_[at] != 0) {
            at = (at + 1) & (places_.size() - 1);
        }
        places_[at] = static_cast<std::uint32_t>(index + 1);
    }
}

} // namespace mallard::advisor
