"""Wavelet packets: trees whose nodes are split by one level of a transform."""
from itertools import product

import numpy as np

from ._dwt import as_samples, dwt, dwt2, dwt_max_level, dwtn, idwt, idwt2, idwtn
from ._wavelets import Wavelet

_TOGETHER = 1 << 16  # nodes of at most so many samples are split together


def get_graycode_order(level, x="a", y="d"):
    """Paths of a level in the order of their frequencies.

    >>> get_graycode_order(2)
    ['aa', 'ad', 'dd', 'da']
    """
    order = [x, y]
    for _ in range(level - 1):
        order = [x + path for path in order] + [y + path for path in order[::-1]]
    return order


class BaseNode:
    """A node of a tree, with its data (None: empty) and subnodes by name.

    Subclasses set PARTS, the names of subnodes, each with PART_LEN letters, and transform one level:
    _forward() returns a dict of arrays by name, _inverse() takes one with None for missing ones.
    """

    PART_LEN = None
    PARTS = None

    def __init__(self, parent, data, node_name):
        self.parent = parent
        self.wavelet = self.mode = self.axes = None
        self.path, self.level = "", 0
        if parent is not None:
            self.wavelet, self.mode, self.axes = parent.wavelet, parent.mode, parent.axes
            self.path, self.level = parent.path + node_name, parent.level + 1
            self._maxlevel = parent.maxlevel
        self.data = data
        self._data_shape = None if data is None else np.asarray(data).shape
        self._init_subnodes()

    def _init_subnodes(self):
        for part in self.PARTS:
            self._set_node(part, None)

    def _get_node(self, part):
        return getattr(self, part)

    def _set_node(self, part, node):
        setattr(self, part, node)

    def _delete_node(self, part):
        self._set_node(part, None)

    def _make(self, part, data):
        return type(self)._NODE(self, data, part)

    def _create_subnode(self, part, data=None, overwrite=True):
        self._validate_node_name(part)
        if overwrite or self._get_node(part) is None:
            self._set_node(part, self._make(part, data))
        return self._get_node(part)

    def _validate_node_name(self, part):
        if part not in self.PARTS:
            raise ValueError("Subnode name must be in [%s], not '%s'."
                             % (", ".join(repr(p) for p in self.PARTS), part))

    @property
    def path_tuple(self):
        """The names of the nodes from the root to this one."""
        n = self.PART_LEN
        return tuple(self.path[i:i + n] for i in range(0, len(self.path), n))

    @property
    def node_name(self):
        return self.path[-self.PART_LEN:]

    @property
    def maxlevel(self):
        """The largest level: that of the tree, or the most that the data of a node allow. None if unknown."""
        if self._maxlevel is None:
            self._maxlevel = self._evaluate_maxlevel("parent")
        if self._maxlevel is None:
            self._maxlevel = self._evaluate_maxlevel("subnodes")
        return self._maxlevel

    def _evaluate_maxlevel(self, evaluate_from="parent"):
        if self._maxlevel is not None:
            return self._maxlevel
        if self.data is not None:
            return self.level + dwt_max_level(min(self.data.shape), self.wavelet)
        if evaluate_from == "parent":
            return None if self.parent is None else self.parent._evaluate_maxlevel(evaluate_from)
        levels = (node._evaluate_maxlevel(evaluate_from) for node in self._nodes())
        return next((level for level in levels if level is not None), None)

    def _nodes(self):
        """Subnodes that exist."""
        return [node for node in map(self._get_node, self.PARTS) if node is not None]

    def decompose(self):
        """Computes all subnodes from the data, and returns them."""
        if self.level >= self.maxlevel:
            raise ValueError("Maximum decomposition level reached.")
        return self._decompose()

    def _decompose(self):
        parts = dict.fromkeys(self.PARTS) if self.is_empty else self._forward(self.data, self.axes)
        for part in self.PARTS:
            self._create_subnode(part, parts[part], overwrite=not self.is_empty)
        return tuple(map(self._get_node, self.PARTS))

    def reconstruct(self, update=False):
        """The data computed from the subnodes, of which missing ones are 0; without subnodes, the node's own data."""
        if not self.has_any_subnode:
            return self.data
        parts = {part: None if node is None else node.reconstruct()
                 for part, node in ((part, self._get_node(part)) for part in self.PARTS)}
        if all(data is None for data in parts.values()):
            raise ValueError(f"Tree is missing data - all subnodes of `{self.path}` node are None. "
                             "Cannot reconstruct node.")
        x = self._inverse(parts)
        if self._data_shape is not None and x.shape != self._data_shape:
            x = x[tuple(map(slice, self._data_shape))]
        if update:
            self.data = x
        return x

    def get_subnode(self, part, decompose=True):
        """A subnode. A missing one is computed from the data, or None if decompose is false."""
        self._validate_node_name(part)
        if self._get_node(part) is None and decompose and not self.is_empty:
            self.decompose()
        return self._get_node(part)

    def __getitem__(self, path):
        if isinstance(path, tuple) and all(isinstance(part, str) for part in path):
            path = "".join(path)
        if not isinstance(path, str):
            raise TypeError("Invalid path parameter type - expected string or tuple of strings but got "
                            f"{type(path)}.")
        if self.maxlevel is not None and len(path) > self.maxlevel * self.PART_LEN:
            raise IndexError("Path length is out of range.")
        if not path:
            return self
        return self.get_subnode(path[:self.PART_LEN], True)[path[self.PART_LEN:]]

    def __setitem__(self, path, data):
        if not isinstance(path, str):
            raise TypeError(f"Invalid path parameter type - expected string but got {type(path)}.")
        if self.maxlevel is not None and len(self.path) + len(path) > self.maxlevel * self.PART_LEN:
            raise IndexError("Path length out of range.")
        if path:
            self._create_subnode(path[:self.PART_LEN], None, overwrite=False)[path[self.PART_LEN:]] = data
        else:
            self.data = as_samples(data.data if isinstance(data, BaseNode) else data)

    def __delitem__(self, path):
        node = self[path]
        parent, node.parent = node.parent, None
        if parent and node.node_name:
            parent._delete_node(node.node_name)

    @property
    def is_empty(self):
        return self.data is None

    @property
    def has_any_subnode(self):
        return bool(self._nodes())

    def get_leaf_nodes(self, decompose=False):
        """Nodes without subnodes; with decompose, all nodes of the last level."""
        result = []

        def collect(node):
            last = node.level == node.maxlevel and not node.is_empty
            if last or (not decompose and not node.has_any_subnode):
                result.append(node)
                return False
            return True

        if decompose and self.maxlevel is not None:
            self._fill(self.maxlevel)
        self.walk(collect, decompose=decompose)
        return result

    def walk(self, func, args=(), kwargs=None, decompose=True):
        """Calls func(node, *args, **kwargs) for every node, and for its subnodes if that is true."""
        if func(self, *args, **(kwargs or {})) and self.level < self.maxlevel:
            for part in self.PARTS:
                node = self.get_subnode(part, decompose)
                if node is not None:
                    node.walk(func, args, kwargs, decompose)

    def walk_depth(self, func, args=(), kwargs=None, decompose=True):
        """Calls func(node, *args, **kwargs) for every node, subnodes first."""
        if self.level < self.maxlevel:
            for part in self.PARTS:
                node = self.get_subnode(part, decompose)
                if node is not None:
                    node.walk_depth(func, args, kwargs, decompose)
        func(self, *args, **(kwargs or {}))

    def _fill(self, level):
        """Splits nodes down to a level; small nodes of a level are one batch."""
        nodes = [self]
        while nodes and nodes[0].level < level:
            whole = [n for n in nodes if not n.is_empty and not n.has_any_subnode]
            if len(whole) > 1 and len({(np.shape(n.data), n.data.dtype) for n in whole}) == 1 and (
                    whole[0].data.size <= _TOGETHER):
                axes = [a + 1 if a >= 0 else a for a in np.atleast_1d(self.axes)]
                parts = self._forward(np.stack([n.data for n in whole]),
                                      tuple(axes) if np.ndim(self.axes) else axes[0])
                for i, node in enumerate(whole):
                    for part in self.PARTS:
                        node._create_subnode(part, parts[part][i])
            nodes = [node for n in nodes for node in map(n.get_subnode, self.PARTS)
                     if node is not None]

    def _collect(self, level, decompose):
        """The nodes of a level in natural order."""
        if level > self.maxlevel:
            raise ValueError("The level cannot be greater than the maximum decomposition level value "
                             f"({self.maxlevel})")
        result = []

        def collect(node):
            if node.level == level:
                result.append(node)
            return node.level != level

        if decompose:
            self._fill(level)
        self.walk(collect, decompose=decompose)
        return result

    def __str__(self):
        return f"{self.path}: {self.data}"


