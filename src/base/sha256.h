// SHA-256, as FIPS 180-4 defines it.
#ifndef WP_SHA256_H
#define WP_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { WP_SHA256_TEXT = 65 }; // 64 hexadecimal digits and the end

struct wp_sha256 {
    uint32_t state[8];
    uint64_t length; // bytes added
    unsigned char block[64];
};

void wp_sha256_begin(struct wp_sha256 *sha);
void wp_sha256_add(struct wp_sha256 *sha, const void *data, size_t size);
void wp_sha256_end(struct wp_sha256 *sha, char text[WP_SHA256_TEXT]);

#endif
