// The level and the tiles that a view of a large image requests, compared with brute force, and the
// tile cache.
#include "pyramid.h"

#include "random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { CAPACITY = 900 };

static double draw(struct wp_random *random, double least, double most)
{
    return least + (most - least) * wp_random_uniform(random);
}

static int draw_side(struct wp_random *random)
{
    return (int)exp(draw(random, 0, log(100000)));
}

static struct wp_pyramid draw_pyramid(struct wp_random *random)
{
    const int width = draw_side(random), height = draw_side(random);
    return wp_pyramid_source(width, height, (int)draw(random, 0, 9), draw(random, -0.5, 1));
}

static struct wp_pyramid_view draw_view(struct wp_random *random, const struct wp_pyramid *p)
{
    return (struct wp_pyramid_view){
        .x = draw(random, -0.2 * p->width, 1.2 * p->width),
        .y = draw(random, -0.2 * p->height, 1.2 * p->height),
        .zoom = exp(draw(random, log(1e-3), log(64))),
        .width = floor(draw(random, 1, 4000)), .height = floor(draw(random, 1, 2200))};
}

static int halved(int size, int levels)
{
    for (; levels > 0; levels--)
        size = size / 2 + size % 2;
    return size;
}

static void sizes(void **state)
{
    (void)state;
    struct wp_random random = wp_random_of(1);
    for (int i = 0; i < 1000; i++) {
        const struct wp_pyramid p = draw_pyramid(&random);
        for (int l = 0; l <= p.levels; l++) {
            const int width = halved(p.width, l), height = halved(p.height, l);
            assert_int_equal(wp_pyramid_size(p.width, l), width);
            assert_int_equal(wp_pyramid_size(p.height, l), height);
            // Only the last level is a single tile.
            assert_int_equal(width <= 256 && height <= 256, l == p.levels);
            // Tiles cover the level, and none is empty.
            const int columns = wp_pyramid_tiles(p.width, l), rows = wp_pyramid_tiles(p.height, l);
            const struct wp_pyramid_part last =
                wp_pyramid_part(&p, (struct wp_pyramid_tile){l, columns - 1, rows - 1});
            assert_int_equal(last.x + last.width, width);
            assert_int_equal(last.y + last.height, height);
            assert_true(last.width > 0 && last.height > 0);
            assert_true(last.width <= 256 && last.height <= 256);
        }
    }
}

// Centers of samples, computed from those of the level before.
static void origins(void **state)
{
    (void)state;
    struct wp_random random = wp_random_of(2);
    for (int i = 0; i < 200; i++) {
        const struct wp_pyramid p = draw_pyramid(&random);
        double first = 0.5, apart = 1; // center of sample 0, and distance to the next
        for (int l = 0; l <= p.levels; l++) {
            assert_true(fabs(wp_pyramid_origin(&p, l) + 0.5 * apart - first) <= 1e-9 * apart);
            first += (l < p.stored ? p.phase : 0.5) * apart;
            apart *= 2;
        }
    }
}

static bool is_in(const struct wp_pyramid_tile tile[], size_t count,
                  struct wp_pyramid_tile searched)
{
    bool found = false;
    for (size_t i = 0; i < count; i++)
        found = found || (tile[i].level == searched.level && tile[i].column == searched.column &&
                          tile[i].row == searched.row);
    return found;
}

// The tile of a level that contains the center of a pixel; false if the pixel is outside the image.
static bool tile_at(const struct wp_pyramid *p, const struct wp_pyramid_view *v, int level,
                    double px, double py, struct wp_pyramid_tile *tile)
{
    const double unit = ldexp(1, level), origin = wp_pyramid_origin(p, level);
    const double x = floor((v->x + (px - 0.5 * v->width) / v->zoom - origin) / unit);
    const double y = floor((v->y + (py - 0.5 * v->height) / v->zoom - origin) / unit);
    if (x < 0 || y < 0 || x >= halved(p->width, level) || y >= halved(p->height, level))
        return false;
    *tile = (struct wp_pyramid_tile){level, (int)x / 256, (int)y / 256};
    return true;
}

