#include "CPages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// One module of all scripts: they share its scope, and load with one request.
static const unsigned char script[] = {
#embed "../Photos/Page/Assets/dom.js" suffix(,)
#embed "../Photos/Page/Assets/thumbhash.js" suffix(,)
#embed "../Photos/Page/Assets/api.js" suffix(,)
#embed "../Photos/Page/Assets/stream.js" suffix(,)
#embed "../Photos/Page/Assets/live.js" suffix(,)
#embed "../Photos/Page/Assets/swipe.js" suffix(,)
#embed "../Photos/Page/Assets/viewer.js" suffix(,)
#embed "../Photos/Page/Assets/account.js" suffix(,)
#embed "../Photos/Page/Assets/convert.js" suffix(,)
#embed "../Photos/Page/Assets/composer.js" suffix(,)
#embed "../Photos/Page/Assets/uploads.js" suffix(,)
#embed "../Photos/Page/Assets/main.js"
};

static const unsigned char style[] = {
#embed "../Photos/Page/Assets/app.css"
};

static const unsigned char drawing[] = {
#embed "../Photos/Page/Assets/icon.svg"
};

static const unsigned char icons[] = {
#embed "../Photos/Page/Assets/icons.html"
};

static const unsigned char dialogs[] = {
#embed "../Photos/Page/Assets/dialogs.html"
};

static const tote_page_file files[] = {
    {"app.js", script, sizeof script},     {"app.css", style, sizeof style},
    {"icon.svg", drawing, sizeof drawing}, {"icons.html", icons, sizeof icons},
    {"dialogs.html", dialogs, sizeof dialogs},
};

const tote_page_file *tote_photo_page_file(size_t number) {
  return number < sizeof files / sizeof *files ? &files[number] : NULL;
}
