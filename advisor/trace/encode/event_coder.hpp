/// The events of one thread as the body of a frame: a column for each field, with differences from the thread's last events.
#pragma once

#include "trace/context_tree.hpp"
#include "trace/event.hpp"
#include "trace/file/columns.hpp"
#include "trace/file/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace mallard::trace {

/// Times between the first and the last one of a frame are rounded down to multiples of this many ticks. Recording an event
/// takes longer than a step.
inline constexpr std::uint64_t ticks_per_step = 32;

/// An event has a number in each column of the fields of its kind.
enum class event_column : std::uint8_t {
    time,    ///< steps since the last event
    kind,    ///< a byte, with `timed` if `inside` has the times
    context, ///< of kinds with a stack: signed distance from the last context
    fewer,   ///< of these: levels that the two contexts have in common, beyond the kept ones
    address, ///< of a block: distance from the last one; of a function: from the last function
    bytes, ///< of an allocation, as they are; frame of a function: signed distance from the last frame; counts
    number, ///< of a name, an instance or a pool: signed distance from the last one
    inside, ///< ticks in the allocator, and in the recorder
    end,
};
inline constexpr std::uint8_t timed = 0x80;

/// What differences are taken from.
struct last_event {
    std::uint64_t step = 0;
    std::uint64_t address = 0;
    std::uint64_t function = 0;
    std::uint64_t frame = 0;
    std::uint64_t number = 0;
    context_id context = 0; ///< of the last event with a stack, also of an earlier frame
};

class event_encoder {
public:
    /// Effects: encodes the events into prologue() and columns().
    /// Requires: the events are of one thread, in order of time; `contexts` has their contexts; `previous_context` is the
    /// context of the thread's last preceding event with a stack, or 0.
    void encode(std::span<const event> events, const context_tree& contexts, context_id previous_context);

    /// Numbers in front of the columns.
    [[nodiscard]] const byte_writer& prologue() const noexcept { return prologue_; }
    [[nodiscard]] std::span<const byte_writer> columns() const noexcept { return columns_.columns(); }

private:
    void encode_fields(const event& source, last_event& last);

    column_writer<event_column> columns_;
    byte_writer prologue_;
};

class event_decoder {
public:
    /// Effects: begins a frame, whose body must remain valid until the last event. `previous_context` is the context
    /// of the thread's last event with a stack before the frame.
    /// Throws: bad_bytes.
    void begin(const frame_head& head, std::span<const std::byte> body, const context_tree& contexts,
               context_id previous_context, std::uint32_t thread);

    /// Effects: decodes the next events into the front of `decoded`.
    /// Returns: the number of events, 0 at the end of the frame.
    /// Throws: bad_bytes.
    std::size_t decode(std::span<event> decoded);

    /// The context of the last event with a stack.
    [[nodiscard]] context_id last_context() const noexcept { return last_.context; }

private:
    event decode_event();
    void decode_context(event& result);
    void decode_fields(event& result);

    const context_tree* contexts_ = nullptr;
    column_reader<event_column> columns_;
    last_event last_;
    std::uint64_t ticks_per_step_ = 1;
    std::uint64_t first_ticks_ = 0;
    std::uint64_t last_ticks_ = 0;
    std::uint64_t end_step_ = 0;
    std::uint32_t remaining_ = 0;
    std::uint32_t thread_ = 0;
};

} // namespace mallard::trace
