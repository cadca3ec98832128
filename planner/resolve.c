/* Names -> fields. A name that is not there is answered with the nearest ones that are. */
#include <strings.h>

#include "planner/node.h"

enum { MAX_NAME = 64, MAX_HITS = 8, MAX_OFFERS = 3 };

static int lower(int c) {
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

/* Letters to change, add or remove; a large number for long names. */
static unsigned distance(lake_str a, lake_str b) {
    unsigned row[MAX_NAME + 1];
    if (a.len > MAX_NAME || b.len > MAX_NAME)
        return 1000;
    for (size_t j = 0; j <= b.len; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= a.len; i++) {
        unsigned corner = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b.len; j++) {
            unsigned change = corner + (lower((unsigned char)a.ptr[i - 1]) != lower((unsigned char)b.ptr[j - 1]));
            unsigned less = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            corner = row[j];
            row[j] = change < less ? change : less;
        }
    }
    return row[b.len];
}

/* What a name that SQL has, but the schema has not, was likely meant to be: text, or the number. */
static void hint(lake_buffer *out, const lake_column_ref *ref, lake_str wanted) {
    if (ref->dotted || ref->offset < 0 || !ref->sql.len)
        return;
    if (wanted.len == 3 && strncasecmp(wanted.ptr, "NaN", 3) == 0) {
        lake_buffer_puts(out, "; for the number write IS NAN");
    } else if (ref->nparts == 1 && ref->sql.ptr[0] == '"') {
        lake_buffer_puts(out, "; text is in single quotes: '");
        lake_buffer_str(out, (lake_str){wanted.ptr, wanted.len > 60 ? 60 : wanted.len});
        lake_buffer_char(out, '\'');
    }
}

static lake_status unknown(lake_binder *b, const lake_column_ref *ref, lake_str wanted) {
    lake_buffer offers, name;
    const lake_field *best[MAX_OFFERS] = {0};
    unsigned far[MAX_OFFERS];
    size_t n = 0;
    lake_buffer_init(&offers);
    lake_buffer_init(&name);
    for (size_t i = 0; i < b->schema->nby_id; i++) {
        lake_buffer_reset(&name);
        lake_field_full_name(&name, b->schema->by_id[i]);
        unsigned d = distance(wanted, lake_buffer_view(&name));
        bool letter = wanted.len < 2 || name.len < 2; /* every other letter would be near */
        if (d > (letter ? 0 : 1 + wanted.len / 3))
            continue;
        size_t at = n < MAX_OFFERS ? n++ : MAX_OFFERS;
        while (at > 0 && d < far[at - 1]) {
            if (at < MAX_OFFERS) {
                best[at] = best[at - 1];
                far[at] = far[at - 1];
            }
            at--;
        }
        if (at < MAX_OFFERS) {
            best[at] = b->schema->by_id[i];
            far[at] = d;
        }
    }
    for (size_t i = 0; i < n; i++) {
        lake_buffer_puts(&offers, i ? ", " : "; nearest: ");
        lake_field_full_name(&offers, best[i]);
    }
    hint(&offers, ref, wanted);
    lake_str text = lake_buffer_view(&offers);
    lake_status s = lake_fail_at(b->err, LAKE_ERR_USAGE, ref->offset, "unknown column %.*s%.*s",
        (int)(wanted.len > 200 ? 200 : wanted.len), wanted.ptr, (int)(text.len > 500 ? 500 : text.len), text.ptr);
    lake_buffer_clear(&offers);
    lake_buffer_clear(&name);
    return s;
}

static lake_status ambiguous(
    lake_binder *b, const lake_column_ref *ref, lake_str wanted, const lake_field **hits, size_t n) {
    lake_buffer names;
    lake_buffer_init(&names);
    for (size_t i = 0; i < n && i < MAX_HITS; i++) {
        lake_buffer_puts(&names, i ? ", " : "");
        lake_field_full_name(&names, hits[i]);
    }
    lake_str text = lake_buffer_view(&names);
    lake_status s = lake_fail_at(b->err, LAKE_ERR_USAGE, ref->offset, "column %.*s is ambiguous: %.*s",
        (int)(wanted.len > 200 ? 200 : wanted.len), wanted.ptr, (int)(text.len > 500 ? 500 : text.len), text.ptr);
    lake_buffer_clear(&names);
    return s;
}

lake_status lake_resolve(lake_binder *b, const lake_column_ref *ref, const lake_field **out) {
    const lake_field *hits[MAX_HITS];
    bool sensitive = b->options->case_sensitive;
    if (ref->by_id) {
        *out = lake_schema_field(b->schema, ref->id);
        return *out ? LAKE_OK : lake_fail_at(b->err, LAKE_ERR_USAGE, ref->offset, "unknown column id %d", ref->id);
    }
    const lake_column_ref *last = b->last_ref;
    if (last && last->dotted == ref->dotted && last->nparts == 1 && ref->nparts == 1 &&
        lake_str_eq(last->parts[0], ref->parts[0])) {
        *out = b->last_field;
        return LAKE_OK;
    }
    size_t n = ref->dotted ? lake_schema_find_name(b->schema, ref->parts[0], sensitive, hits, MAX_HITS)
                           : lake_schema_find_path(b->schema, ref->parts, ref->nparts, sensitive, hits, MAX_HITS);
    if (n == 1) {
        *out = b->last_field = hits[0];
        b->last_ref = ref;
        return LAKE_OK;
    }
    lake_buffer wanted;
    lake_buffer_init(&wanted);
    for (size_t i = 0; i < ref->nparts; i++) {
        lake_buffer_puts(&wanted, i ? "." : "");
        lake_buffer_str(&wanted, ref->parts[i]);
    }
    lake_status s =
        n ? ambiguous(b, ref, lake_buffer_view(&wanted), hits, n) : unknown(b, ref, lake_buffer_view(&wanted));
    lake_buffer_clear(&wanted);
    return s;
}

/* Does the reference spell the field just as the schema does? A dotted one does not say where its dots are: then its
   whole name is compared. */
static bool spelled(const lake_column_ref *ref, const lake_field *field, lake_str full) {
    if (ref->by_id)
        return false;
    if (ref->dotted)
        return lake_str_eq(ref->parts[0], full);
    size_t n = ref->nparts;
    for (const lake_field *f = field; f; f = f->parent)
        if (n == 0 || !lake_str_eq(ref->parts[--n], f->name))
            return false;
    return n == 0;
}

static void put_path(lake_buffer *out, const lake_field *field) {
    if (field->parent) {
        put_path(out, field->parent);
        lake_buffer_char(out, '.');
    }
    lake_sql_put_name(out, field->name, false);
}

lake_status lake_respell(lake_binder *b, const lake_column_ref *ref, const lake_field *field, lake_str *out) {
    lake_buffer path, call;
    lake_buffer_init(&path);
    lake_buffer_init(&call);
    lake_field_full_name(&path, field);
    *out = ref->sql;
    if (!spelled(ref, field, lake_buffer_view(&path)) ||
        (ref->dotted && memchr(path.data ? path.data : (const uint8_t *)"", '.', path.len))) {
        lake_buffer_reset(&path);
        put_path(&path, field);
        lake_sql_put_call(&call, ref->transform, ref->calendar, lake_buffer_view(&path));
        lake_str view = lake_buffer_view(&call);
        *out = path.failed || call.failed ? (lake_str){0} : lake_arena_str(b->arena, view.ptr, view.len);
    }
    lake_buffer_clear(&path);
    lake_buffer_clear(&call);
    return out->ptr ? LAKE_OK : lake_fail_memory(b->err);
}
