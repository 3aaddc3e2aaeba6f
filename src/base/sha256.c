#include "sha256.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 64, LENGTH = 8 };

// FIPS 180-4, 4.2.2.
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2};

static uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

// 6.2.2; the names are the standard's.
static void add_block(struct wp_sha256 *sha)
{
    uint32_t w[64];
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)sha->block[4 * t] << 24 | (uint32_t)sha->block[4 * t + 1] << 16 |
               (uint32_t)sha->block[4 * t + 2] << 8 | sha->block[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        const uint32_t x = w[t - 15], y = w[t - 2];
        w[t] = w[t - 16] + w[t - 7] + (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) +
               (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
    }
    uint32_t s[8]; // a to h
    memcpy(s, sha->state, sizeof s);
    for (int t = 0; t < 64; t++) {
        const uint32_t a = s[0], e = s[4];
        const uint32_t t1 = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                            ((e & s[5]) ^ (~e & s[6])) + constants[t] + w[t];
        const uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                            ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        sha->state[i] += s[i];
}

void wp_sha256_begin(struct wp_sha256 *sha)
{
    // 5.3.3.
    *sha = (struct wp_sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void wp_sha256_add(struct wp_sha256 *sha, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        sha->block[sha->length++ % BLOCK] = bytes[i];
        if (sha->length % BLOCK == 0)
            add_block(sha);
    }
}

void wp_sha256_end(struct wp_sha256 *sha, char text[WP_SHA256_TEXT])
{
    // 5.1.1: a one bit, zeros, and the length in bits as the block's last eight bytes.
    const uint64_t bits = 8 * sha->length;
    wp_sha256_add(sha, "\x80", 1);
    while (sha->length % BLOCK != BLOCK - LENGTH)
        wp_sha256_add(sha, "", 1);
    for (int i = LENGTH - 1; i >= 0; i--)
        wp_sha256_add(sha, &(unsigned char){(unsigned char)(bits >> 8 * i)}, 1);
    for (int i = 0; i < 8; i++)
        snprintf(text + (size_t)i * 8, 9, "%08x", (unsigned)sha->state[i]);
}
