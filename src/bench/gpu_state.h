// Clocks, temperature and throttling of an NVIDIA GPU, from the driver's management library (NVML).
#ifndef WP_GPU_STATE_H
#define WP_GPU_STATE_H

#include <stdbool.h>

struct wp_gpu_state;
struct json_t;

// Finds the first GPU whose name is part of one of the devices' names, and stores its state. NULL
// if there is none or NVML is not available.
struct wp_gpu_state *wp_gpu_state_open(const char *const devices[], int count);
void wp_gpu_state_close(struct wp_gpu_state **state); // accepts NULL, clears the pointer

// True if the GPU lowers its clocks because of temperature or an external signal. Accepts NULL.
bool wp_gpu_state_throttled(const struct wp_gpu_state *state);

// Returns an object with the stored and the current state; null for NULL.
struct json_t *wp_gpu_state_json(const struct wp_gpu_state *state);

#endif
