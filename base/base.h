/* Everything of base/ at once. base/ knows nothing of Iceberg: errors, memory, bytes, text, time, threads. */
#ifndef LAKE_BASE_BASE_H
#define LAKE_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/bytes.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/int128.h"
#include "base/mem.h"
#include "base/threads.h"
#include "base/time.h"
#include "base/utf8.h"

#endif
