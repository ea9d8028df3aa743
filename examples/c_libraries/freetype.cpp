// FreeType, whose hooks take the record that has the user pointer, and sizes in another order: lambdas adapt the functions.
#include <mallard/mallard.hpp>

#include <ft2build.h>

#include <algorithm>
#include <array>
#include <iostream>
#include FT_FREETYPE_H
#include FT_MODULE_H
#include FT_OUTLINE_H

namespace {

using pool = mallard::counted<mallard::multipool<>>; // counts for the output; mallard::multipool<> is enough
using functions = mallard::c_functions<pool>;

/// Returns: the pixels that a square of 10 by 10 covers.
long covered_pixels(FT_Library library) {
    FT_Outline outline;
    FT_Outline_New(library, 4, 1, &outline);
    const std::array<FT_Vector, 4> corners{{{0, 0}, {0, 640}, {640, 640}, {640, 0}}};
    std::copy(corners.begin(), corners.end(), outline.points);
    std::fill_n(outline.tags, 4, FT_CURVE_TAG_ON);
    outline.contours[0] = 3;

    std::array<unsigned char, 1024> pixels{};
    FT_Bitmap bitmap{};
    bitmap.rows = 32;
    bitmap.width = 32;
    bitmap.pitch = 32;
    bitmap.buffer = pixels.data();
    bitmap.num_grays = 256;
    bitmap.pixel_mode = FT_PIXEL_MODE_GRAY;
    FT_Outline_Get_Bitmap(library, &outline, &bitmap);
    FT_Outline_Done(library, &outline);
    return std::count(pixels.begin(), pixels.end(), 255);
}

} // namespace

int main() {
    pool memory;
    FT_MemoryRec_ hooks{
        &memory, [](FT_Memory m, long bytes) { return functions::malloc(m->user, bytes); },
        [](FT_Memory m, void* p) { functions::free(m->user, p); },
        [](FT_Memory m, long, long bytes, void* p) { return functions::realloc(m->user, p, bytes); }};
    FT_Library library = nullptr;
    FT_New_Library(&hooks, &library);
    FT_Add_Default_Modules(library);
    std::cout << "The square has " << covered_pixels(library) << " pixels.\n";
    std::cout << (memory.counts().allocations > 10 ? "The modules lie in the pool.\n" : "");
    FT_Done_Library(library);
    std::cout << memory.bytes_in_use() << " bytes are left.\n";
}
