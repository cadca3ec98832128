/* Files in the order of a column's values, as far as their facts tell. The values stand on one line: nulls at one of
   its ends, then values, then NaN, which is larger than all (spec.md, "Sorting"); DESC reads the line backwards. A file
   takes up an interval of it, of which only the rows that can match the predicate count. Files that overlap form a
   group; with a limit, files beyond a place that enough certain rows come before are never needed. */
#include "planner/column.h"
#include "planner/estimate.h"
#include "planner/plan.h"
#include "planner/sql_lex.h"

/* Where an interval begins, or the first place behind it. */
typedef enum rank { NULLS_LOW, VALUES, NANS, NULLS_HIGH, END } rank;
typedef struct place {
    rank rank;
    lake_end end; /* VALUES */
} place;

typedef struct ordered {
    plan_task *task;
    place lo, hi;
    size_t index;
} ordered;

struct plan_order {
    const lake_field *field;
    lake_key_kind kind;
    uint32_t term;
    bool descending, nulls_first;
    size_t ngroups;
};

static bool before(lake_key_kind kind, const place *a, const place *b) {
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->rank == VALUES && lake_end_below(kind, &a->end, &b->end);
}

/* ---------------------------------------------------------------- the clause */
/* Takes a keyword off the end of the text. */
static bool take_word(lake_str *text, const char *word) {
    size_t n = strlen(word), end = text->len;
    while (end && strchr(" \t\r\n", text->ptr[end - 1]))
        end--;
    if (end <= n || strncasecmp(text->ptr + end - n, word, n) != 0 || !strchr(" \t\r\n\"`", text->ptr[end - n - 1]))
        return false;
    text->len = end - n;
    return true;
}

static lake_status parse(plan_order *o, lake_str *text, lake_error *err) {
    bool first = take_word(text, "FIRST"), last = !first && take_word(text, "LAST");
    if ((first || last) && !take_word(text, "NULLS"))
        return lake_fail(err, LAKE_ERR_USAGE, "order by: %s stands behind NULLS", first ? "FIRST" : "LAST");
    o->descending = take_word(text, "DESC");
    if (!o->descending)
        take_word(text, "ASC");
    o->nulls_first = first || (!last && !o->descending);
    return LAKE_OK;
}

/* The column becomes one more term of the predicate, so that every file's facts about it are at hand. */
static lake_status add_term(lake_plan *plan, plan_order *o, lake_error *err) {
    lake_bound *b = plan->bound;
    for (size_t i = 0; i < b->nterms; i++)
        if (b->terms[i].field == o->field && !b->terms[i].is_bucket) {
            o->term = (uint32_t)i;
            return LAKE_OK;
        }
    lake_term *terms = LAKE_ARENA_ARRAY(&plan->arena, lake_term, b->nterms + 1);
    if (!terms)
        return lake_fail_memory(err);
    if (b->nterms)
        memcpy(terms, b->terms, b->nterms * sizeof *terms);
    o->term = (uint32_t)b->nterms;
    terms[b->nterms++] = (lake_term){.field = o->field};
    b->terms = terms;
    return LAKE_OK;
}

lake_status plan_order_begin(
    lake_plan *plan, const lake_schema *schema, const lake_bind_options *options, lake_error *err) {
    if (!plan->options.order_by)
        return LAKE_OK;
    plan_order *o = LAKE_ARENA_NEW(&plan->arena, plan_order);
    if (!o)
        return lake_fail_memory(err);
    lake_str text = lake_str_of(plan->options.order_by);
    const lake_column_ref *ref;
    LAKE_TRY(parse(o, &text, err));
    LAKE_TRY(lake_column_from_sql(&plan->arena, text, "order by", &ref, err));
    LAKE_TRY(lake_column_find(&plan->arena, ref, schema, options, "order by", &o->field, err));
    o->kind = lake_type_kind(&o->field->type);
    if (ref->transform.ptr || o->kind == LAKE_KEY_NONE || o->field->inside_list)
        return lake_fail(err, LAKE_ERR_USAGE, "order by: %.*s: %s", LAKE_ARG(ref->sql),
            ref->transform.ptr          ? "a column, not a transform of one"
                : o->field->inside_list ? "a row has many values of it"
                                        : "its type has no order");
    plan->order = o;
    return add_term(plan, o, err);
}

