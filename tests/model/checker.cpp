#include "model/checker.hpp"

#include <algorithm>
#include <functional>
#include <sstream>

namespace model {

namespace {

fault step(const operation& op, subject& s, shadow_map& shadow) {
    switch (op.what) {
    case operation::kind::allocate:
        return shadow.add(s.allocate(op.bytes, op.alignment), op);
    case operation::kind::deallocate:
        if (const auto* block = shadow.find(op.id)) {
            const fault found = shadow_map::look_at(*block);
            s.deallocate(block->p, block->made_by.bytes, block->made_by.alignment);
            shadow.remove(op.id);
            return found;
        }
        return fault::none;
    case operation::kind::release:
        const fault found = shadow.look_at_all();
        s.release();
        shadow.clear();
        return found;
    }
    return fault::none;
}

const char* name(fault what) {
    switch (what) {
    case fault::none:
        return "nothing";
    case fault::misaligned:
        return "a misaligned block";
    case fault::overlapping:
        return "a block that overlaps another";
    case fault::corrupted:
        return "bytes that changed in a live block";
    case fault::lost:
        return "memory that did not come back";
    case fault::complaint:
        return "a complaint";
    }
    return "";
}

finding found_at(fault what, std::size_t index, const operation& op) {
    std::ostringstream text;
    text << name(what) << " at operation " << index << ", " << op;
    return {what, text.str()};
}

/// Effects: follows the stream; then deallocates every second block that is left, and leaves the others to the
/// destructor if that can release them.
finding run(const stream& operations, subject& s) {
    shadow_map shadow;
    for (std::size_t i = 0; i < operations.size(); ++i) {
        if (const fault what = step(operations[i], s, shadow); what != fault::none) {
            return found_at(what, i, operations[i]);
        }
    }
    if (shadow.look_at_all() != fault::none) {
        return {fault::corrupted, std::string(name(fault::corrupted)) + " after the last operation"};
    }
    for (const auto& [id, block] : shadow.blocks()) {
        if (id % 2 == 0 || !s.can_release()) {
            s.deallocate(block.p, block.made_by.bytes, block.made_by.alignment);
        }
    }
    return {};
}

/// Leaves out ever smaller parts, as long as the rest still fails: delta debugging.
template <class StillFails>
void leave_out(stream& operations, StillFails still_fails) {
    std::size_t part = std::max<std::size_t>(operations.size() / 2, 1);
    while (true) {
        bool shorter = false;
        for (std::size_t begin = 0; begin < operations.size();) {
            stream rest = operations;
            const auto from = rest.begin() + static_cast<std::ptrdiff_t>(begin);
            rest.erase(from, from + static_cast<std::ptrdiff_t>(std::min(part, rest.size() - begin)));
            if (still_fails(rest)) {
                operations = std::move(rest);
                shorter = true;
            } else {
                begin += part;
            }
        }
        if (part == 1 && !shorter) {
            return;
        }
        part = std::max<std::size_t>(part / 2, 1);
    }
}

template <class Number, class StillFails>
void halve(stream& operations, Number number, std::size_t least, StillFails still_fails) {
    for (std::size_t i = 0; i < operations.size(); ++i) {
        while (std::invoke(number, operations[i]) > least) {
            stream smaller = operations;
            std::invoke(number, smaller[i]) /= 2;
            if (!still_fails(smaller)) {
                break;
            }
            operations = std::move(smaller);
        }
    }
}

} // namespace

finding check(const stream& operations, const make_subject& make) {
    equipment::ledger source;
    finding found;
    {
        const auto s = make(source);
        found = run(operations, *s);
    }
    if (!found && source.outstanding() != 0) {
        found = {fault::lost, std::to_string(source.outstanding_bytes()) + " bytes did not come back"};
    }
    if (!found && !source.complaints().empty()) {
        found = {fault::complaint, source.complaints().front()};
    }
    return found;
}

stream shrink(stream operations, fault what, const make_subject& make) {
    const auto still_fails = [&](const stream& s) { return check(s, make).what == what; };
    leave_out(operations, still_fails);
    halve(operations, &operation::alignment, 1, still_fails);
    halve(operations, &operation::bytes, 0, still_fails);
    return operations;
}

} // namespace model
