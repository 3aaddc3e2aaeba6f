"""Wavelet packets: PyWavelets' numbers, trees, the best basis by brute force."""
import pickle

import numpy as np
import pytest
import pywt
import wavepass as wp

RNG = np.random.default_rng(5)
COSTS = {
    'shannon': lambda c: -np.sum(c[c != 0]**2 * np.log(c[c != 0]**2)),
    'log-energy': lambda c: np.sum(np.log(c[c != 0]**2)),
    'threshold': lambda c: np.count_nonzero(abs(c) > 0.4),
    'norm': lambda c: np.sum(abs(c)**1.5),
}
PARAMETERS = {'threshold': 0.4, 'norm': 1.5}


def names(rank, levels):
    """The names of the nodes of a level in the order of the digits of a tree."""
    one = {1: ['a', 'd'], 2: list('avhd'), 3: ['aaa', 'aad', 'ada', 'add', 'daa', 'dad', 'dda', 'ddd']}[rank]
    found = ['']
    for _ in range(levels):
        found = [before + name for before in found for name in one]
    return found


def theirs(x, wavelet, levels, axes):
    packets = {1: pywt.WaveletPacket, 2: pywt.WaveletPacket2D, 3: pywt.WaveletPacketND}[len(axes)]
    where = {'axis': axes[0]} if len(axes) == 1 else {'axes': axes}
    return packets(x, wavelet, 'periodization', levels, **where)


@pytest.mark.parametrize('wavelet', ['haar', 'db2', 'db4', 'coif1', 'bior2.2', 'bior4.4', 'rbio3.1'])
@pytest.mark.parametrize('dtype, most', [('float64', 1e-12), ('float32', 1e-6)])
def test_numbers_of_pywavelets(wavelet, dtype, most):
    for shape, axes, levels in (((64,), (0,), 4), ((3, 32), (1,), 3), ((32, 48), (0, 1), 3), ((16, 3, 32), (0, 2), 2),
                                ((16, 8, 24), (0, 1, 2), 2)):
        x = RNG.standard_normal(shape).astype(dtype)
        tree = theirs(x.astype('float64'), wavelet, levels, axes)
        c = wp.wavedecn(x, wavelet, levels, axes, border='periodic', norm='pywt', bank='packets')
        assert list(c) == names(len(axes), levels)
        digits = 20 if wavelet == 'bior4.4' and dtype == 'float64' else 1  # its taps in PyWavelets are less exact
        largest = digits * max(abs(tree[name].data).max() for name in c)
        for name in c:
            assert abs(c[name] - tree[name].data).max() <= most * largest, (shape, name)
        assert abs(wp.waverecn(c) - x).max() <= 50 * most


@pytest.mark.parametrize('border, wavelet', [('symmetric', 'cdf97'), ('symmetric', 'cdf53'), ('periodic', 'db3')])
@pytest.mark.parametrize('shape, axes', [((64,), (0,)), ((40, 24), (0, 1)), ((8, 16, 24), (0, 1, 2)), ((5, 8, 16), (1, 2))])
def test_every_node_is_split_alike(border, wavelet, shape, axes):
    """A level of packets is one level of the decimated bank of each node; trees have its leaves."""
    x = RNG.standard_normal(shape)
    letters = {'a': 'LL', 'v': 'HL', 'h': 'LH', 'd': 'HH'}
    rank = len(axes)

    def split(band):
        c = wp.dwtn(band, wavelet, axes, border=border)
        if rank == 2:
            return {name: c['LL'] if name == 'a' else c[letters[name], 1] for name in 'avhd'}
        key = {'a': 'L', 'd': 'H'}
        return {name: c['L' * rank] if set(name) == {'a'} else c[''.join(key[n] for n in reversed(name)), 1]
                for name in names(rank, 1)}

    nodes = {'': x}
    for name in names(rank, 1):
        nodes.update({name: split(x)[name]})
        nodes.update({name + more: band for more, band in split(nodes[name]).items()})
    full = wp.wavedecn(x, wavelet, 2, axes, border=border, bank='packets')
    for name in full:
        assert np.allclose(full[name], nodes[name], rtol=0, atol=1e-12), name
    some = ''.join(RNG.choice(list('01'), 2**rank))
    for tree in ('1' + some, '1' + '0' * 2**rank, '0', '1' * (1 + 2**rank)):
        c = wp.wavedecn(x, wavelet, 2, axes, border=border, bank='packets', tree=tree)
        assert len(c) == 1 + (2**rank - 1) * tree.count('1')
        for name in c:
            assert np.allclose(c[name], nodes[name], rtol=0, atol=1e-12), (tree, name)
        assert np.allclose(wp.waverecn(c), x, rtol=0, atol=1e-12)


@pytest.mark.parametrize('shape', [(37,), (21, 30), (31, 31), (9, 10, 13)])
def test_odd_sizes(shape):
    x = RNG.standard_normal(shape)
    for tree in (None, '1' + '10' * 2**(len(shape) - 1), '1' + '0' * 2**len(shape)):
        c = wp.wavedecn(x, 'cdf97', 2, bank='packets', tree=tree)
        assert sum(c[name].size for name in c) == x.size
        assert abs(wp.waverecn(c) - x).max() < 1e-12
    with pytest.raises(ValueError, match='multiple of 2\\^levels'):
        wp.wavedecn(x, 'db4', 2, bank='packets')