class _Root:
    """Mixin for the root of a tree: its parameters, and reconstruct() with update."""

    def _begin(self, data, wavelet, mode, maxlevel, axes):
        self.wavelet = wavelet if isinstance(wavelet, Wavelet) else Wavelet(wavelet)
        self.mode, self.axes = mode, axes
        self.data_size = None if data is None else np.shape(data)
        if data is not None and maxlevel is None:
            maxlevel = dwt_max_level(min(self.data_size[a] for a in np.atleast_1d(axes)), self.wavelet)
        self._maxlevel = maxlevel

    def reconstruct(self, update=True):
        """The data computed from the subnodes; by default they replace the data of the root."""
        return super().reconstruct(update)

    def __reduce__(self):
        return type(self), (self.data, self.wavelet, self.mode, self.maxlevel, self.axes)


class Node(BaseNode):
    """A node of signals, with the subnodes a (low-pass) and d."""

    A, D = "a", "d"
    PARTS = A, D
    PART_LEN = 1

    def _forward(self, data, axis):
        return dict(zip(self.PARTS, dwt(data, self.wavelet, self.mode, axis)))

    def _inverse(self, parts):
        return idwt(parts["a"], parts["d"], self.wavelet, self.mode, self.axes)


class Node2D(BaseNode):
    """A node of images, with the subnodes a, h (high-pass along the first axis), v and d."""

    LL, HL, LH, HH = "a", "h", "v", "d"
    PARTS = LL, HL, LH, HH
    PART_LEN = 1

    def _forward(self, data, axes):
        low, details = dwt2(data, self.wavelet, self.mode, axes)
        return dict(zip(self.PARTS, (low, *details)))

    def _inverse(self, parts):
        low, *details = parts.values()
        return idwt2((low, tuple(details)), self.wavelet, self.mode, self.axes)

    def expand_2d_path(self, path):
        """The paths along both axes, of l and h."""
        letters = {"a": "ll", "h": "hl", "v": "lh", "d": "hh"}
        return tuple("".join(letters[p][i] for p in path) for i in range(2))