/* ---------------------------------------------------------------- intervals */
static bool keep_key(lake_plan *plan, const plan_order *o, place *p) {
    if (p->rank != VALUES || p->end.at != LAKE_END_KEY || o->kind != LAKE_KEY_BYTES)
        return true;
    p->end.key.b = lake_arena_bytes(&plan->arena, p->end.key.b.ptr, p->end.key.b.len);
    return p->end.key.b.ptr != NULL;
}

static void interval(const plan_order *o, const lake_facts *f, place *lo, place *hi) {
    bool low = f->null && o->nulls_first != o->descending, high = f->null && !low;
    lake_end from = f->spans[0].lo, to = f->spans[0].hi;
    for (int i = 1; f->value && i < f->nspans; i++) {
        if (lake_end_below(o->kind, &f->spans[i].lo, &from))
            from = f->spans[i].lo;
        if (lake_end_below(o->kind, &to, &f->spans[i].hi))
            to = f->spans[i].hi;
    }
    *lo = low      ? (place){.rank = NULLS_LOW}
        : f->value ? (place){VALUES, from}
                   : (place){.rank = f->nan ? NANS : NULLS_HIGH};
    *hi = high     ? (place){.rank = END}
        : f->nan   ? (place){.rank = NULLS_HIGH}
        : f->value ? (place){VALUES, to}
                   : (place){.rank = VALUES, .end.at = LAKE_END_LOW};
    if (!f->null && !f->nan && !f->value) { /* contradicting facts */
        lo->rank = NULLS_LOW;
        hi->rank = END;
    }
}

static lake_status locate(lake_plan *plan, const plan_order *o, ordered *item, lake_error *err) {
    plan_worker *w = &plan->workers[0];
    plan_maker *maker;
    if (item->task->entry.record_count == 0) { /* nowhere */
        item->lo = item->hi = (place){.rank = NULLS_LOW};
        return LAKE_OK;
    }
    LAKE_TRY(plan_maker_get(plan, w, item->task->spec, &maker, err));
    lake_arena_reset(&plan->scratch);
    if (!lake_facts_of_entry(maker->maker, &item->task->entry, false, &plan->scratch, w->facts))
        return lake_fail_memory(err);
    lake_facts left; /* of the rows that can match: others are never seen */
    lake_facts_copy(&left, &w->facts[o->term]);
    est_region r = est_node_region(plan->bound->root, plan->bound, w->facts, o->field, &w->facts[o->term]);
    if (r.null || r.nan || r.value) {
        left.null &= r.null;
        left.nan &= r.nan;
        left.value &= r.value;
        left.spans[0] = r.value ? r.span : left.spans[0];
        left.nspans = r.value ? 1 : left.nspans;
    }
    interval(o, &left, &item->lo, &item->hi);
    return keep_key(plan, o, &item->lo) && keep_key(plan, o, &item->hi) ? LAKE_OK : lake_fail_memory(err);
}

/* ---------------------------------------------------------------- sorting */
/* Does a come before b? By its first value, then by its last, both in reading order. */
static bool comes_before(const plan_order *o, const ordered *a, const ordered *b) {
    const place *x = o->descending ? &b->hi : &a->lo, *y = o->descending ? &a->hi : &b->lo;
    if (before(o->kind, x, y) || before(o->kind, y, x))
        return before(o->kind, x, y);
    x = o->descending ? &b->lo : &a->hi;
    y = o->descending ? &a->lo : &b->hi;
    return before(o->kind, x, y);
}

/* Does a end before b? */
static bool ends_before(const plan_order *o, const ordered *a, const ordered *b) {
    return o->descending ? before(o->kind, &b->lo, &a->lo) : before(o->kind, &a->hi, &b->hi);
}

typedef bool (*less)(const plan_order *o, const ordered *a, const ordered *b);

/* Merge sort: stable. */
static ordered **sort(const plan_order *o, less is_less, ordered **from, ordered **to, size_t n) {
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * width) {
            size_t i = begin, mid = begin + width < n ? begin + width : n, j = mid,
                   end = mid + width < n ? mid + width : n;
            for (size_t k = begin; k < end; k++)
                to[k] = j == end || (i < mid && !is_less(o, from[j], from[i])) ? from[i++] : from[j++];
        }
        ordered **swap = from;
        from = to;
        to = swap;
    }
    return from;
}

/* Does every row of a come before every row of b? */
static bool wholly_before(const plan_order *o, const ordered *a, const ordered *b) {
    return o->descending ? !before(o->kind, &a->lo, &b->hi) : !before(o->kind, &b->lo, &a->hi);
}

