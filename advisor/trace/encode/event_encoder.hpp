/// Events of one thread as the body of a frame.
#pragma once

#include "trace/contexts/context_coder.hpp"
#include "trace/contexts/number_table.hpp"
#include "trace/encode/block_model.hpp"
#include "trace/encode/operation.hpp"
#include "trace/encode/site_model.hpp"
#include "trace/file/columns.hpp"

#include <span>

namespace mallard::trace {

/// Times between the first and the last one of a frame are rounded down to multiples of this many ticks. Recording an event
/// takes longer than a step.
inline constexpr std::uint64_t ticks_per_step = 32;

class event_encoder {
public:
    /// Effects: encodes the events into prologue() and columns().
    /// Requires: the events are of one thread, in order of time; `contexts` has their contexts; `previous_context` is the context
    /// of the thread's last preceding event with a stack, or 0.
    void encode(std::span<const event> events, const context_tree& contexts, context_id previous_context);

    /// Numbers in front of the columns.
    [[nodiscard]] const byte_writer& prologue() const noexcept { return prologue_; }
    [[nodiscard]] std::span<const byte_writer> columns() const noexcept { return columns_.columns(); }

private:
    struct choice {
        step method;
        site_id index;
    };
    choice choose_site(const event& source);
    choice make_site(const event& source, site_id& place);
    void encode_time(const event& source, site_pair& pair, const site& at);
    std::uint8_t encode_fields(const event& source, site& at);
    std::uint8_t encode_allocation(const event& source, site& at);
    std::uint8_t encode_release(const event& source, site& at);
    place_way choose_place(const event& source, std::uint16_t size_class, unsigned& rank) const;
    [[nodiscard]] release_way choose_release(block_id block, const site& at) const;
    block_id& block_number(const event& source);
    [[nodiscard]] std::uint64_t block_hash(block_id index) const noexcept;
    void write_prologue(context_id previous_context);

    const context_tree* contexts_ = nullptr;
    site_model sites_;
    block_model blocks_;
    count_model counts_;
    column_writer<column> columns_;
    byte_writer prologue_;
    number_table site_numbers_;
    large_vector<std::uint64_t> site_keys_; ///< by site: context and kind
    number_table block_numbers_;
    large_vector<std::uint64_t> block_owners_; ///< by block
    run_id next_run_ = stack_ends; ///< behind the last one whose leaf an event of the frame introduced
    std::uint64_t last_step_ = 0;
    std::uint64_t last_number_ = 0;
};

} // namespace mallard::trace
