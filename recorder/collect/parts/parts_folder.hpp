/// The folder beside a trace in which the recorded processes leave their parts: FILE.parts
///
///     FILE.parts/trace          the trace until it is whole, and is renamed to FILE
///     FILE.parts/reserve        room on the disk for its end
///     FILE.parts/PID.N.part     of a process, which may execute several programs
///     FILE.parts/PID.N.kept     copies of its full chunks, until their events are in the trace
///
/// Invariant: while a collector works in the folder it has a lock on it, so no other one does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace mallard::collect {

class parts_folder {
public:
    struct part_name {
        std::filesystem::path file;
        std::uint32_t process;
        std::uint32_t program; ///< counts the programs that the process executed
    };

    /// Effects: makes the folder for a trace.
    /// Throws: failure if the trace cannot be written there, or if an earlier recording left its folder.
    static parts_folder make(const std::filesystem::path& trace);
    /// Throws: failure if there is none, or if a collector works in it.
    static parts_folder open(const std::filesystem::path& trace);

    parts_folder(const parts_folder&) = delete;
    parts_folder& operator=(const parts_folder&) = delete;
    parts_folder(parts_folder&& other) noexcept;
    ~parts_folder();

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] std::filesystem::path trace() const { return path_ / "trace"; }
    /// A descriptor that can be read when there are new files.
    [[nodiscard]] int news() const noexcept { return news_; }

    /// Returns: true if there may be new files since the last call.
    [[nodiscard]] bool has_news() noexcept;
    /// Returns: the parts that are there.
    [[nodiscard]] std::vector<part_name> parts() const;

    /// Effects: puts the trace in its place.
    /// Throws: failure if that does not work; the trace stays in the folder then.
    void keep_trace();
    /// Effects: removes the folder and all that is in it.
    void remove() noexcept;

private:
    explicit parts_folder(const std::filesystem::path& trace);
    [[nodiscard]] bool lock() noexcept;

    std::filesystem::path final_;
    std::filesystem::path path_;
    int folder_ = -1;
    int news_ = -1;
};

} // namespace mallard::collect