static void group(plan_order *o, ordered *const *items, size_t n) {
    const ordered *furthest = NULL; /* of the group: the one that ends last */
    o->ngroups = 0;
    for (size_t i = 0; i < n; i++) {
        if (!furthest || wholly_before(o, furthest, items[i])) {
            o->ngroups++;
            furthest = items[i];
        } else if (ends_before(o, furthest, items[i])) {
            furthest = items[i];
        }
        items[i]->task->view.order_group = o->ngroups - 1;
    }
}

/* ---------------------------------------------------------------- the limit */
/* The file at whose end enough certain rows have come; NULL: there are not enough. */
static const ordered *enough(lake_plan *plan, ordered **by_end, size_t n) {
    int64_t sure = 0;
    for (size_t i = 0; i < n; i++) {
        if (__builtin_add_overflow(sure, by_end[i]->task->sure_rows, &sure))
            sure = INT64_MAX;
        if (sure >= plan->limit.need)
            return by_end[i];
    }
    return NULL;
}

static void cut(lake_plan *plan, const plan_order *o, ordered **items, const ordered *last) {
    size_t kept = 0, n = plan->ntasks;
    plan->limit.sure = 0;
    for (size_t i = 0; i < n; i++) {
        if (plan->limit.need == 0 || (last && wholly_before(o, last, items[i]))) {
            plan_drop_task(items[i]->task, "enough rows come before its first one");
            continue;
        }
        if (__builtin_add_overflow(plan->limit.sure, items[i]->task->sure_rows, &plan->limit.sure))
            plan->limit.sure = INT64_MAX;
        items[kept++] = items[i];
    }
    plan->limit.stopped = kept < n;
    plan->ntasks = kept;
}

lake_status plan_order_apply(lake_plan *plan, lake_error *err) {
    plan_order *o = plan->order;
    size_t n = plan->ntasks;
    if (!o)
        return LAKE_OK;
    ordered *items = LAKE_ARENA_ARRAY(&plan->arena, ordered, n),
            **sorted = LAKE_ARENA_ARRAY(&plan->arena, ordered *, n),
            **spare = LAKE_ARENA_ARRAY(&plan->arena, ordered *, n),
            **by_end = LAKE_ARENA_ARRAY(&plan->arena, ordered *, n);
    if (!items || !sorted || !spare || !by_end)
        return lake_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        items[i] = (ordered){.task = plan->tasks[i], .index = i};
        LAKE_TRY(locate(plan, o, &items[i], err));
        sorted[i] = &items[i];
    }
    ordered **in_order = sort(o, comes_before, sorted, spare, n);
    if (plan->options.has_limit) {
        ordered **other = in_order == sorted ? spare : sorted;
        if (n)
            memcpy(by_end, in_order, n * sizeof *by_end);
        cut(plan, o, in_order, enough(plan, sort(o, ends_before, by_end, other, n), n));
        plan_recount(plan);
    }
    for (size_t i = 0; i < plan->ntasks; i++)
        plan->tasks[i] = in_order[i]->task;
    group(o, in_order, plan->ntasks);
    return LAKE_OK;
}

void plan_order_renumber(lake_plan *plan) {
    size_t last = SIZE_MAX, n = 0;
    if (!plan->order)
        return;
    for (size_t i = 0; i < plan->ntasks; i++) {
        size_t *group = &plan->tasks[i]->view.order_group;
        n += i == 0 || *group != last;
        last = *group;
        *group = n - 1;
    }
    plan->order->ngroups = n;
}

size_t lake_plan_order_groups(const lake_plan *plan) {
    return plan->order ? plan->order->ngroups : 0;
}

int lake_plan_is_ordered(const lake_plan *plan) {
    return plan->order != NULL;
}

void plan_order_json(const lake_plan *plan, lake_buffer *out) {
    const plan_order *o = plan->order;
    lake_buffer name;
    if (!o)
        return;
    lake_buffer_init(&name);
    lake_field_full_name(&name, o->field);
    lake_buffer_puts(out, ",\"order\":{\"column\":");
    lake_json_quote(out, lake_buffer_view(&name));
    out->failed |= name.failed;
    lake_buffer_clear(&name);
    lake_buffer_printf(out, ",\"direction\":\"%s\",\"null-order\":\"nulls-%s\",\"groups\":%zu}",
        o->descending ? "desc" : "asc", o->nulls_first ? "first" : "last", o->ngroups);
}
