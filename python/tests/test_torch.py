"""wavepass.torch: values, gradients, and what PyTorch demands of an operator."""

from concurrent.futures import ThreadPoolExecutor

import pytest

torch = pytest.importorskip("torch")

from torch import library as operators  # noqa: E402
from torch._subclasses import FakeTensorMode  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

from wavepass import _dense  # noqa: E402
from wavepass.torch import DWT2, IDWT2, dwt, idwt  # noqa: E402

DEVICES = ["cpu"] + ["cuda"] * torch.cuda.is_available()
pytestmark = pytest.mark.parametrize("device", DEVICES)

FORMS = [("db2", "periodic", 2, "array"), ("cdf97", "symmetric", 3, "array"),
         ("db3", "pywt-smooth", 3, "array"), ("db2", "periodic", 1, "bands"),
         ("db4", "pywt-zero", 1, "bands")]


def rand(*shape, device, **options):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(len(shape)), **options).to(
        device).requires_grad_(options.get("dtype") == torch.float64)


@pytest.mark.parametrize("wavelet, border, levels, form", FORMS)
def test_gradients(device, wavelet, border, levels, form):
    options = dict(border=border, levels=levels, form=form)
    x = rand(2, 3, 8, 8, device=device, dtype=torch.float64)
    y = dwt(x, wavelet, **options).detach().requires_grad_()

    def forward(x):
        return dwt(x, wavelet, **options)

    def inverse(y):
        return idwt(y, wavelet, shape=(8, 8), **options)

    torch.testing.assert_close(inverse(forward(x)), x)
    torch.manual_seed(0)  # gradgradcheck chooses gradients at random
    for function, given in (forward, x), (inverse, y):
        assert torch.autograd.gradcheck(function, given)
        assert torch.autograd.gradgradcheck(function, given)


@pytest.mark.parametrize("wavelet, border, levels, form", FORMS)
def test_operator(device, wavelet, border, levels, form):
    spec = _dense.spec(2, wavelet, levels, border, "orthonormal", form)
    x = rand(2, 3, 8, 16, device=device, dtype=torch.float64)
    operators.opcheck(torch.ops.wavepass.transform, (x, spec.text, [8, 16], False, False))


def test_strides(device):
    """Tensors of any strides, also of 0, have the coefficients of their copies."""
    x = rand(6, 8, 5, 16, device=device)
    for view in (x.transpose(1, 2), x[::2, :, 1], x.permute(3, 0, 2, 1), x[:1].expand(4, 8, 5, 16)[:, :, 0]):
        expected = dwt(view.contiguous(), "haar", border="symmetric")
        assert torch.equal(dwt(view, "haar", border="symmetric"), expected)


