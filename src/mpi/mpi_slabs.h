// Which rows of a level each of several processes owns, and which of the others' it reads. All of
// it follows from where the slabs begin, so that every process knows all messages.
//
// A slab of samples is first..first+count-1; of the level's bands it has the rows of those pairs of
// rows, quads, whose even row it owns. That makes slabs of the next level, which need not be even.
#ifndef WP_MPI_SLABS_H
#define WP_MPI_SLABS_H

#include "lifting.h"

// Rows of samples, or of coefficients interleaved: an even number is a row of LL and HL, an odd one
// of LH and HH. With wrapping they may go on at row 0.
struct wp_slab_rows {
    int first, count;
};

// Quads of a slab that are computed together, and the rows that they read: `rows` of them count,
// and around these lie others that a sweep looks at for what nobody wants.
struct wp_slab_part {
    struct wp_slab_rows quads, rows, room;
};

// The part whose rows are all its own, and those above and below, which may be all.
enum { WP_SLAB_ABOVE, WP_SLAB_BELOW, WP_SLAB_INSIDE, WP_SLAB_PARTS };

struct wp_slabs {
    enum wp_direction direction;
    enum wp_extension extension;
    int before, after; // pairs that a quad reads beyond itself
    int around;        // pairs beyond these, at either end, that a sweep looks at
    int height;        // of the level, in rows
    bool whole;        // a process computes all its quads in one part, WP_SLAB_ABOVE
    int ranks;
    const int *start;  // [ranks + 1]: of each slab of samples; the last one is the height
};

// A level under a lifting program; `along` tells whether it has steps along y.
struct wp_slabs wp_slabs_of(const struct wp_lifting *lifting, bool along, int around, int height,
                            int ranks, const int *start);

// Where the slabs of the next level begin, [ranks + 1].
void wp_slabs_next(const struct wp_slabs *slabs, int *start);

// Rows that a process has before the level: forward samples, inverse coefficients.
struct wp_slab_rows wp_slabs_rows_of_rank(const struct wp_slabs *slabs, int rank);

// Quads that it has the bands of.
struct wp_slab_rows wp_slabs_quads(const struct wp_slabs *slabs, int rank);

// Parts without quads have none of either.
struct wp_slab_part wp_slabs_part(const struct wp_slabs *slabs, int rank, int part);

// What part `part` of a process reads of another one's rows: up to two runs of them, in the order
// in which `rows` has them.
enum { WP_SLAB_RUNS = 2 };
int wp_slabs_runs(const struct wp_slabs *slabs, int rank, int part, int owner,
                  struct wp_slab_rows run[WP_SLAB_RUNS]);

// Row `row` of a level counted from the first of `rows`, around the end where they go on at 0.
int wp_slabs_locate(const struct wp_slabs *slabs, const struct wp_slab_rows *rows, int row);

#endif
