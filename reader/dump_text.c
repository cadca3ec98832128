/* Lays out compact JSON as lake_json_print would, without ever having it whole: manifests are large, and maps in them
   may hold a key twice, which a JSON tree refuses. */
#include "reader/dump_text.h"

enum { WRITE_AT = 64 * 1024 };

void lake_dump_begin(lake_dump_out *out, const lake_sink *sink, int indent) {
    *out = (lake_dump_out){.sink = sink, .indent = indent};
}

void lake_dump_clear(lake_dump_out *out) {
    lake_buffer_clear(&out->piece);
    lake_buffer_clear(&out->text);
}

static void new_line(lake_dump_out *out) {
    lake_buffer_char(&out->text, '\n');
    for (int i = 0; i < out->indent * out->depth; i++)
        lake_buffer_char(&out->text, ' ');
}

static void in_string(lake_dump_out *out, char c) {
    lake_buffer_char(&out->text, c);
    if (out->escaped)
        out->escaped = false;
    else if (c == '\\')
        out->escaped = true;
    else if (c == '"')
        out->in_string = false;
}

static void lay_out(lake_dump_out *out, char c) {
    bool close = c == ']' || c == '}';
    if (out->in_string) {
        in_string(out, c);
        return;
    }
    out->depth -= close;
    if (close ? !out->opened : out->opened)
        new_line(out);
    lake_buffer_char(&out->text, c);
    out->opened = c == '[' || c == '{';
    out->depth += out->opened;
    out->in_string = c == '"';
    if (c == ',')
        new_line(out);
    else if (c == ':')
        lake_buffer_char(&out->text, ' ');
}

static lake_status write_text(lake_dump_out *out, lake_error *err) {
    lake_status s = out->text.len ? out->sink->write(out->sink->user, out->text.data, out->text.len, err) : LAKE_OK;
    lake_buffer_reset(&out->text);
    return s;
}

lake_status lake_dump_flush(lake_dump_out *out, lake_error *err) {
    LAKE_TRY(lake_buffer_check(&out->piece, err));
    if (out->indent <= 0)
        lake_buffer_put(&out->text, out->piece.data, out->piece.len);
    for (size_t i = 0; out->indent > 0 && i < out->piece.len; i++)
        lay_out(out, (char)out->piece.data[i]);
    lake_buffer_reset(&out->piece);
    LAKE_TRY(lake_buffer_check(&out->text, err));
    return out->text.len < WRITE_AT ? LAKE_OK : write_text(out, err);
}

lake_status lake_dump_end(lake_dump_out *out, lake_error *err) {
    LAKE_TRY(lake_dump_flush(out, err));
    lake_buffer_char(&out->text, '\n');
    LAKE_TRY(lake_buffer_check(&out->text, err));
    return write_text(out, err);
}

void lake_dump_key(lake_dump_out *out, const char *name) {
    lake_buffer *b = &out->piece;
    if (b->len && b->data[b->len - 1] != '{')
        lake_buffer_char(b, ',');
    lake_json_quote(b, lake_str_of(name));
    lake_buffer_char(b, ':');
}

void lake_dump_long(lake_dump_out *out, const char *name, int64_t v) {
    lake_dump_key(out, name);
    lake_buffer_printf(&out->piece, "%lld", (long long)v);
}

void lake_dump_str(lake_dump_out *out, const char *name, lake_str v) {
    if (!v.ptr)
        return;
    lake_dump_key(out, name);
    lake_json_quote(&out->piece, v);
}

void lake_dump_hex(lake_dump_out *out, const char *name, lake_bytes v) {
    if (!v.ptr)
        return;
    lake_dump_key(out, name);
    lake_buffer_char(&out->piece, '"');
    lake_buffer_hex(&out->piece, v);
    lake_buffer_char(&out->piece, '"');
}