@pytest.mark.parametrize("rank, shape", [(1, (3, 8)), (2, (2, 4, 6)), (3, (2, 4, 6, 8))])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_types(device, rank, shape, dtype):
    x = rand(*shape, device=device)
    options = dict(rank=rank, form="bands")
    y = dwt(x.to(dtype), "db2", **options)
    assert y.dtype == dtype and y.shape == (*shape[:-rank], 2 ** rank, *(n // 2 for n in shape[-rank:]))
    torch.testing.assert_close(y.float(), dwt(x, "db2", **options), atol=0.03, rtol=0.03)
    torch.testing.assert_close(idwt(y, "db2", **options).float(), x, atol=0.03, rtol=0.03)


def test_modules(device):
    x = rand(2, 3, 16, 16, device=device)
    down, up = DWT2("cdf97", channels=True), IDWT2("cdf97", channels=True)
    y = down(x)
    assert y.shape == (2, 12, 8, 8)
    assert torch.equal(y[:, 5], dwt(x, "cdf97", form="bands")[:, 1, 1])
    torch.testing.assert_close(up(y), x)
    torch.testing.assert_close(IDWT2("db2", 2)(DWT2("db2", 2)(x)), x)
    assert "cdf97" in repr(down)


def test_compile_and_vmap(device):
    x = rand(2, 3, 16, 16, device=device)
    down = DWT2("cdf97", channels=True)
    compiled = torch.compile(down, fullgraph=True)
    assert torch.equal(compiled(x), down(x))
    assert torch.equal(compiled(x[:, :, :8]), down(x[:, :, :8]))  # another shape
    assert torch.equal(torch.func.vmap(down, in_dims=1)(x[:, None]), down(x)[None])


def test_transforms_of_functions(device):
    """torch.func, forward-mode gradients, and transforms that only some of these see."""
    x = rand(2, 8, 8, device=device, dtype=torch.float64)

    def call(x):
        return dwt(x, "db2", levels=2)

    def energy(x):
        return call(x).square().sum()

    assert torch.autograd.gradcheck(call, x, check_forward_ad=True, check_batched_grad=True)
    x = x.detach()
    torch.testing.assert_close(torch.func.jvp(call, (x,), (x,))[1], call(x))
    torch.testing.assert_close(torch.func.vmap(torch.func.grad(energy), in_dims=1)(x), 2 * x.movedim(1, 0))
    hessian = torch.func.hessian(energy)(x[0]).view(64, 64)
    torch.testing.assert_close(hessian, 2 * torch.eye(64, device=device, dtype=x.dtype))
    assert torch.equal(torch.compile(call, fullgraph=True)(x), call(x))


class Watcher(TorchDispatchMode):
    """Collects the names of operators."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.names.append(str(function))
        return function(*args, **kwargs or {})


def test_who_sees_the_operator(device):
    x = rand(2, 8, 8, device=device)
    with Watcher() as watcher:
        seen = dwt(x)
    assert "wavepass.transform.default" in watcher.names and torch.equal(seen, dwt(x))
    with FakeTensorMode() as mode:
        assert dwt(mode.from_tensor(x)).shape == x.shape
    calls = []
    original = torch.ops.wavepass.transform
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.ops.wavepass, "transform", lambda *call: calls.append(call) or original(*call))
        for tensor in x, torch.nn.Parameter(x), x.double().requires_grad_():
            dwt(tensor).requires_grad and dwt(tensor).sum().backward()
        assert not calls  # nobody sees these
        negative = torch.complex(x, x).conj().imag
        assert negative.is_neg() and torch.equal(dwt(negative), dwt(-x)) and len(calls) == 1


def test_streams_of_threads(device):
    """Threads share plans; each has its own stream."""
    x = rand(64, 64, 64, device=device)
    expected = dwt(x, "db4", levels=2)

    def work(i):
        if device == "cpu":
            return dwt(x + i, "db4", levels=2)
        with torch.cuda.stream(torch.cuda.Stream()):
            torch.cuda.current_stream().wait_stream(torch.cuda.default_stream())
            y = dwt(x + i, "db4", levels=2)
            torch.cuda.current_stream().synchronize()
            return y

    with ThreadPoolExecutor(4) as pool:
        for i, y in enumerate(pool.map(work, range(16))):
            torch.testing.assert_close(y - dwt(torch.full_like(x, i), "db4", levels=2), expected, atol=1e-4, rtol=0)


def test_autocast(device):
    x = rand(2, 3, 16, 16, device=device)
    with torch.autocast(device, dtype=torch.bfloat16):
        assert DWT2()(x).dtype == torch.bfloat16
        assert DWT2()(x.double()).dtype == torch.float64


def test_training(device):
    """A step of training through the module has the gradient of a strided convolution with its
    filters."""
    x = rand(2, 3, 16, 16, device=device)
    taps = torch.tensor([0.5, 0.5], device=device)
    rows = torch.stack([torch.outer(a, b) for a in (taps, taps * torch.tensor([-1, 1], device=device))
                        for b in (taps, taps * torch.tensor([-1, 1], device=device))])[:, None]
    weight = rand(12, 1, 1, device=device)
    losses, gradients = [], []
    for down in (DWT2("haar", channels=True, norm="pywt"),
                 lambda x: torch.nn.functional.conv2d(x, 2 * rows.repeat(3, 1, 1, 1), stride=2, groups=3)):
        given = x.clone().requires_grad_()
        y = down(given)
        loss = (weight * y.abs() ** 1.5).sum()
        loss.backward()
        losses.append(loss.item())
        gradients.append(given.grad)
    assert abs(losses[0] - losses[1]) < 1e-5 * abs(losses[1])
    torch.testing.assert_close(*gradients)


@pytest.mark.parametrize("call, text", [
    (lambda x: dwt(x, "nonsense"), "nonsense"),
    (lambda x: dwt(x, border="nonsense"), "border is 'nonsense'"),
    (lambda x: dwt(x, norm="nonsense"), "norm is 'nonsense'"),
    (lambda x: dwt(x, rank=4), "rank is 4"),
    (lambda x: dwt(x, form="nonsense"), "form is 'nonsense'"),
    (lambda x: dwt(x, form="bands", levels=2), "levels is 2"),
    (lambda x: dwt(x[:, :7], form="bands"), "even"),
    (lambda x: dwt(x[0]), "1 axes"),
    (lambda x: dwt(x[:, :7]), "even sizes"),
    (lambda x: idwt(x, border="pywt-zero"), "shape"),
    (lambda x: idwt(x, shape=(8,)), "2 entries"),
    (lambda x: idwt(x, shape=(8, 16)), "extent"),
])
def test_bad_arguments(device, call, text):
    with pytest.raises(ValueError, match=text):
        call(rand(8, 8, device=device))


def test_bad_types(device):
    with pytest.raises(TypeError, match="int64"):
        dwt(torch.ones(4, 4, dtype=torch.int64, device=device))
