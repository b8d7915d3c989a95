#include "CJPEGColour.h"

#include <dlfcn.h>
#include <lcms2.h>
#include <math.h>
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
  X(cmsDoTransform)                                                                                \
  X(cmsIsMatrixShaper)                                                                             \
  X(cmsReadTag)                                                                                    \
  X(cmsEvalToneCurveFloat)

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

// Levels of light between black and white that a level of sRGB is looked up by.
#define LIGHTS 16384
// Binary places of light below its levels.
#define PLACES 12

typedef int32_t quads __attribute__((vector_size(16)));

struct tote_colour_transform {
  cmsContext context;
  cmsHTRANSFORM transform;
  // Three curves and a matrix do the same, and several times faster.
  int is_matrix;
  // What a level of each channel adds to the light of red, green and blue, with `PLACES`.
  quads light[3][256];
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

static uint8_t levels[LIGHTS];
static pthread_once_t levels_once = PTHREAD_ONCE_INIT;

// IEC 61966-2-1, from light to levels.
static void make_levels(void) {
  for (int i = 0; i < LIGHTS; i++) {
    double light = (double)i / (LIGHTS - 1);
    double level = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055;
    levels[i] = (uint8_t)(255 * level + 0.5);
  }
}

// Reads a profile that is three curves and the colours of its primaries, as those of cameras and
// phones are; 0 when it is of another kind.
static int read_matrix(struct tote_colour_transform *made, cmsHPROFILE profile) {
  static const cmsTagSignature curves[3] = {
      cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag};
  static const cmsTagSignature primaries[3] = {
      cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag};
  // From XYZ under D50, which profiles are in, to light in sRGB's primaries: the inverse of the
  // matrix in sRGB's own profile.
  static const double to_light[3][3] = {
      {3.1341359, -1.6173863, -0.4906619},
      {-0.9787955, 1.9162544, 0.0334428},
      {0.0719553, -0.2289768, 1.4053860}};
  if (!table.cmsIsMatrixShaper(profile)) return 0;
  for (int i = 0; i < 3; i++) {
    const cmsToneCurve *curve = table.cmsReadTag(profile, curves[i]);
    const cmsCIEXYZ *primary = table.cmsReadTag(profile, primaries[i]);
    if (curve == NULL || primary == NULL) return 0;
    double parts[3];
    for (int row = 0; row < 3; row++) {
      const double *to = to_light[row];
      parts[row] = to[0] * primary->X + to[1] * primary->Y + to[2] * primary->Z;
      if (!(parts[row] > -4 && parts[row] < 4)) return 0;
    }
    for (int level = 0; level < 256; level++) {
      double light = table.cmsEvalToneCurveFloat(curve, (float)level / 255);
      if (!(light >= 0 && light <= 1)) return 0;
      light *= (LIGHTS - 1) * (1 << PLACES);
      made->light[i][level] = (quads){
          (int32_t)lround(light * parts[0]), (int32_t)lround(light * parts[1]),
          (int32_t)lround(light * parts[2]), 0};
    }
  }
  pthread_once(&levels_once, make_levels);
  return 1;
}

static void convert_by_matrix(
    const tote_colour_transform *transform, const uint8_t *in, uint8_t *rgb, size_t width) {
  quads half = (quads){0} + (1 << (PLACES - 1));
  for (size_t x = 0; x < width; x++, in += 3, rgb += 3) {
    quads light = transform->light[0][in[0]] + transform->light[1][in[1]] +
                  transform->light[2][in[2]];
    light = (light + half) >> PLACES;
    light = __builtin_elementwise_min(light, (quads){0} + (LIGHTS - 1));
    light = __builtin_elementwise_max(light, (quads){0});
    for (int i = 0; i < 3; i++) rgb[i] = levels[light[i]];
  }
}

// The library's answer is the measure: a profile can mean more than its curves and primaries say.
static int agrees(const tote_colour_transform *transform) {
  static const uint8_t steps[] = {0, 8, 32, 77, 128, 180, 225, 255};
  for (int red = 0; red < 8; red++) {
    uint8_t in[3 * 64], mine[3 * 64], theirs[3 * 64];
    for (int i = 0; i < 64; i++) {
      in[3 * i] = steps[red];
      in[3 * i + 1] = steps[i / 8];
      in[3 * i + 2] = steps[i % 8];
    }
    convert_by_matrix(transform, in, mine, 64);
    table.cmsDoTransform(transform->transform, in, theirs, 64);
    for (int i = 0; i < 3 * 64; i++)
      if (abs(mine[i] - theirs[i]) > 2) return 0;
  }
  return 1;
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
  tote_colour_transform *made = transform != NULL ? malloc(sizeof *made) : NULL;
  if (made != NULL) {
    made->context = context;
    made->transform = transform;
    made->is_matrix =
        input == TOTE_COLOUR_RGB && read_matrix(made, profile) && agrees(made);
  }
  if (profile != NULL) table.cmsCloseProfile(profile);
  if (target != NULL) table.cmsCloseProfile(target);
  if (made == NULL) {
    if (transform != NULL) table.cmsDeleteTransform(transform);
    table.cmsDeleteContext(context);
  }
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
  if (transform->is_matrix)
    convert_by_matrix(transform, in, rgb, width);
  else
    table.cmsDoTransform(transform->transform, in, rgb, (cmsUInt32Number)width);
}
