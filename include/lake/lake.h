/* The whole public C API of liblake. */
#ifndef LAKE_LAKE_H
#define LAKE_LAKE_H

#include "lake/answers.h"
#include "lake/audit.h"
#include "lake/cache.h"
#include "lake/deletes.h"
#include "lake/error.h"
#include "lake/estimate.h"
#include "lake/explain.h"
#include "lake/ingest.h"
#include "lake/listing.h"
#include "lake/maintain.h"
#include "lake/plan.h"
#include "lake/rebuild.h"
#include "lake/rows.h"
#include "lake/session.h"
#include "lake/stats.h"
#include "lake/table.h"
#include "lake/view.h"
#include "lake/write.h"

#endif
