// A fake NVRTC library of an unusable version: too old, or without code generation for any current
// GPU.
int nvrtcVersion(int *major, int *minor);
int nvrtcGetNumSupportedArchs(int *count);
int nvrtcGetSupportedArchs(int *known);

int nvrtcVersion(int *major, int *minor)
{
    *major = FAKE_MAJOR;
    *minor = 2;
    return 0;
}

int nvrtcGetNumSupportedArchs(int *count)
{
    *count = 1;
    return 0;
}

int nvrtcGetSupportedArchs(int *known)
{
    known[0] = 990;
    return 0;
}

#define NEVER_CALLED(name) int name(void); int name(void) { return 1; }
NEVER_CALLED(nvrtcCreateProgram)
NEVER_CALLED(nvrtcDestroyProgram)
NEVER_CALLED(nvrtcCompileProgram)
NEVER_CALLED(nvrtcGetCUBINSize)
NEVER_CALLED(nvrtcGetCUBIN)
NEVER_CALLED(nvrtcGetProgramLogSize)
NEVER_CALLED(nvrtcGetProgramLog)
NEVER_CALLED(nvrtcGetErrorString)
