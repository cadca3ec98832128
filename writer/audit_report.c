/* Findings: drafts with their texts, SQL for what a query would lose, values for people. */
#include <stdio.h>

#include "planner/tree.h"
#include "writer/audit_internal.h"

enum { LONGEST_LITERAL = 1000, LONGEST_VALUE = 60 };

/* ---- drafts */

static int usual_rank(lake_audit_verdict verdict) {
    switch (verdict) {
    case LAKE_AUDIT_WRONG: return 2;
    case LAKE_AUDIT_UNCHECKED: return 3;
    case LAKE_AUDIT_LOOSE: return 4;
    case LAKE_AUDIT_MISSING: return 5;
    default: return 6;
    }
}

static void begin(lake_audit_finding *f, audit_place *place, lake_audit_verdict verdict, const char *kind) {
    *f = (lake_audit_finding){
        .verdict = verdict,
        .rank = usual_rank(verdict),
        .kind = lake_str_of(kind),
        .manifest = place->manifest,
        .file = place->file,
        .field_id = -1,
        .size = -1,
        .age_ms = -1,
        .order = {place->line, place->entry, place->serial++},
    };
}

audit_draft *audit_draft_new(lake_arena *arena, audit_place *place, lake_audit_verdict verdict, const char *kind) {
    audit_draft *d = LAKE_ARENA_NEW(arena, audit_draft);
    if (d)
        begin(&d->f, place, verdict, kind);
    return d;
}

static lake_status keep(lake_arena *arena, lake_buffer *text, lake_str *out, lake_error *err) {
    LAKE_TRY(lake_buffer_check(text, err));
    *out = lake_arena_str(arena, lake_buffer_view(text).ptr, text->len);
    lake_buffer_reset(text);
    return out->ptr ? LAKE_OK : lake_fail_memory(err);
}

lake_status audit_draft_column(lake_arena *arena, audit_draft *d, const lake_field *field, lake_error *err) {
    lake_buffer name;
    lake_buffer_init(&name);
    lake_field_full_name(&name, field);
    d->f.field_id = field->id;
    lake_status status = keep(arena, &name, &d->f.column, err);
    lake_buffer_clear(&name);
    return status;
}

lake_status audit_draft_lost(lake_arena *arena, audit_draft *d, lake_buffer *sql, int64_t rows, lake_error *err) {
    if (rows == 0) {
        lake_buffer_reset(sql);
        return LAKE_OK;
    }
    d->f.lost_rows = rows;
    d->f.rank = 0;
    return sql->len ? keep(arena, sql, &d->f.predicate, err) : lake_buffer_check(sql, err);
}

