#include "soak/play/turn.hpp"

#include "equipment/ledger.hpp"
#include "equipment/run_in_threads.hpp"
#include "soak/play/mailbox.hpp"
#include "soak/play/player.hpp"
#include "soak/play/random_numbers.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace soak {

namespace {

constexpr int threads = 4;
constexpr std::size_t lives_of_threads = 3; ///< a player goes on in another thread after each

outcome play_alone(const kind& k, subject& s, random_numbers& random, std::size_t operations) {
    player one(s, k.most, random.next(), nullptr);
    one.play(operations);
    s.fail({.at = 0});
    // The rest of a buffer is free again only after a release, and the buffer does not know of it.
    if (one.fault().empty() && s.able().releases && random.one_in(2)) {
        one.release();
    } else if (one.fault().empty()) {
        one.free_all();
    }
    return {one.operations(), one.fault()};
}

outcome play_in_threads(const kind& k, subject& s, random_numbers& random, std::size_t operations) {
    bounds shared = k.most;
    shared.live_blocks /= threads;
    shared.live_bytes /= threads;
    shared.release_bytes /= 2 * threads;
    mailbox blocks;
    std::vector<std::unique_ptr<player>> players;
    for (std::size_t i = 0; i != threads; ++i) {
        players.push_back(std::make_unique<player>(s, shared, random.next(), &blocks));
    }
    std::size_t remaining = operations;
    for (std::size_t life = lives_of_threads; life != 0; --life) {
        std::vector<std::size_t> shares;
        for (std::size_t i = 0; i != threads; ++i) {
            shares.push_back(remaining / (life * threads - i));
            remaining -= shares.back();
        }
        equipment::run_in_threads(threads, [&players, &shares](int id) {
            const auto i = static_cast<std::size_t>(id);
            players[i]->play(shares[i]);
        });
    }
    outcome all;
    for (const auto& p : players) {
        p->free_all();
        all.operations += p->operations();
        all.fault = all.fault.empty() ? p->fault() : all.fault;
    }
    while (const auto b = blocks.take()) {
        s.deallocate(b->p, b->bytes, b->alignment);
    }
    return all;
}

} // namespace

outcome play_turn(const kind& k, std::uint64_t seed, std::size_t most_operations) {
    random_numbers random(mixed(seed));
    const std::size_t operations =
        std::min(most_operations, std::max<std::size_t>(operations_of_a_turn / k.most.slowness, 1));
    equipment::ledger source;
    outcome done;
    {
        const std::unique_ptr<subject> s = k.make(source);
        // Threads that cannot release it soon use up memory that is never reused.
        const bool in_threads = s->able().threads && k.most.uses_again && random.one_in(2);
        done =
            in_threads ? play_in_threads(k, *s, random, operations) : play_alone(k, *s, random, operations);
        if (!done.fault.empty()) {
            s->release();
        }
    }
    if (done.fault.empty() && !source.complaints().empty()) {
        done.fault = "at the end: " + source.complaints().front();
    }
    if (done.fault.empty() && source.outstanding() != 0) {
        done.fault = "at the end: " + std::to_string(source.outstanding_bytes()) + " bytes did not come back";
    }
    return done;
}

} // namespace soak
