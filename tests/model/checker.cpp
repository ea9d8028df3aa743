#include "model/checker.hpp"

#include <algorithm>
#include <functional>
#include <sstream>

namespace model {

namespace {

fault step(const operation& op, subject& s, shadow_map& shadow) {
    switch (op.type) {
    case operation::kind::allocate:
        return shadow.add(s.allocate(op.bytes, op.alignment), op);
    case operation::kind::deallocate:
        if (const auto* block = shadow.find(op.id)) {
            const fault result = shadow_map::look_at(*block);
            s.deallocate(block->p, block->request.bytes, block->request.alignment);
            shadow.remove(op.id);
            return result;
        }
        return fault::none;
    case operation::kind::release:
        const fault result = shadow.look_at_all();
        s.release();
        shadow.clear();
        return result;
    }
    return fault::none;
}

const char* name(fault kind) {
    switch (kind) {
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

finding finding_at(fault kind, std::size_t index, const operation& op) {
    std::ostringstream text;
    text << name(kind) << " at operation " << index << ", " << op;
    return {kind, text.str()};
}

/// Effects: runs the stream, then deallocates every other live block, and leaves the remaining blocks to the destructor if
/// the subject can release them.
finding run(const stream& operations, subject& s) {
    shadow_map shadow;
    for (std::size_t i = 0; i < operations.size(); ++i) {
        if (const fault kind = step(operations[i], s, shadow); kind != fault::none) {
            return finding_at(kind, i, operations[i]);
        }
    }
    if (shadow.look_at_all() != fault::none) {
        return {fault::corrupted, std::string(name(fault::corrupted)) + " after the last operation"};
    }
    for (const auto& [id, block] : shadow.blocks()) {
        if (id % 2 == 0 || !s.can_release()) {
            s.deallocate(block.p, block.request.bytes, block.request.alignment);
        }
    }
    return {};
}

/// Removes ever smaller parts while the remaining stream still fails: delta debugging.
template <class StillFails>
void leave_out(stream& operations, StillFails still_fails) {
    std::size_t part = std::max<std::size_t>(operations.size() / 2, 1);
    while (true) {
        bool shorter = false;
        for (std::size_t begin = 0; begin < operations.size();) {
            stream candidate = operations;
            const auto from = candidate.begin() + static_cast<std::ptrdiff_t>(begin);
            candidate.erase(from,
                            from + static_cast<std::ptrdiff_t>(std::min(part, candidate.size() - begin)));
            if (still_fails(candidate)) {
                operations = std::move(candidate);
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
    finding result;
    {
        const auto s = make(source);
        result = run(operations, *s);
    }
    if (!result && source.outstanding() != 0) {
        result = {fault::lost, std::to_string(source.outstanding_bytes()) + " bytes did not come back"};
    }
    if (!result && !source.complaints().empty()) {
        result = {fault::complaint, source.complaints().front()};
    }
    return result;
}

stream shrink(stream operations, fault kind, const make_subject& make) {
    const auto still_fails = [&](const stream& s) { return check(s, make).kind == kind; };
    leave_out(operations, still_fails);
    halve(operations, &operation::alignment, 1, still_fails);
    halve(operations, &operation::bytes, 0, still_fails);
    return operations;
}

} // namespace model
