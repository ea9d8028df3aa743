/// A checksum of what a program read: FNV-1a over bytes and numbers.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace case_studies {

class checksum {
public:
    void add(std::string_view text) noexcept {
        // The length and the two ends: hashing each byte would take longer than the library's work.
        add(text.size());
        if (!text.empty()) {
            add(static_cast<std::uint64_t>(static_cast<unsigned char>(text.front())) << 8U |
                static_cast<unsigned char>(text.back()));
        }
    }
    void add(std::uint64_t number) noexcept { sum_ = (sum_ ^ number) * 1099511628211U; }
    void add(std::int64_t number) noexcept { add(static_cast<std::uint64_t>(number)); }
    void add(double number) noexcept { add(std::bit_cast<std::uint64_t>(number)); }
    void add(bool truth) noexcept { add(std::uint64_t{truth}); }

    [[nodiscard]] std::uint64_t value() const noexcept { return sum_; }

private:
    std::uint64_t sum_ = 14695981039346656037U;
};

} // namespace case_studies
