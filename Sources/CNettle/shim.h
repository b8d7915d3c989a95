#ifndef TOTE_CNETTLE_SHIM_H
#define TOTE_CNETTLE_SHIM_H

#include <nettle/cbc.h>
#include <nettle/gcm.h>
#include <nettle/hmac.h>
#include <nettle/md5.h>
#include <nettle/memops.h>
#include <nettle/pbkdf2.h>
#include <nettle/sha2.h>
#include <nettle/version.h>

#endif