static void assert_meets(const struct wp_pyramid *p, const struct wp_pyramid_view *v,
                         struct wp_pyramid_tile tile)
{
    const double unit = ldexp(1, tile.level), origin = wp_pyramid_origin(p, tile.level);
    const struct wp_pyramid_part part = wp_pyramid_part(p, tile);
    const double reach = 1 + 1e-6; // pixels outside the window
    const double half[2] = {(0.5 * v->width + reach) / v->zoom,
                            (0.5 * v->height + reach) / v->zoom};
    assert_true(origin + unit * part.x <= v->x + half[0]);
    assert_true(origin + unit * (part.x + part.width) >= v->x - half[0]);
    assert_true(origin + unit * part.y <= v->y + half[1]);
    assert_true(origin + unit * (part.y + part.height) >= v->y - half[1]);
}

// Exactly the visible tiles are requested, each once.
static void views(void **state)
{
    (void)state;
    static struct wp_pyramid_tile tile[CAPACITY];
    struct wp_random random = wp_random_of(3);
    int met = 0;
    for (int i = 0; i < 3000; i++) {
        const struct wp_pyramid p = draw_pyramid(&random);
        const struct wp_pyramid_view v = draw_view(&random, &p);
        const size_t most = (size_t)draw(&random, WP_PYRAMID_LEAST, CAPACITY);
        int level;
        const size_t count = wp_pyramid_request(&p, &v, tile, most, &level);
        assert_in_range(count, 1, most);
        assert_true(is_in(tile, 1, (struct wp_pyramid_tile){p.levels, 0, 0}));
        for (size_t t = 0; t < count; t++) {
            assert_false(is_in(tile, t, tile[t]));
            assert_in_range(tile[t].level, level, p.levels);
            if (t > 0)
                assert_meets(&p, &v, tile[t]);
        }
        for (int n = 0; n < 200; n++) {
            struct wp_pyramid_tile expected;
            // Includes the pixels at the edges of the window.
            const double px = n < 4 ? 0.5 + (n & 1) * (v.width - 1) : draw(&random, 0, v.width);
            const double py = n < 4 ? 0.5 + n / 2 * (v.height - 1) : draw(&random, 0, v.height);
            if (tile_at(&p, &v, level, px, py, &expected)) {
                assert_true(is_in(tile, count, expected));
                met++;
            }
        }
    }
    assert_true(met > 10000);
}

// Samples are at most one pixel wide and more than half a pixel, unless the tiles exceed the
// capacity or there is no such level.
static void levels(void **state)
{
    (void)state;
    static struct wp_pyramid_tile tile[1 << 16];
    struct wp_random random = wp_random_of(4);
    int coarser = 0;
    for (int i = 0; i < 3000; i++) {
        const struct wp_pyramid p = draw_pyramid(&random);
        const struct wp_pyramid_view v = draw_view(&random, &p);
        const size_t most = (size_t)draw(&random, 4, 300);
        const int level = wp_pyramid_level(&p, &v, most);
        const size_t count =
            wp_pyramid_find_visible(&p, &v, level, tile, sizeof tile / sizeof *tile);
        assert_true(count <= most);
        assert_true(level == p.levels || v.zoom * ldexp(1, level + 1) > 1);
        if (level > 0 && v.zoom * ldexp(1, level) > 1) {
            // The next finer level exceeds the capacity.
            assert_true(wp_pyramid_find_visible(&p, &v, level - 1, tile,
                                                sizeof tile / sizeof *tile) > most);
            coarser++;
        }
    }
    assert_true(coarser > 20);
}