class NodeND(BaseNode):
    """A node of arrays, with the subnodes aa, ad, ...: a letter for each of the axes."""

    def __init__(self, parent, data, node_name, ndim, ndim_transform):
        self.ndim, self.ndim_transform = ndim, ndim_transform
        self.PART_LEN = ndim_transform
        self.PARTS = dict.fromkeys("".join(key) for key in product("ad", repeat=ndim_transform))
        super().__init__(parent, data, node_name)

    def _init_subnodes(self):
        pass

    def _get_node(self, part):
        return self.PARTS[part]

    def _set_node(self, part, node):
        self._validate_node_name(part)
        self.PARTS[part] = node

    def _make(self, part, data):
        return NodeND(self, data, part, self.ndim, self.ndim_transform)

    def _forward(self, data, axes):
        return dwtn(data, self.wavelet, self.mode, axes)

    def _inverse(self, parts):
        return idwtn(parts, self.wavelet, self.mode, self.axes)


Node._NODE, Node2D._NODE = Node, Node2D


def _check_order(order):
    if order not in ("natural", "freq"):
        raise ValueError(f"Invalid order: {order}")


class WaveletPacket(_Root, Node):
    """Wavelet packets of signals: the root of a tree, whose nodes are computed on first use.

    >>> wp = WaveletPacket([1, 2, 3, 4, 5, 6, 7, 8], "haar")
    >>> wp["ad"].data.round(12).tolist()
    [-2.0, -2.0]
    >>> [node.path for node in wp.get_level(2, "freq")]
    ['aa', 'ad', 'dd', 'da']
    """

    def __init__(self, data, wavelet, mode="symmetric", maxlevel=None, axis=-1):
        super().__init__(None, data, "")
        ndim = np.ndim(data)
        if data is not None:
            if not -ndim <= axis < ndim:
                raise ValueError("Axis greater than data dimensions")
            axis %= ndim
        self._begin(data, wavelet, mode, maxlevel, axis)

    def get_level(self, level, order="natural", decompose=True):
        """The nodes of a level, in the order of the tree or of frequencies."""
        _check_order(order)
        nodes = self._collect(level, decompose)
        if order == "natural":
            return nodes
        found = {node.path: node for node in nodes}
        return [found[path] for path in get_graycode_order(level) if path in found]


