#include "CJPEGColour.h"

#include <dlfcn.h>
#include <lcms2.h>
#include <pthread.h>
#include <stdlib.h>

#define TOTE_COLOUR_FUNCTIONS(X)                                                                   \
  X(cmsCreateContext)                                                                              \
  X(cmsDeleteContext)                                                                              \
  X(cmsOpenProfileFromMemTHR)                                                                      \
  X(cmsCloseProfile)                                                                               \
  X(cmsCreate_sRGBProfileTHR)                                                                      \
  X(cmsGetColorSpace)                                                                              \
  X(cmsGetDeviceClass)                                                                             \
  X(cmsCreateTransformTHR)                                                                         \
  X(cmsDeleteTransform)                                                                            \
  X(cmsDoTransform)

static struct {
#define TOTE_FIELD(name) __typeof__(&name) name;
  TOTE_COLOUR_FUNCTIONS(TOTE_FIELD)
#undef TOTE_FIELD
} table;

static int load_result = -1;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("liblcms2.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
#define TOTE_LOOK_UP(name)                                                                         \
  table.name = (__typeof__(table.name))dlsym(library, #name);                                      \
  if (table.name == NULL) return;
  TOTE_COLOUR_FUNCTIONS(TOTE_LOOK_UP)
#undef TOTE_LOOK_UP
  load_result = 0;
}

int tote_colour_load(void) {
  pthread_once(&load_once, load);
  return load_result;
}

struct tote_colour_transform {
  cmsContext context;
  cmsHTRANSFORM transform;
};

static cmsColorSpaceSignature space_of(tote_colour_input input) {
  switch (input) {
  case TOTE_COLOUR_GREY: return cmsSigGrayData;
  case TOTE_COLOUR_RGB: return cmsSigRgbData;
  case TOTE_COLOUR_CMYK:
  case TOTE_COLOUR_CMYK_INVERTED: return cmsSigCmykData;
  }
}

static cmsUInt32Number format_of(tote_colour_input input) {
  switch (input) {
  case TOTE_COLOUR_GREY: return TYPE_GRAY_8;
  case TOTE_COLOUR_RGB: return TYPE_RGB_8;
  case TOTE_COLOUR_CMYK: return TYPE_CMYK_8;
  case TOTE_COLOUR_CMYK_INVERTED: return TYPE_CMYK_8_REV;
  }
}

static int is_for_pictures(cmsProfileClassSignature kind) {
  return kind == cmsSigInputClass || kind == cmsSigDisplayClass || kind == cmsSigOutputClass ||
         kind == cmsSigColorSpaceClass;
}

tote_colour_transform *tote_colour_transform_new(
    const uint8_t *bytes, size_t size, tote_colour_input input) {
  // A context of its own: the library's global one is not for several threads.
  cmsContext context = table.cmsCreateContext(NULL, NULL);
  if (context == NULL) return NULL;
  cmsHPROFILE profile = table.cmsOpenProfileFromMemTHR(context, bytes, (cmsUInt32Number)size);
  cmsHPROFILE target = table.cmsCreate_sRGBProfileTHR(context);
  cmsHTRANSFORM transform = NULL;
  if (profile != NULL && target != NULL && table.cmsGetColorSpace(profile) == space_of(input) &&
      is_for_pictures(table.cmsGetDeviceClass(profile))) {
    // Without a cache one transform may serve several threads.
    transform = table.cmsCreateTransformTHR(
        context, profile, format_of(input), target, TYPE_RGB_8, INTENT_RELATIVE_COLORIMETRIC,
        cmsFLAGS_NOCACHE | cmsFLAGS_BLACKPOINTCOMPENSATION);
  }
  if (profile != NULL) table.cmsCloseProfile(profile);
  if (target != NULL) table.cmsCloseProfile(target);
  tote_colour_transform *made = transform != NULL ? malloc(sizeof *made) : NULL;
  if (made == NULL) {
    if (transform != NULL) table.cmsDeleteTransform(transform);
    table.cmsDeleteContext(context);
    return NULL;
  }
  made->context = context;
  made->transform = transform;
  return made;
}

void tote_colour_transform_free(tote_colour_transform *transform) {
  if (transform == NULL) return;
  table.cmsDeleteTransform(transform->transform);
  table.cmsDeleteContext(transform->context);
  free(transform);
}

void tote_colour_convert(
    const tote_colour_transform *transform, const uint8_t *in, uint8_t *rgb, size_t width) {
  table.cmsDoTransform(transform->transform, in, rgb, (cmsUInt32Number)width);
}
