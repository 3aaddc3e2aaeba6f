// Clocks, temperature and throttling of an NVIDIA GPU, as its driver's management library (NVML)
// tells them. Where there is none, everything here does nothing.
#ifndef WP_GPU_STATE_H
#define WP_GPU_STATE_H

#include <stdbool.h>

struct wp_gpu_state;
struct json_t;

// Finds the GPU whose name is part of one of the devices' names, and notes its state. NULL where
// there is none.
struct wp_gpu_state *wp_gpu_state_open(const char *const devices[], int count);
void wp_gpu_state_close(struct wp_gpu_state **state); // accepts NULL, clears the pointer

// The GPU runs slower than its power limit and load would have it: it is too hot, or told to.
bool wp_gpu_state_throttled(const struct wp_gpu_state *state);

// What was noted at the beginning and is now; JSON null without a GPU.
struct json_t *wp_gpu_state_json(const struct wp_gpu_state *state);

#endif
