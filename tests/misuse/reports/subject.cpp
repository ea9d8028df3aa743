#include "misuse/reports/subject.hpp"

#include "model/bound_subject.hpp"

#include <mallard/mallard.hpp>

#include <cstdio>

namespace reports {

namespace {

/// Blocks that fit every block of these tests and its guard zones, for which only a pool that is held has room.
struct held_fixed_pool {
    explicit held_fixed_pool(equipment::ledger& source)
        : top(mallard::block_size{std::size_t{1} << 17, 64}, source) {}
    void release_below() noexcept {}
    mallard::checked<mallard::fixed_pool<mallard::growing_arena<equipment::ledger>>> top;
};

/// The pool has its blocks in itself, with room for the guard zones.
struct fixed_pool_in_itself {
    static constexpr mallard::block_size largest{std::size_t{1} << 17, 64};

    explicit fixed_pool_in_itself(equipment::ledger&) {}
    void release_below() noexcept {}
    mallard::checked<
        mallard::fixed_pool<mallard::static_arena<32 * largest.bytes>, mallard::last_freed, largest>>
        top;
};

struct below_synchronized {
    explicit below_synchronized(equipment::ledger& source) : top(source) {}
    void release_below() noexcept {}
    mallard::synchronized<mallard::checked<mallard::multipool<equipment::ledger>>> top;
};

template <class Predicate>
std::vector<kind> checked_kinds_if(Predicate has_ability) {
    return model::kinds_if([has_ability](const kind& k) {
        equipment::ledger source;
        return k.adaptor == "checked" && k.binding == "direct" && k.any_size && k.from_ledger &&
               !k.allocator.starts_with("fixed_pool") && has_ability(k.make(source)->able());
    });
}

} // namespace

std::vector<kind> rewindable_kinds() {
    return checked_kinds_if([](const model::abilities& able) { return able.rewinds; });
}

std::vector<kind> expandable_kinds() {
    return checked_kinds_if([](const model::abilities& able) { return able.expands; });
}

std::vector<kind> kinds() {
    std::vector<kind> all = checked_kinds_if([](const model::abilities&) { return true; });
    all.push_back(
        {{}, "fixed_pool", "checked", "direct", {}, model::make_adapted<held_fixed_pool, model::none>});
    all.push_back({{},
                   "fixed_pool_in_itself",
                   "checked",
                   "direct",
                   {},
                   model::make_adapted<fixed_pool_in_itself, model::none>});
    all.push_back({{},
                   "below_synchronized",
                   "checked",
                   "direct",
                   {},
                   model::make_adapted<below_synchronized, model::none>});
    return all;
}

std::string block::text() const {
    char address[32];
    std::snprintf(address, sizeof address, "%p", p);
    return std::string("block ") + address + " of " + std::to_string(bytes) + " bytes at alignment " +
           std::to_string(alignment);
}

[[gnu::noinline, gnu::no_sanitize_address]] void block::scribble(std::ptrdiff_t offset) const noexcept {
    volatile unsigned char& byte = *(static_cast<unsigned char*>(p) + offset);
    byte = byte ^ 0x5AU;
}

::testing::Matcher<const std::string&> report(const std::string& line, const std::source_location& place) {
    return ::testing::Eq("mallard: " + line + "\n    allocated at " + place.file_name() + ":" +
                         std::to_string(place.line()) + " in " + place.function_name() + "\n");
}

block of_every_allocator::allocate(std::size_t bytes, std::size_t alignment, std::source_location place) {
    const mallard::allocation_site site(place);
    return {subject_->allocate(bytes, alignment), bytes, alignment, place};
}

} // namespace reports
