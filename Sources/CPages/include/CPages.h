#ifndef TOTE_CPAGES_H
#define TOTE_CPAGES_H

#include <stddef.h>

// The files of the web pages, as bytes of the program: the compiler copies them in without parsing
// them, where a Swift array literal of the same bytes takes seconds to compile.

typedef struct {
  const char *name;
  const unsigned char *bytes;
  size_t size;
} tote_page_file;

// The file with this number, or NULL when there are no more.
const tote_page_file *tote_photo_page_file(size_t number);
const tote_page_file *tote_drop_page_file(size_t number);

#endif
