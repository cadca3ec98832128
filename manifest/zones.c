/* Zones: what bounds and counts of all live entries of a manifest say together about a column, in the few bytes of a
   pack's row. A zone is made only where each entry alone would be believed (planner/facts.c): both bounds, in order,
   of the one length that the type has; or all rows null. Then what the zone allows contains what any entry allows.

     sums      1 (8), live entries (8), bytes (8)
     a zone    order (1), flags (1), length of lower, of upper (1, 1), zeros (4), lower (16), upper (16) */
#include <math.h>

#include "manifest/cache.h"
#include "manifest/summary.h"

enum { NULLS = 1, NANS = 2, VALUES = 4, OPEN = 8, ROOM = 16 };

lake_zone_order lake_zone_order_of(const lake_type *type) {
    switch (type->id) {
    case LAKE_INT:
    case LAKE_DATE:
    case LAKE_LONG:
    case LAKE_TIMESTAMP:
    case LAKE_TIMESTAMPTZ:
    case LAKE_TIMESTAMP_NS:
    case LAKE_TIMESTAMPTZ_NS: return LAKE_ZONE_INTS;
    case LAKE_FLOAT:
    case LAKE_DOUBLE: return LAKE_ZONE_FLOATS;
    case LAKE_STRING:
    case LAKE_BINARY: return LAKE_ZONE_BYTES;
    default: return LAKE_ZONE_NONE;
    }
}

typedef struct zone_maker {
    lake_zone_order order;
    size_t len; /* of fixed bounds; 0: none seen */
    bool null, nan, value;
    lake_bytes lower, upper;
} zone_maker;

static double float_of(lake_bytes b) {
    float f;
    double d;
    if (b.len == 4) {
        memcpy(&f, b.ptr, 4);
        return f;
    }
    memcpy(&d, b.ptr, 8);
    return d;
}

static int64_t int_of(lake_bytes b) {
    return b.len == 4 ? (int32_t)lake_get_le32(b.ptr) : (int64_t)lake_get_le64(b.ptr);
}

static int order(const zone_maker *z, lake_bytes a, lake_bytes b) {
    if (z->order == LAKE_ZONE_BYTES)
        return lake_bytes_cmp(a, b);
    if (z->order == LAKE_ZONE_FLOATS) {
        double x = float_of(a), y = float_of(b);
        return (x > y) - (x < y);
    }
    int64_t x = int_of(a), y = int_of(b);
    return (x > y) - (x < y);
}

static bool good_bound(zone_maker *z, lake_bytes b) {
    if (z->order == LAKE_ZONE_BYTES)
        return true;
    if (!z->len)
        z->len = b.len;
    return (b.len == 4 || b.len == 8) && b.len == z->len && (z->order != LAKE_ZONE_FLOATS || !isnan(float_of(b)));
}

/* False: this entry is not believed, or says nothing. */
static bool take(zone_maker *z, const lake_entry *e, const lake_column_metrics *m) {
    if (!m)
        return false;
    int64_t nulls = (m->has & LAKE_METRIC_NULLS) && m->nulls >= 0 ? m->nulls : -1;
    int64_t nans = z->order != LAKE_ZONE_FLOATS ? 0 : (m->has & LAKE_METRIC_NANS) && m->nans >= 0 ? m->nans : -1;
    if (nulls > 0 && nans > 0)
        return false;
    if (!m->lower.ptr && !m->upper.ptr) {
        z->null = true;
        return (m->has & LAKE_METRIC_VALUES) && m->values == e->record_count && nulls == e->record_count;
    }
    if (!m->lower.ptr || !m->upper.ptr || !good_bound(z, m->lower) || !good_bound(z, m->upper) ||
        order(z, m->lower, m->upper) > 0)
        return false;
    z->null = z->null || nulls != 0;
    z->nan = z->nan || nans != 0;
    if (!z->value || order(z, m->lower, z->lower) < 0)
        z->lower = m->lower;
    if (!z->value || order(z, m->upper, z->upper) > 0)
        z->upper = m->upper;
    z->value = true;
    return true;
}

static void put_zone(const zone_maker *z, lake_pack_row *row) {
    uint8_t *b = row->bytes;
    b[0] = (uint8_t)z->order;
    b[1] = (uint8_t)((z->null ? NULLS : 0) | (z->nan ? NANS : 0) | (z->value ? VALUES : 0));
    if (!z->value)
        return;
    b[2] = (uint8_t)(z->lower.len < ROOM ? z->lower.len : ROOM); /* a prefix is below */
    memcpy(b + 8, z->lower.ptr, b[2]);
    if (z->upper.len > ROOM) {
        b[1] |= OPEN;
        return;
    }
    b[3] = (uint8_t)z->upper.len;
    memcpy(b + 24, z->upper.ptr, b[3]);
}

static bool make_zone(const lake_entry *entries, size_t n, int32_t id, lake_zone_order by, lake_pack_row *row) {
    zone_maker z = {.order = by};
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        if (entries[i].status == LAKE_ENTRY_DELETED || entries[i].record_count == 0)
            continue;
        if (entries[i].record_count < 0 || !take(&z, &entries[i], lake_entry_column(&entries[i], id)))
            return false;
        any = true;
    }
    *row = (lake_pack_row){.id = id};
    put_zone(&z, row);
    return any;
}

size_t lake_zones_make(
    const lake_entry *entries, size_t n, const lake_schema *schema, lake_pack_row *rows, size_t room) {
    size_t made = 0;
    const lake_entry *first = NULL;
    int64_t live = 0, bytes = 0;
    for (size_t i = 0; i < n; i++) {
        if (entries[i].status == LAKE_ENTRY_DELETED)
            continue;
        if (!first && entries[i].record_count > 0)
            first = &entries[i];
        live++;
        bytes = lake_total_add(bytes, entries[i].file_size);
    }
    if (!room)
        return 0;
    rows[made] = (lake_pack_row){.id = LAKE_ZONE_SUMS, .bytes = {1}};
    lake_put_le64(rows[made].bytes + 8, (uint64_t)live);
    lake_put_le64(rows[made++].bytes + 16, (uint64_t)bytes);
    for (size_t k = 0; first && k < first->ncolumns && made < room; k++) { /* all entries speak of it, or none counts */
        const lake_field *field = lake_schema_field(schema, first->columns[k].id);
        lake_zone_order by = field ? lake_zone_order_of(&field->type) : LAKE_ZONE_NONE;
        if (by != LAKE_ZONE_NONE && make_zone(entries, n, field->id, by, &rows[made]))
            made++;
    }
    return made;
}

bool lake_zone_sums_read(const uint8_t *row, lake_zone_sums *out) {
    *out = (lake_zone_sums){(int64_t)lake_get_le64(row + 8), (int64_t)lake_get_le64(row + 16)};
    return row[0] == 1 && out->live >= 0 && out->bytes >= 0;
}

bool lake_zone_read(const uint8_t *row, lake_zone_order by, lake_zone *out) {
    if (by == LAKE_ZONE_NONE || row[0] != by || row[2] > ROOM || row[3] > ROOM)
        return false;
    *out =
        (lake_zone){.null = row[1] & NULLS, .nan = row[1] & NANS, .value = row[1] & VALUES, .lower = {row + 8, row[2]}};
    if (!(row[1] & OPEN))
        out->upper = (lake_bytes){row + 24, row[3]};
    return true;
}
