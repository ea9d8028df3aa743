#include "trace/recordings/mutated_trace.hpp"

#include "trace/file/frame.hpp"
#include "trace/file/packed.hpp"
#include "trace/recordings/trace_file.hpp"

#include <algorithm>
#include <span>

namespace mallard::test {

namespace {

struct frame_place {
    std::size_t begin;
    trace::frame_head head;
};

std::vector<frame_place> find_frames(const std::vector<std::byte>& file) {
    std::vector<frame_place> frames;
    std::size_t at = trace::file_head_bytes;
    while (file.size() - at >= trace::frame_head_bytes) {
        const auto head = trace::to_frame_head(std::span(file).subspan(at).first<trace::frame_head_bytes>());
        if (!head || head->body_bytes > file.size() - at - trace::frame_head_bytes) {
            break;
        }
        frames.push_back({at, *head});
        at += trace::frame_head_bytes + head->body_bytes;
    }
    return frames;
}

std::vector<std::byte> unpacked(std::span<const std::byte> body, std::size_t bytes) {
    std::vector<std::byte> plain;
    trace::unpacker().unpack(body, bytes, plain);
    plain.resize(bytes);
    return plain;
}

std::vector<std::byte> packed(const std::vector<std::byte>& plain) {
    static trace::packer pack(1);
    pack.begin(plain.size());
    pack.pack(plain);
    const auto body = pack.end();
    return {body.begin(), body.end()};
}

} // namespace

trace_mutator::trace_mutator(std::uint64_t seed) : random_(seed) {
    const random_recording ordinary(1, {.threads = 2, .events = 60, .events_per_chunk = 25});
    const random_recording extreme(2, {.threads = 3, .events = 20, .events_per_chunk = 9, .extreme = true});
    const random_recording single(3, {.threads = 1, .events = 300});
    for (const auto* recording : {&ordinary, &extreme, &single}) {
        traces_.push_back(write_trace([&](trace::writer& to) {
            recording->add_to(to);
            to.add_memory(to.add_process({}), {1000, 5U << 20, 1U << 20});
            if (recording == &extreme) {
                ordinary.add_to(to);
            }
        }));
    }
}

std::vector<std::byte> trace_mutator::next() {
    std::vector<std::byte> file = traces_[below(traces_.size())];
    switch (below(10)) {
    case 0:
        mutate(file, 0);
        break;
    case 1:
        file.resize(below(file.size() + 1));
        break;
    default:
        for (std::uint64_t remaining = 1 + below(2); remaining != 0; --remaining) {
            mutate_frame(file);
        }
    }
    return file;
}

/// Effects: changes bytes behind `begin`.
void trace_mutator::mutate(std::vector<std::byte>& bytes, std::size_t begin) {
    for (std::uint64_t remaining = 1 + below(4); remaining != 0 && bytes.size() > begin; --remaining) {
        const std::size_t at = begin + below(bytes.size() - begin);
        const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
        const std::size_t some = std::min<std::size_t>(1 + below(16), bytes.size() - at);
        switch (below(7)) {
        case 0:
            bytes[at] ^= static_cast<std::byte>(1U << below(8));
            break;
        case 1:
            bytes[at] = static_cast<std::byte>(random_());
            break;
        case 2: // a large number
            std::fill_n(place, some, std::byte{0xff});
            break;
        case 3:
            bytes.erase(place, place + static_cast<std::ptrdiff_t>(some));
            break;
        case 4:
            bytes.insert(place, some, static_cast<std::byte>(random_()));
            break;
        case 5: { // a splice
            const std::size_t from = begin + below(bytes.size() - begin);
            const std::vector<std::byte> piece(
                bytes.begin() + static_cast<std::ptrdiff_t>(from),
                bytes.begin() + static_cast<std::ptrdiff_t>(std::min(bytes.size(), from + below(64))));
            std::copy_n(piece.begin(), std::min(piece.size(), bytes.size() - at), place);
            break;
        }
        default:
            std::fill_n(place, some, std::byte{0});
        }
    }
}

/// Effects: changes a frame's head, its compressed body or the decompressed bytes, with correct checksums.
void trace_mutator::mutate_frame(std::vector<std::byte>& file) {
    const std::vector<frame_place> frames = find_frames(file);
    if (frames.empty()) {
        return;
    }
    frame_place at = frames[below(frames.size())];
    const auto head_begin = file.begin() + static_cast<std::ptrdiff_t>(at.begin);
    const auto body_begin = head_begin + static_cast<std::ptrdiff_t>(trace::frame_head_bytes);
    const auto body_end = body_begin + at.head.body_bytes;
    std::vector<std::byte> body(body_begin, body_end);
    const std::uint64_t method = below(10);
    if (method < 7) {
        std::vector<std::byte> plain;
        try {
            plain = unpacked(body, at.head.plain_bytes);
        } catch (const std::exception&) { // damaged by an earlier mutation
        }
        mutate(plain, 0);
        body = packed(plain);
        at.head.plain_bytes = static_cast<std::uint32_t>(plain.size());
    } else if (method == 7) {
        mutate(body, 0);
    } else if (method == 8) { // another frame's body
        const frame_place& source = frames[below(frames.size())];
        body.assign(file.begin() + static_cast<std::ptrdiff_t>(source.begin + trace::frame_head_bytes),
                    file.begin() + static_cast<std::ptrdiff_t>(source.begin + trace::frame_head_bytes +
                                                               source.head.body_bytes));
        at.head.plain_bytes = source.head.plain_bytes;
    }
    at.head.body_bytes = static_cast<std::uint32_t>(body.size());
    trace::frame_head_image image = trace::to_bytes(at.head);
    if (method == 9) {
        std::vector<std::byte> bytes(image.begin(), image.end() - 4);
        mutate(bytes, 4);
        bytes.resize(trace::frame_head_bytes - 4);
        const std::uint32_t sum = trace::head_sum(bytes);
        for (unsigned index = 0; index < 4; ++index) {
            bytes.push_back(static_cast<std::byte>(sum >> 8 * index));
        }
        std::copy(bytes.begin(), bytes.end(), image.begin());
    }
    body.insert(body.begin(), image.begin(), image.end());
    const auto place = file.erase(head_begin, body_end);
    file.insert(place, body.begin(), body.end());
}

bool read_all(const std::vector<std::byte>& bytes) {
    static memory_file file;
    file.set(bytes);
    try {
        trace::reader from(file.path());
        for (std::size_t index = 0; index < from.processes().size(); ++index) {
            read_events(from, index);
        }
        return true;
    } catch (const trace::trace_error&) {
        return false;
    }
}

std::uint64_t read_mutated(std::uint64_t seed, std::uint64_t count) {
    trace_mutator mutated(seed);
    std::uint64_t read = 0;
    for (; count != 0; --count) {
        read += read_all(mutated.next()) ? 1U : 0U;
    }
    return read;
}

} // namespace mallard::test
