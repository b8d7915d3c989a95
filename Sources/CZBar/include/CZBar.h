#ifndef TOTE_CZBAR_H
#define TOTE_CZBAR_H

#include <stddef.h>

// zbar is loaded on first use, so that no other command needs it.

#define TOTE_ZBAR_NO_LIBRARY (-1)
#define TOTE_ZBAR_NO_MEMORY (-2)

// Takes the text of one QR code that was found; it ends with `size`, not with a zero.
typedef void (*tote_zbar_take)(void *context, const char *text, size_t size);

// Looks for QR codes in a picture of grey values (one byte a pixel, rows without gaps), as it is and
// inverted, and hands each to `take`. Returns how many there were, or one of the codes above.
int tote_zbar_scan(
    const unsigned char *pixels, unsigned int width, unsigned int height, tote_zbar_take take,
    void *context);

#endif
