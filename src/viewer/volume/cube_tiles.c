// The subbands as a solid cube: the lowpass band at the front corner, seven octants per level
// around it, drawn on three faces.
#include "extract.h"

#include <math.h>

// Minimum thickness of a slab, relative to its longest edge.
static const float THINNEST = 0.35F;

// View direction: angles to the right of the front face and above it.
static const float TURNED = 0.66F, RAISED = 0.54F; // in radians

// Directions of the edges from the front corner; mirrored if seen from behind. Each face is named
// after the edge that it is perpendicular to.
enum direction { RIGHT, DOWN, LEFT, DIRECTIONS };

static const float shades[2][DIRECTIONS] = {
    {[RIGHT] = 0.84F, [DOWN] = 0.92F, [LEFT] = 1}, {[RIGHT] = 0.88F, [DOWN] = 0.76F, [LEFT] = 1}};

struct cube {
    struct wp_volume_group group;
    int level;                     // finest level shown
    int axis[DIRECTIONS];                // of the volume, by direction
    bool flip[WP_DIMS_MAX];        // samples of bands are mirrored along the axis
    int size[WP_DIMS_MAX];         // samples
    float edge[WP_DIMS_MAX][2];    // on the screen, per view unit along the axis
    float corner[2];               // front corner
};

// Patients are shown upright, with the front of the head on the front face. Other volumes have the
// usual slice (x, y) there.
static void face_axes(const struct wp_viewer *v, struct cube *c)
{
    const struct wp_geometry *geometry = &v->source[WP_A].geometry;
    c->axis[RIGHT] = WP_X;
    c->axis[DOWN] = WP_Y;
    c->axis[LEFT] = WP_Z;
    for (int axis = 0; axis < WP_DIMS_MAX; axis++) {
        const struct wp_orientation f = wp_orientation_of(geometry, axis, v->state.radiological);
        const bool sagittal = f.letter[0] == 'A', coronal = !sagittal && f.letter[2] == 'S';
        if (coronal) {
            c->axis[RIGHT] = f.across;
            c->axis[DOWN] = f.down;
            c->axis[LEFT] = f.axis;
        }
        for (int i = 0; i < 2 && (sagittal || coronal); i++)
            c->flip[i ? f.down : f.across] = f.flip[i];
    }
}

// Orthographic projection.
static void project(const struct wp_viewer *v, struct cube *c, float extent[2])
{
    const float mirror = v->state.behind ? -1 : 1;
    const float direction[DIRECTIONS][2] = {
        [RIGHT] = {mirror * cosf(TURNED), -sinf(TURNED) * sinf(RAISED)},
        [DOWN] = {0, cosf(RAISED)},
        [LEFT] = {-mirror * sinf(TURNED), -cosf(TURNED) * sinf(RAISED)},
    };
    float length[WP_DIMS_MAX], longest = 0, least[2] = {0}, most[2] = {0};
    for (int a = 0; a < WP_DIMS_MAX; a++) {
        length[a] = v->slices.unit[a] * (float)c->size[a];
        longest = fmaxf(longest, length[a]);
    }
    for (int w = 0; w < DIRECTIONS; w++) {
        const int a = c->axis[w];
        const float stretch = fmaxf(1, THINNEST * longest / length[a]);
        for (int i = 0; i < 2; i++) {
            c->edge[a][i] = stretch * direction[w][i];
            least[i] += fminf(0, c->edge[a][i] * length[a]);
            most[i] += fmaxf(0, c->edge[a][i] * length[a]);
        }
    }
    for (int i = 0; i < 2; i++) {
        c->corner[i] = -least[i];
        extent[i] = most[i] - least[i];
    }
}

// Adds all bands that reach the face perpendicular to an edge.
static void add_face(struct wp_viewer *v, struct wp_pane *pane, const struct cube *c,
                     enum direction direction)
{
    const int axis = c->axis[direction], across = c->axis[direction == RIGHT ? LEFT : RIGHT];
    const int down = c->axis[direction == DOWN ? LEFT : DOWN];
    const struct wp_orientation orientation = {.axis = axis, .across = across, .down = down,
                                     .flip = {c->flip[across], c->flip[down]}, .name = ""};
    const float offset = v->state.behind ? v->slices.unit[axis] * (float)c->size[axis] : 0;
    const struct wp_face face = {
        .origin = {c->corner[0] + offset * c->edge[axis][0],
                   c->corner[1] + offset * c->edge[axis][1]},
        .across = {c->edge[across][0], c->edge[across][1]},
        .down = {c->edge[down][0], c->edge[down][1]},
        .shade = shades[v->state.behind][direction],
    };
    for (int i = 0; i < wp_subband_count(&c->group.d); i++) {
        enum wp_band band;
        const int level = wp_subband_at(&c->group.d, i, &band);
        struct wp_extract extract = wp_extract_of(&c->group, level, band);
        const int first = extract.first[axis] - (axis == WP_Z ? c->group.first : 0);
        const bool reaches = v->state.behind ? first + extract.size[axis] == c->size[axis]
                                             : first == 0;
        if (level < c->level || !reaches || extract.size[axis] == 0)
            continue;
        extract.x = (float)(extract.first[across] - (across == WP_Z ? c->group.first : 0));
        extract.y = (float)(extract.first[down] - (down == WP_Z ? c->group.first : 0));
        extract.arranged = true;
        wp_extract_take_slice(&c->group, &extract, axis);
        struct wp_tile *tile = wp_extract_add(v, pane, &orientation, &extract);
        if (tile)
            tile->face = face;
    }
}

// Each tile is a slice of its band at the crosshair. Seen from
// behind, the front corner is the all-highpass band of the selected level.
void wp_cube_add(struct wp_viewer *v, struct wp_pane *pane)
{
    const int depth = wp_description_depth(&v->instance[WP_A]->description);
    struct cube c = {.group = wp_volume_group(v, v->state.cross[WP_Z] / depth, WP_Z)};
    const struct wp_description *d = &c.group.d;
    const int deepest = wp_description_levels(d); // a shorter last group may have fewer
    c.level = !v->state.behind ? 1 : v->state.level < deepest ? v->state.level : deepest;
    for (int a = 0; a < WP_DIMS_MAX; a++)
        c.size[a] = wp_volume_size(d, a, c.level - 1);
    face_axes(v, &c);
    project(v, &c, pane->extent);
    pane->independent = pane->solid = true;
    for (int direction = 0; direction < DIRECTIONS; direction++)
        add_face(v, pane, &c, (enum direction)direction);
}
