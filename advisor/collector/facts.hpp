/// The messages of a recording, which `mallard` words: a line of JSON each, that begins with the kind of message.
#pragma once

#include "trace/json_writer.hpp"

#include <string>
#include <string_view>

namespace mallard::collector {

/// Effects: messages go to this descriptor, which the recorded program does not inherit.
void open_facts(int descriptor) noexcept;

/// Returns: a message of this kind, an open object.
trace::json_writer begin_fact(std::string_view kind);

/// Effects: closes the object, and writes the line. Errors are ignored.
void write_fact(trace::json_writer& json);

/// Effects: writes the text of an error.
void write_error(const std::string& text);

/// Effects: the last message was written. Waits for a reader at the other end of a socket, which prints them.
void close_facts() noexcept;

} // namespace mallard::collector
