/// A file that appears complete, or not at all.
///
/// It is written under a temporary name in the same folder, and renamed by `commit`. What is not a regular file, such
/// as /dev/stdout or a pipe, is written directly.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mallard::advisor {

class output_file {
public:
    /// Throws: export_error if the file cannot be created.
    explicit output_file(const std::filesystem::path& place);
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;
    /// Effects: removes the file unless `commit` was called.
    ~output_file();

    /// Throws: export_error if the write fails.
    void write(std::string_view bytes);

    /// Effects: renames the temporary file to its place.
    /// Throws: export_error.
    void commit();

private:
    void flush();
    [[noreturn]] void fail() const;

    std::filesystem::path place_;
    std::string temporary_; ///< empty if the file is written directly
    std::string waiting_;
    int descriptor_ = -1;
};

} // namespace mallard::advisor
