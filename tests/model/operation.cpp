#include "model/operation.hpp"

#include <ostream>
#include <random>

namespace model {

namespace {

/// Standard distributions differ between libraries, but a seed must give the same stream everywhere.
class dice {
public:
    explicit dice(std::uint64_t seed) : engine_(seed) {}

    std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
    bool one_in(std::size_t n) { return below(n) == 0; }

private:
    std::mt19937_64 engine_;
};

operation draw_allocation(dice& d, std::size_t id) {
    operation op{.type = operation::kind::allocate, .id = id};
    op.alignment = std::size_t{1} << (d.one_in(8) ? 5 + d.below(8) : d.below(5));
    const std::size_t magnitude = d.one_in(32) ? 17 : 1 + d.below(12);
    op.bytes = d.below(std::size_t{1} << magnitude) % (100 << 10);
    if (d.one_in(2)) {
        op.bytes = (op.bytes + op.alignment - 1) / op.alignment * op.alignment;
    }
    return op;
}

} // namespace

stream random_stream(std::uint64_t seed, std::size_t length, bool releases) {
    dice d(seed);
    stream operations;
    while (operations.size() < length) {
        const std::size_t id = operations.size();
        if (releases && d.one_in(150)) {
            operations.push_back({.type = operation::kind::release});
        } else if (id != 0 && d.one_in(3)) {
            // Recent blocks are favoured, as in real programs.
            const std::size_t age = d.one_in(2) ? d.below(std::min<std::size_t>(id, 8)) : d.below(id);
            operations.push_back({.type = operation::kind::deallocate, .id = id - 1 - age});
        } else {
            operations.push_back(draw_allocation(d, id));
        }
    }
    return operations;
}

std::ostream& operator<<(std::ostream& out, const operation& op) {
    switch (op.type) {
    case operation::kind::allocate:
        return out << "allocate #" << op.id << ": " << op.bytes << " bytes at alignment " << op.alignment;
    case operation::kind::deallocate:
        return out << "deallocate #" << op.id;
    case operation::kind::release:
        return out << "release";
    }
    return out;
}

std::ostream& operator<<(std::ostream& out, const stream& operations) {
    for (const operation& op : operations) {
        out << "    " << op << '\n';
    }
    return out;
}

} // namespace model