@pytest.mark.parametrize('wavelet, border', [('cdf97', 'symmetric'), ('db2', 'periodic'), ('cdf53', 'periodic')])
@pytest.mark.parametrize('tree', [None, '110010'])
def test_adjoints(wavelet, border, tree):
    tree = tree and '1' + tree[2:]
    t = wp.Transform((24, 16), wavelet, levels=2, batch=(3,), border=border, bank='packets', tree=tree)
    x, y = RNG.standard_normal((2, 3, 24, 16))
    assert np.isclose(np.vdot(t.forward(x), y), np.vdot(x, t.forward_adjoint(y)), rtol=1e-12)
    assert np.isclose(np.vdot(t.inverse(y), x), np.vdot(y, t.inverse_adjoint(x)), rtol=1e-12)
    if wavelet == 'db2':
        t = wp.Transform((24, 16), wavelet, levels=2, border=border, norm='orthonormal', bank='packets', tree=tree)
        assert np.allclose(t.forward_adjoint(y[0]), t.inverse(y[0]), rtol=0, atol=1e-12)


def brute_force(packets, cost, rank, levels):
    def best(node, level):
        own = cost(node.data)
        if level == levels:
            return own, ''
        below = [best(node[name], level + 1) for name in names(rank, 1)]
        total = sum(c for c, _ in below)
        return (total, '1' + ''.join(t for _, t in below)) if total < own else (own, '0')

    return best(packets, 0)[1]


@pytest.mark.parametrize('cost', COSTS)
@pytest.mark.parametrize('shape, levels', [((128,), 5), ((64, 32), 3), ((16, 16, 8), 2)])
def test_best_tree(cost, shape, levels):
    found = set()
    for seed in range(4):
        grid = np.add.reduce(np.meshgrid(*(np.arange(n)**(1 + seed / 8) for n in shape), indexing='ij'))
        x = np.sin(grid) + 0.05 * np.random.default_rng(seed).standard_normal(shape)
        expected = brute_force(theirs(x, 'db3', levels, tuple(range(len(shape)))), COSTS[cost], len(shape), levels)
        how = dict(border='periodic')
        assert wp.best_tree(x, 'db3', levels, cost=cost, parameter=PARAMETERS.get(cost), **how) == expected
        assert wp.best_tree(x, 'db3', levels, cost=COSTS[cost], **how) == expected
        c = wp.wavedecn(x, 'db3', levels, bank='packets', tree=expected, **how)
        assert abs(wp.waverecn(c) - x).max() < 1e-12
        found.add(expected)
    assert len(found) > 1


def test_error_cost():
    """Of nodes that are not all below or above the threshold, whose children would cost the same."""
    x = np.sin(np.arange(4096).reshape(64, 64)**1.3) + 0.2 * np.random.default_rng(0).standard_normal((64, 64))
    cost = lambda c: np.sum(np.minimum(c**2, 0.49))
    expected = brute_force(theirs(x, 'db3', 2, (0, 1)), cost, 2, 2)
    found = wp.best_tree(x, 'db3', 2, cost='error', parameter=0.7, border='periodic')
    assert found == expected and '1' in found


def test_types_and_batches():
    x = (255 * RNG.random((2, 3, 32, 32))).astype('uint8')
    tree = wp.best_tree(x, 'haar', 2, (-2, -1))
    assert tree == wp.best_tree(x.astype('float64'), 'haar', 2, (-2, -1))
    for dtype in ('uint8', 'float16', 'float32', 'float64'):
        given = x.astype(dtype)
        if dtype == 'float16':
            with pytest.raises(ValueError, match='type of the arithmetic'):
                wp.wavedec2(given, 'haar', 2, bank='packets', tree='11000')
        for t in (None,) if dtype == 'float16' else (None, '11000'):
            c = wp.wavedec2(given, 'haar', 2, bank='packets', tree=t)
            for i in range(2):
                one = wp.wavedec2(given[i, 1].astype('float64'), 'haar', 2, bank='packets', tree=t)
                assert np.allclose(c.array[i, 1], one.array, rtol=0, atol=0.2 if dtype == 'float16' else 1e-4)
    strided = np.moveaxis(np.asfortranarray(x.astype('float64')), 1, -1)
    c = wp.wavedec2(strided, 'cdf53', 2, (1, 2), bank='packets')
    assert np.allclose(np.moveaxis(c.array, -1, 1), wp.wavedec2(x.astype('float64'), 'cdf53', 2, bank='packets').array)
    assert np.allclose(wp.waverec2(c), strided)
    again = pickle.loads(pickle.dumps(c.transform))
    assert np.array_equal(again.forward(strided), c.array)


def test_rejections():
    x = np.zeros((32, 32))
    for text, options in (('invalid tree', dict(tree='12')), ('has 2 digits', dict(tree='11')),
                          ('at most 5 level', dict(levels=6)), ('only for bank', dict(bank='decimated', tree='0')),
                          ('border', dict(border='pywt-zero'))):
        with pytest.raises(ValueError, match=text):
            wp.wavedec2(x, **{'bank': 'packets', **options})
    with pytest.raises(ValueError, match='unknown cost'):
        wp.best_tree(x, cost='entropy')
    with pytest.raises(ValueError, match='positive parameter'):
        wp.best_tree(x, cost='norm')
    with pytest.raises(ZeroDivisionError):
        wp.best_tree(x, cost=lambda c: 1 / 0)
    with pytest.raises(ValueError, match='at most 8 level|nodes above'):
        wp.best_tree(np.zeros((512, 512), 'float32'), levels=8)
