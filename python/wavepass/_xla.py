"""A handler of XLA's foreign function interface (version 0 of its C API), by ctypes.

The structs are the leading members of those that XLA passes. Each begins with its size and a list of
extensions, so that later versions can only add members at the end.
"""

import ctypes

from . import _dense

_SIZE, _POINTER = ctypes.c_size_t, ctypes.c_void_p
_HEAD = [("size", _SIZE), ("extension", _POINTER)]


class _Buffer(ctypes.Structure):
    _fields_ = [*_HEAD, ("type", ctypes.c_int), ("data", _POINTER), ("rank", ctypes.c_int64),
                ("dims", ctypes.POINTER(ctypes.c_int64))]


class _List(ctypes.Structure):  # arguments, results
    _fields_ = [*_HEAD, ("count", ctypes.c_int64), ("types", _POINTER),
                ("items", ctypes.POINTER(_POINTER))]


class _Span(ctypes.Structure):
    _fields_ = [("data", _POINTER), ("length", _SIZE)]


class _Attributes(ctypes.Structure):
    _fields_ = [*_HEAD, ("count", ctypes.c_int64), ("types", _POINTER),
                ("names", ctypes.POINTER(ctypes.POINTER(_Span))),
                ("items", ctypes.POINTER(ctypes.POINTER(_Span)))]


class _ErrorArguments(ctypes.Structure):
    _fields_ = [*_HEAD, ("message", ctypes.c_char_p), ("code", ctypes.c_int)]


class _StreamArguments(ctypes.Structure):
    _fields_ = [*_HEAD, ("context", _POINTER), ("stream", _POINTER)]


class _OrdinalArguments(ctypes.Structure):
    _fields_ = [*_HEAD, ("context", _POINTER), ("ordinal", ctypes.c_int32)]


class _Version(ctypes.Structure):
    _fields_ = [*_HEAD, ("major", ctypes.c_int), ("minor", ctypes.c_int)]


_FUNCTIONS = ("error_create", "error_message", "error_destroy", "register", "stream_get",
              "type_register", "context_get", "state_set", "state_get", "allocate", "free", "schedule",
              "threads", "future_create", "future_set", "future_fail", "run_id", "ordinal_get")


class _Api(ctypes.Structure):
    _fields_ = [*_HEAD, ("version", _Version), ("internal", _POINTER),
                *((name, _POINTER) for name in _FUNCTIONS)]


class _Metadata(ctypes.Structure):
    _fields_ = [("size", _SIZE), ("version", _Version), ("traits", ctypes.c_uint32)]


class _Extension(ctypes.Structure):
    _fields_ = [("size", _SIZE), ("type", ctypes.c_int), ("next", _POINTER),
                ("metadata", ctypes.POINTER(_Metadata))]


class _Frame(ctypes.Structure):
    _fields_ = [("size", _SIZE), ("extension", ctypes.POINTER(_Extension)),
                ("api", ctypes.POINTER(_Api)), ("context", _POINTER), ("stage", ctypes.c_int),
                ("arguments", _List), ("results", _List), ("attributes", _Attributes)]


_METADATA = 1  # the type of extension that asks for the version of the API
_MAJOR, _MINOR = 0, 1  # the least version that has these members
_INVALID_ARGUMENT, _EXHAUSTED, _INTERNAL = 3, 8, 13  # codes of errors
_TYPES = {11: "float32", 12: "float64", 10: "float16", 16: "bfloat16"}


def _call(frame, name, arguments):
    """Calls a function of the API, which returns an error or NULL."""
    address = getattr(frame.api.contents, name)
    return ctypes.CFUNCTYPE(_POINTER, _POINTER)(address)(ctypes.addressof(arguments))


def _attributes(frame):
    """The attributes, which all are strings."""
    attributes = frame.attributes
    text = {}
    for i in range(attributes.count):
        name, value = (ctypes.string_at(span.data, span.length).decode()
                       for span in (attributes.names[i].contents, attributes.items[i].contents))
        text[name] = value
    return text


def _array(address):
    """The address of a buffer's elements, their type, and the shape."""
    buffer = _Buffer.from_address(address)
    return buffer.data or 0, _TYPES[buffer.type], tuple(buffer.dims[:buffer.rank])


def _execute(frame, on_device):
    attributes = _attributes(frame)
    spec = _dense.parse(attributes["spec"])
    inverse, adjoint = attributes["inverse"] == "True", attributes["adjoint"] == "True"
    source, kind, shape = _array(frame.arguments.items[0])
    target, _, out_shape = _array(frame.results.items[0])
    image = (out_shape if inverse else shape)[-spec.rank:]
    device, stream = None, None
    if on_device:
        size = ctypes.sizeof(_StreamArguments)
        handle = _StreamArguments(size=size, context=frame.context)
        _check(_call(frame, "stream_get", handle))
        ordinal = _OrdinalArguments(size=_OrdinalArguments.ordinal.offset + 4, context=frame.context)
        if frame.api.contents.size > _Api.ordinal_get.offset:  # older versions: the first device
            _check(_call(frame, "ordinal_get", ordinal))
        device, stream = ordinal.ordinal, handle.stream or 0
    run = _dense.run(spec, shape, image, inverse, adjoint, device)
    if not run.is_empty:
        run(kind, source, shape, _dense.dense_strides(shape), target, stream)


def _check(error):
    if error:
        raise RuntimeError("XLA does not tell the stream or the device of a call")


def _error(frame, error):
    """An error of XLA for an exception. XLA frees it."""
    code = (_INVALID_ARGUMENT if isinstance(error, (ValueError, TypeError)) else
            _EXHAUSTED if isinstance(error, MemoryError) else _INTERNAL)
    size = _ErrorArguments.code.offset + ctypes.sizeof(ctypes.c_int)
    arguments = _ErrorArguments(size=size, message=f"wavepass: {error}".encode(), code=code)
    return _call(frame, "error_create", arguments)


def _handle(frame, on_device):
    extension = frame.extension
    if extension and extension.contents.type == _METADATA:
        version = extension.contents.metadata.contents.version
        version.major, version.minor = _MAJOR, _MINOR
        return None
    try:
        _execute(frame, on_device)
    except BaseException as error:  # no exception may leave a callback of C
        return _error(frame, error)
    return None


_HANDLER = ctypes.CFUNCTYPE(_POINTER, ctypes.POINTER(_Frame))


@_HANDLER
def on_cpu(frame):
    """Transforms buffers of the host."""
    return _handle(frame.contents, False)


@_HANDLER
def on_cuda(frame):
    """Transforms buffers of a CUDA device, in the stream of the call."""
    return _handle(frame.contents, True)
