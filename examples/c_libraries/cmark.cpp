// cmark, whose hooks have no user pointer: an arena for each thread that renders.
//
// The document and the page end together by rewind(), without cmark_node_free() and free().
#include <mallard/mallard.hpp>

#include <cmark.h>

#include <iostream>
#include <string>

namespace {

struct page_memory : mallard::per_thread<page_memory, mallard::monotonic<>> {};
using functions = mallard::c_functions<page_memory>;

std::string render(const std::string& text) {
    cmark_mem hooks{functions::calloc, functions::realloc, functions::free};
    cmark_parser* const parser = cmark_parser_new_with_mem(CMARK_OPT_DEFAULT, &hooks);
    cmark_parser_feed(parser, text.data(), text.size());
    cmark_node* const document = cmark_parser_finish(parser);
    std::string page = cmark_render_html(document, CMARK_OPT_DEFAULT);
    page_memory::pool().rewind();
    return page;
}

} // namespace

int main() {
    for (int page = 0; page != 100; ++page) {
        const std::string html = render("# Squares\n\n* one\n* *four*\n");
        if (page == 0) {
            std::cout << html;
        }
    }
    const bool reused = page_memory::pool().stats().upstream_calls < 10;
    std::cout << "A hundred pages took " << (reused ? "the same" : "more and more") << " memory.\n";
}
