/// Does random operations on an allocator and compares the results with its shadow.
///
///     random numbers -> requests -> operation -> the subject  -> right? and as the shadow has it?
///                                             -> the shadow (live_blocks.hpp)
///
/// Data model: one player uses the subject alone, or several do, each in a thread and with a shadow of its own;
/// those leave blocks for each other in a mailbox, and do nothing that ends blocks of the others.
/// The number of live blocks follows a target that is drawn anew from time to time, so that the allocator is filled
/// and emptied in waves.
#pragma once

#include "soak/play/live_blocks.hpp"
#include "soak/play/mailbox.hpp"
#include "soak/play/random_numbers.hpp"
#include "soak/play/requests.hpp"
#include "soak/play/subject.hpp"

#include <mallard/core/block_chain.hpp>
#include <mallard/core/expansion.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace soak {

class player {
public:
    /// `others`: the mailbox that it shares with players in other threads, or null if it is alone.
    player(subject& s, const bounds& most, std::uint64_t seed, mailbox* others);

    /// Effects: does `operations` operations, or fewer: none after the first fault, and none if a subject is full that
    /// reuses nothing.
    void play(std::size_t operations);

    /// Effects: looks at all blocks and deallocates them.
    void free_all();

    /// Effects: looks at all blocks and releases the subject.
    void release();

    [[nodiscard]] std::size_t operations() const noexcept { return operations_; }
    [[nodiscard]] bool is_full() const noexcept { return full_; }

    /// Returns: the fault and its operation; empty if there was none.
    [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

private:
    void step();
    void special(std::size_t what);

    void allocate();
    void free_block(std::size_t i);
    void burst();
    void mixed_burst();
    void remember(mallard::block_chain&& blocks, std::size_t bytes, std::size_t alignment);
    void free_burst();
    void change_size();
    void resize_last();
    void ask_the_impossible();
    void make_upstream_fail();
    void mark();
    void roll_back();
    void exchange();
    void look_at_all();

    [[nodiscard]] std::size_t room_for_blocks() const noexcept;
    void refused(const char* doing);
    void expect(const char* wrong, const char* doing);

    subject& subject_;
    const bounds& most_;
    abilities able_;
    random_numbers random_;
    requests requests_;
    mailbox* others_;
    live_blocks blocks_;
    std::vector<std::uint64_t> marks_; ///< the mark of the first block after each of the subject's
    std::size_t operations_ = 0;
    std::size_t target_ = 0;
    std::size_t last_ = 0; ///< the place of the block that was allocated last, where `last_mark_` says so
    std::uint64_t last_mark_ = 0;
    std::size_t bytes_since_release_ = 0;
    bool may_fail_ = false; ///< because its upstream was told to
    bool full_ = false;
    std::string fault_;
};

} // namespace soak
