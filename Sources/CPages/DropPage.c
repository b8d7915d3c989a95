#include "CPages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char script[] = {
#embed "../Drop/Page/Assets/drop.js"
};

static const unsigned char style[] = {
#embed "../Drop/Page/Assets/drop.css"
};

static const tote_page_file files[] = {
    {"drop.js", script, sizeof script},
    {"drop.css", style, sizeof style},
};

const tote_page_file *tote_drop_page_file(size_t number) {
  return number < sizeof files / sizeof *files ? &files[number] : NULL;
}
