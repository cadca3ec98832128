/* The inside of cli_table, for the file that builds it and the one that prints it. */
#ifndef LAKE_CLI_TEXT_TABLE_H
#define LAKE_CLI_TEXT_TABLE_H

#include "cli.h"

struct cli_table {
    size_t width;
    const char *const *heads;
    const int *flags;
    cli_text cells; /* NUL-ended, one after the other */
    size_t ncells;
    size_t *widest; /* of the cells of each column */
    size_t *widths; /* of the columns, once laid out */
    char *has_value; /* is there a cell that is not "-"? */
    cli_text prefix; /* that all cells of the CLI_PATH column share so far */
};

#endif