class WaveletPacket2D(_Root, Node2D):
    """Wavelet packets of images.

    >>> wp = WaveletPacket2D(np.ones((8, 8)), "haar", maxlevel=2)
    >>> wp["aa"].data.round(12).tolist()
    [[4.0, 4.0], [4.0, 4.0]]
    >>> [[node.path for node in row] for row in wp.get_level(1, "freq")]
    [['a', 'v'], ['h', 'd']]
    """

    def __init__(self, data, wavelet, mode="smooth", maxlevel=None, axes=(-2, -1)):
        super().__init__(None, data, "")
        axes = tuple(axes)
        if len(np.unique(axes)) != 2 or len(axes) != 2:
            raise ValueError("Expected two unique axes.")
        if data is not None and np.ndim(data) < 2:
            raise ValueError("WaveletPacket2D requires data with 2 or more dimensions.")
        self._begin(data, wavelet, mode, maxlevel, axes)

    def get_level(self, level, order="natural", decompose=True):
        """The nodes of a level; for "freq", rows of nodes in the order of frequencies."""
        _check_order(order)
        nodes = self._collect(level, decompose)
        if order == "natural":
            return nodes
        rows = {}
        for node in nodes:
            row, column = self.expand_2d_path(node.path)
            rows.setdefault(row, {})[column] = node
        paths = get_graycode_order(level, "l", "h")
        return [[rows[r][c] for c in paths if c in rows[r]] for r in paths if r in rows]


class WaveletPacketND(_Root, NodeND):
    """Wavelet packets along any axes of an array.

    >>> wp = WaveletPacketND(np.ones((4, 4, 4)), "haar")
    >>> wp.maxlevel, wp["aaa", "aaa"].data.round(12).tolist()
    (2, [[[8.0]]])
    """

    def __init__(self, data, wavelet, mode="smooth", maxlevel=None, axes=None):
        if data is None and axes is None:
            raise ValueError("If data is None, axes must be specified")
        axes = range(np.ndim(data)) if axes is None else axes
        axes = tuple(np.atleast_1d(axes).tolist())
        if len(np.unique(axes)) != len(axes):
            raise ValueError("Expected a set of unique axes.")
        if data is not None and np.ndim(data) == 0:
            raise ValueError("data must be at least 1D")
        if data is not None and np.ndim(data) < len(axes):
            raise ValueError("The number of axes exceeds the number of data dimensions.")
        super().__init__(None, data, "", len(axes) if data is None else np.ndim(data), len(axes))
        self._begin(data, wavelet, mode, maxlevel, axes)

    def get_level(self, level, decompose=True):
        """The nodes of a level, in the order of the tree."""
        return self._collect(level, decompose)
