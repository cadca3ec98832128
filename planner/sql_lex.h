/* Tokens of SQL text, one at a time: no list of them is made, so a long text costs no memory beside its tree. */
#ifndef LAKE_PLANNER_SQL_LEX_H
#define LAKE_PLANNER_SQL_LEX_H

#include "base/base.h"

typedef enum lake_sql_token_kind {
    LAKE_SQL_END,
    LAKE_SQL_WORD, /* identifier or keyword */
    LAKE_SQL_QUOTED, /* "identifier": text is between the quotes, still doubled */
    LAKE_SQL_STRING, /* 'text': between the quotes, still doubled */
    LAKE_SQL_HEX, /* X'00ff': the digits */
    LAKE_SQL_NUMBER,
    LAKE_SQL_OPERATOR
} lake_sql_token_kind;

typedef struct lake_sql_token {
    lake_sql_token_kind kind;
    lake_str text;
    size_t begin, end; /* bytes of the input, quotes included */
    char quote; /* QUOTED: '"' or '`' */
} lake_sql_token;

/* Reads the token at or after `at`. USAGE with the place for what is no token: a string without its end, a stray byte.
 */
LAKE_CHECK_RESULT lake_status lake_sql_lex(lake_str text, size_t at, lake_sql_token *out, lake_error *err);
/* Is it this keyword (given in upper case, any case in the text) or operator? */
bool lake_sql_is(const lake_sql_token *token, const char *word);
/* The text with doubled quotes made single. In the arena if there were any. ptr NULL: out of memory. */
lake_str lake_sql_unquote(lake_arena *arena, lake_str text, char quote);

#endif
