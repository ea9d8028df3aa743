/// Events of one thread as the body of a frame.
#pragma once

#include "trace/contexts/context_coder.hpp"
#include "trace/encode/block_model.hpp"
#include "trace/encode/columns.hpp"
#include "trace/encode/count_model.hpp"
#include "trace/encode/number_table.hpp"
#include "trace/encode/operation.hpp"
#include "trace/encode/site_model.hpp"

#include <span>

namespace mallard::trace {

/// Times between the first and the last one of a frame are multiples of so many ticks, rounded down. An event takes longer
/// to record than a step.
inline constexpr std::uint64_t ticks_of_step = 32;

class event_encoder {
public:
    /// Effects: columns() has the events.
    /// Requires: they are of one thread, in the order of time; `contexts` has theirs; `context_before` is the context of the
    /// thread's last event with a stack before them, 0 if there is none.
    void encode(std::span<const event> events, const known_contexts& contexts, context_id context_before);

    /// Numbers that stand in front of the columns.
    [[nodiscard]] const byte_writer& prologue() const noexcept { return prologue_; }
    [[nodiscard]] std::span<const byte_writer> columns() const noexcept { return columns_.columns(); }

private:
    struct choice {
        step way;
        site_id which;
    };
    choice choose_site(const event& of);
    choice make_site(const event& of, site_id& place);
    void encode_time(const event& of, site_pair& pair, const site& at);
    std::uint8_t encode_fields(const event& of, site& at);
    std::uint8_t encode_allocation(const event& of, site& at);
    std::uint8_t encode_release(const event& of, site& at);
    place_way choose_place(const event& of, std::uint16_t size_class, unsigned& rank) const;
    release_way choose_release(block_id block, const site& at) const;
    block_id& number_of_block(const event& of);
    [[nodiscard]] std::uint64_t hash_of_block(block_id which) const noexcept;
    void write_prologue(context_id context_before);

    const known_contexts* contexts_ = nullptr;
    site_model sites_;
    block_model blocks_;
    count_model counts_;
    column_writer<column> columns_;
    byte_writer prologue_;
    number_table site_numbers_;
    large_vector<std::uint64_t> site_keys_; ///< of each site: context and kind
    number_table block_numbers_;
    large_vector<std::uint64_t> block_owners_; ///< by block
    std::size_t next_leaf_ = 0;
    std::uint64_t last_step_ = 0;
    std::uint64_t last_number_ = 0;
};

} // namespace mallard::trace