static void ordered_from_the_center(void **state)
{
    (void)state;
    static struct wp_pyramid_tile tile[CAPACITY];
    const struct wp_pyramid p = wp_pyramid_source(10000, 10000, 5, 0);
    const struct wp_pyramid_view v = {5000, 4000, 1, 1200, 800};
    const size_t count = wp_pyramid_find_visible(&p, &v, 0, tile, CAPACITY);
    double before = 0;
    assert_in_range(count, 20, 35);
    for (size_t i = 0; i < count; i++) {
        const double distance = hypot((tile[i].column + 0.5) * 256 - 5000,
                                      (tile[i].row + 0.5) * 256 - 4000);
        assert_true(distance >= before - 1);
        before = distance;
    }
    assert_int_equal(tile[0].column, 5000 / 256);
    assert_int_equal(tile[0].row, 4000 / 256);
}

static struct wp_pyramid_tile number(int i)
{
    return (struct wp_pyramid_tile){i % 3, i / 3 % 7, i / 21};
}

static size_t used_slots(const struct wp_pyramid_cache *cache)
{
    size_t count = 0;
    for (size_t i = 0; i < cache->slots; i++)
        count += cache->slot[i].tile.level >= 0;
    return count;
}

// Compared with the order of the latest requests.
static void cache(void **state)
{
    (void)state;
    enum { SLOTS = 20, TILES = 60, REQUESTED = 8 };
    struct wp_pyramid_cache c = wp_pyramid_cache_create(SLOTS);
    struct wp_random random = wp_random_of(5);
    unsigned last[TILES] = {0};
    bool cached[TILES] = {false};
    size_t count = 0;
    for (unsigned round = 1; round < 2000; round++) {
        struct wp_pyramid_tile request[REQUESTED];
        int index[REQUESTED];
        for (int i = 0; i < REQUESTED; i++) {
            index[i] = (int)draw(&random, 0, TILES);
            request[i] = number(index[i]);
            last[index[i]] = round;
        }
        wp_pyramid_cache_request(&c, request, REQUESTED);
        for (int i = 0; i < REQUESTED; i++) {
            const int found = wp_pyramid_cache_find(&c, request[i]);
            assert_int_equal(found >= 0, cached[index[i]]);
            if (found >= 0)
                continue;
            const int slot = wp_pyramid_cache_put(&c, request[i]);
            assert_in_range(slot, 0, SLOTS - 1);
            cached[index[i]] = true;
            count++;
            // If the cache was full, one of the least recently requested tiles was evicted.
            int evicted = -1;
            for (int t = 0; t < TILES; t++)
                if (cached[t] && wp_pyramid_cache_find(&c, number(t)) < 0) {
                    assert_int_equal(evicted, -1);
                    evicted = t;
                }
            assert_int_equal(evicted >= 0, count > SLOTS);
            for (int t = 0; t < TILES && evicted >= 0; t++)
                assert_true(!cached[t] || last[evicted] <= last[t]);
            if (evicted >= 0) {
                cached[evicted] = false;
                count--;
            }
            assert_int_equal(used_slots(&c), count);
        }
    }
    wp_pyramid_cache_clear(&c);
    assert_int_equal(used_slots(&c), 0);
    wp_pyramid_cache_free(&c);
}

// Requested tiles are not evicted.
static void full_cache(void **state)
{
    (void)state;
    enum { SLOTS = 4 };
    struct wp_pyramid_cache c = wp_pyramid_cache_create(SLOTS);
    struct wp_pyramid_tile request[SLOTS];
    for (int i = 0; i < SLOTS; i++)
        request[i] = number(i);
    wp_pyramid_cache_request(&c, request, SLOTS);
    for (int i = 0; i < SLOTS; i++)
        assert_true(wp_pyramid_cache_put(&c, request[i]) >= 0);
    assert_int_equal(wp_pyramid_cache_put(&c, number(SLOTS)), -1);
    wp_pyramid_cache_request(&c, request, SLOTS - 1);
    assert_true(wp_pyramid_cache_put(&c, number(SLOTS)) >= 0);
    assert_int_equal(wp_pyramid_cache_find(&c, number(SLOTS - 1)), -1);
    wp_pyramid_cache_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),           cmocka_unit_test(origins),
        cmocka_unit_test(views),           cmocka_unit_test(levels),
        cmocka_unit_test(ordered_from_the_center), cmocka_unit_test(cache),
        cmocka_unit_test(full_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
