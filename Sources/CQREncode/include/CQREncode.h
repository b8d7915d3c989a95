#ifndef TOTE_CQRENCODE_H
#define TOTE_CQRENCODE_H

// libqrencode is loaded on first use, so that no other command needs it.

// Why no code was made.
#define TOTE_QR_NO_LIBRARY (-1)
#define TOTE_QR_TOO_LONG (-2)
#define TOTE_QR_NO_MEMORY (-3)

// The widest code there is, version 40, without its margin.
#define TOTE_QR_MAXIMUM_WIDTH 177

// Encodes bytes at a level of error correction (0 L, 1 M, 2 Q, 3 H), in the smallest version and with
// the cheapest mix of modes. `modules` has room for TOTE_QR_MAXIMUM_WIDTH squared bytes and gets one
// a module, row by row: 1 dark, 0 light. Returns the width in modules, or one of the codes above.
int tote_qr_encode(const char *text, int level, unsigned char *modules);

#endif