lake_status audit_text(lake_arena *arena, lake_str *out, lake_error *err, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    *out = lake_arena_str(arena, text, n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
    return out->ptr ? LAKE_OK : lake_fail_memory(err);
}

static lake_status emit_finding(audit *a, const lake_audit_finding *f, lake_error *err) {
    pthread_mutex_lock(&a->lock);
    switch (f->verdict) {
    case LAKE_AUDIT_WRONG:
        a->counts.wrong++;
        a->counts.lossy += f->lost_rows != 0;
        break;
    case LAKE_AUDIT_LOOSE: a->counts.loose++; break;
    case LAKE_AUDIT_MISSING: a->counts.missing++; break;
    case LAKE_AUDIT_UNCHECKED: a->counts.unchecked++; break;
    case LAKE_AUDIT_ORPHAN:
        a->counts.orphans++;
        a->counts.orphan_bytes += f->size;
        break;
    }
    lake_status status = a->options->on_finding ? a->options->on_finding(a->options->user, f, err) : LAKE_OK;
    pthread_mutex_unlock(&a->lock);
    return status;
}

lake_status audit_emit(audit *a, const audit_draft *d, lake_error *err) {
    return emit_finding(a, &d->f, err);
}

lake_status audit_say(audit *a, audit_place *place, const audit_simple *s, lake_error *err) {
    lake_audit_finding f;
    begin(&f, place, s->verdict, s->kind);
    if (s->rank)
        f.rank = s->rank;
    f.recorded = lake_str_of(s->recorded);
    f.found = lake_str_of(s->found);
    f.effect = lake_str_of(s->effect);
    f.column = s->column;
    if (s->column.ptr)
        f.field_id = s->field_id;
    if (s->lost_rows) {
        f.lost_rows = s->lost_rows;
        f.predicate = lake_str_of(s->predicate);
        f.rank = 0;
    }
    return emit_finding(a, &f, err);
}

lake_status audit_say_counts(audit *a, audit_place *place, const char *kind, const char *what, int64_t recorded,
    int64_t found, const char *effect, lake_error *err) {
    char r[96], w[96];
    snprintf(r, sizeof r, "%s%s%lld", what, *what ? " " : "", (long long)recorded);
    snprintf(w, sizeof w, "%lld", (long long)found);
    const audit_simple s = {.kind = kind, .recorded = r, .found = w, .effect = effect};
    return audit_say(a, place, &s, err);
}

lake_status audit_say_unreadable(
    audit *a, audit_place *place, lake_status status, const lake_error *why, lake_error *err) {
    /* A limit of ours is no fault of the file's. */
    bool unsupported = status == LAKE_ERR_UNSUPPORTED || status == LAKE_ERR_LIMIT;
    if (!unsupported && status != LAKE_ERR_NOT_FOUND && status != LAKE_ERR_IO && status != LAKE_ERR_MALFORMED) {
        if (err)
            *err = *why;
        return status;
    }
    lake_str path = place->file.ptr ? place->file : place->manifest, message = lake_str_of(why->message);
    bool repeats = lake_str_starts(message, path) && message.len > path.len + 2 && message.ptr[path.len] == ':';
    const audit_simple s = {
        .verdict = unsupported ? LAKE_AUDIT_UNCHECKED : LAKE_AUDIT_WRONG,
        .rank = unsupported ? 0 : 1,
        .kind = unsupported                ? "unsupported"
            : status == LAKE_ERR_NOT_FOUND ? "missing-object"
                                           : "unreadable",
        .found = message.ptr + (repeats ? path.len + 2 : 0),
        .effect = unsupported ? NULL : "whoever reads it fails",
    };
    return audit_say(a, place, &s, err);
}

lake_status audit_tick(audit *a, const char *what, uint64_t done, uint64_t total, lake_error *err) {
    const lake_session *s = a->session;
    if (s->progress && s->progress(s->progress_user, what, done, total) != 0)
        return lake_fail(err, LAKE_ERR_CANCELLED, "cancelled after %llu %s", (unsigned long long)done, what);
    return LAKE_OK;
}

/* ---- texts */

void audit_sql_name(lake_buffer *out, const lake_field *field) {
    if (field->parent) {
        audit_sql_name(out, field->parent);
        lake_buffer_char(out, '.');
    }
    lake_sql_put_name(out, field->name, false);
}

void audit_sql_term(lake_buffer *out, const lake_transform *transform, const lake_field *field) {
    lake_buffer name;
    lake_buffer_init(&name);
    audit_sql_name(&name, field);
    bool plain = !transform || transform->id == LAKE_TRANSFORM_IDENTITY;
    lake_sql_put_call(out, plain ? (lake_str){0} : transform->text, false, lake_buffer_view(&name));
    out->failed |= name.failed;
    lake_buffer_clear(&name);
}

static const char *literal_word(const lake_type *type) {
    switch (type->id) {
    case LAKE_DATE: return "DATE ";
    case LAKE_TIME: return "TIME ";
    case LAKE_TIMESTAMP:
    case LAKE_TIMESTAMP_NS: return "TIMESTAMP ";
    case LAKE_TIMESTAMPTZ:
    case LAKE_TIMESTAMPTZ_NS: return "TIMESTAMP WITH TIME ZONE ";
    case LAKE_UUID: return "UUID ";
    default: return "";
    }
}

bool audit_sql_literal(lake_buffer *out, const lake_type *type, lake_key key) {
    lake_key_kind kind = lake_type_kind(type);
    if (kind == LAKE_KEY_NONE || (kind == LAKE_KEY_BYTES && key.b.len > LONGEST_LITERAL) ||
        (kind == LAKE_KEY_FLOAT && __builtin_isinf(key.f)))
        return false;
    if (type->id == LAKE_STRING) {
        if (!lake_utf8_valid(key.b) || memchr(key.b.ptr ? key.b.ptr : (const uint8_t *)"", 0, key.b.len))
            return false;
        lake_sql_put_quoted(out, lake_text_of(key.b), '\'');
        return true;
    }
    if (type->id == LAKE_FIXED || type->id == LAKE_BINARY) {
        lake_buffer_puts(out, "X'");
        lake_buffer_hex(out, key.b);
        lake_buffer_char(out, '\'');
        return true;
    }
    lake_buffer text;
    lake_buffer_init(&text);
    lake_value_to_json(&text, type, key);
    lake_str v = lake_buffer_view(&text);
    bool quoted = v.len > 1 && v.ptr[0] == '"';
    if (quoted)
        v = (lake_str){v.ptr + 1, v.len - 2};
    lake_buffer_puts(out, literal_word(type));
    if (quoted && type->id != LAKE_DECIMAL)
        lake_sql_put_quoted(out, v, '\'');
    else
        lake_buffer_str(out, v);
    out->failed |= text.failed;
    lake_buffer_clear(&text);
    return true;
}

void audit_print_value(lake_buffer *out, const lake_type *type, lake_bound_state state, lake_key key) {
    if (state != LAKE_BOUND_KEY) {
        lake_buffer_puts(out, state == LAKE_BOUND_NAN ? "NaN" : "null");
        return;
    }
    lake_buffer text;
    lake_buffer_init(&text);
    lake_value_print(&text, type, key);
    lake_bytes b = lake_bytes_of(lake_buffer_view(&text));
    size_t head = lake_utf8_head(b, LONGEST_VALUE);
    if (b.len == 0 && type->id == LAKE_STRING)
        lake_buffer_puts(out, "''");
    lake_buffer_put(out, b.ptr, head);
    if (head < b.len)
        lake_buffer_puts(out, "…");
    out->failed |= text.failed;
    lake_buffer_clear(&text);
}

const lake_field *audit_any_field(const audit *a, int32_t id) {
    const lake_field *f = a->schema ? lake_schema_field(a->schema, id) : NULL;
    const lake_metadata *m = a->table->metadata;
    for (size_t i = m->nschemas; !f && i-- > 0;)
        f = lake_schema_field(m->schemas[i], id);
    return f;
}
