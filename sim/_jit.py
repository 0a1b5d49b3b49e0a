"""The only module that touches numba's jit: options, cache folder, types, bit primitives.

Everything compiled in the project is made by the decorators here, so that one place decides
how kernels are compiled and where their machine code is kept.

Notes
-----
numba's on-disk cache is not invalidated when a function that a kernel *imports* changes (numba
issue 1833). The cache folder is therefore named after a hash of the package's own sources; it is
set before the first kernel is defined, and left alone when the user has set ``NUMBA_CACHE_DIR``.
Where it cannot be written to, code is kept in a folder of the process alone, or in memory.
"""

from __future__ import annotations

import atexit
import ctypes
import hashlib
import os
import re
import shutil
import sys
import tempfile
import types as python_types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import from_dtype, types
from numba.core import cgutils
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.extending import intrinsic

__all__ = [
    "CACHE_TROUBLE",
    "COMPILED",
    "cache_folder",
    "cache_is_cold",
    "compiles_as",
    "from_dtype",
    "function_address",
    "function_constant",
    "function_reader",
    "function_type",
    "inlined_kernel",
    "int64",
    "is_compiled",
    "kernel",
    "lowest_bit_index",
    "plain_python",
    "popcount",
    "record_maker",
    "record_reader",
    "source_hash",
    "tuple_type",
    "typed_kernel",
    "types",
    "uint64",
]

_config: Any = numba.config

COMPILED: bool = not _config.DISABLE_JIT
"""False when numba's JIT is switched off (``NUMBA_DISABLE_JIT=1``) and kernels run as Python."""


def source_hash() -> str:
    """Hash the sources that decide what a kernel computes.

    Returns
    -------
    str
        16 hexadecimal digits over the text of ``sim`` and ``strategies`` and numba's version.
    """
    digest = hashlib.sha256(numba.__version__.encode())
    root = Path(__file__).resolve().parent.parent
    for package in ("sim", "strategies"):
        for path in sorted((root / package).rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _user_cache() -> Path:
    """Return the user's cache folder by the platform's own convention."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    told = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return told if told.is_absolute() else Path.home() / ".cache"


def _choose_cache() -> tuple[str, str]:
    """Return the folder for compiled code, and why it is not the usual one.

    numba would look for another by itself, beside the sources, where code of older sources may stand. A
    folder of this process alone goes with it; the text is empty where there is no folder at all.
    """
    usual: Path | str = "the home folder"
    try:
        told = os.environ.get("NUMBA_CACHE_DIR")
        usual = Path(told) if told else _user_cache() / "ginlab" / source_hash()
        usual.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=usual).close()
        return str(usual), ""
    except (OSError, RuntimeError, ValueError) as error:  # no home at all is a RuntimeError
        trouble = f"{usual}: {getattr(error, 'strerror', None) or error}"
    try:
        own, maker = tempfile.mkdtemp(prefix="ginlab_"), os.getpid()  # open to this user alone
    except OSError:
        return "", trouble

    def remove() -> None:
        if os.getpid() == maker:  # not in a fork of it
            shutil.rmtree(own, ignore_errors=True)

    atexit.register(remove)
    return own, trouble


CACHE_TROUBLE = ""
"""Why compiled code is not kept, in a line; empty where it is."""

if COMPILED:
    _config.CACHE_DIR, CACHE_TROUBLE = _choose_cache()


def cache_folder() -> Path:
    """Return the folder in which compiled kernels are kept."""
    return Path(_config.CACHE_DIR)


def cache_is_cold() -> bool:
    """Tell whether nothing has been compiled yet for these sources on this machine."""
    return COMPILED and (not _config.CACHE_DIR or next(cache_folder().rglob("*.nbi"), None) is None)


# Decisions are called through pointers, which numba calls experimental at every compilation.
warnings.filterwarnings(
    "ignore", "First-class function type feature is experimental", NumbaExperimentalFeatureWarning
)

# `nogil` lets chunks run in threads; `error_model="numpy"` drops the zero-division branch.
_OPTIONS: dict[str, Any] = {"cache": bool(_config.CACHE_DIR), "nogil": True, "error_model": "numpy"}

Record = Any
"""A record passed by reference: attributes are fields of its dtype."""

Array = npt.NDArray[Any]
"""A contiguous array argument."""

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile on first use: for helpers that are inlined into entry kernels."""
    compiled: Function = numba.njit(**_OPTIONS)(function)
    return compiled


def is_compiled(function: Any) -> bool:
    """Tell whether a function is one that numba has compiled."""
    return isinstance(function, Dispatcher)


def plain_python(function: Any) -> Any:
    """Return a compiled function as the Python it was written in, and so all compiled ones that it calls.

    Then it takes any object, such as a view that notes what is read. Functions reached through the names of
    its module are found, also through a module imported there; those in closures and containers are not.
    """
    return _plain(function, {})


def _plain(function: Any, found: dict[int, Any]) -> Any:
    if not is_compiled(function):
        return function
    if id(function) not in found:
        source = function.py_func
        names = dict(source.__globals__)
        twin = python_types.FunctionType(
            source.__code__, names, source.__name__, source.__defaults__, source.__closure__
        )
        found[id(function)] = twin
        for name in source.__code__.co_names:
            if is_compiled(names.get(name)):
                names[name] = _plain(names[name], found)
            elif isinstance(names.get(name), python_types.ModuleType):
                names[name] = _PlainModule(names[name], found)
    return found[id(function)]


class _PlainModule:
    """A module whose compiled functions are plain Python."""

    def __init__(self, module: Any, found: dict[int, Any]) -> None:
        self._module = module
        self._found = found

    def __getattr__(self, name: str) -> Any:
        return _plain(getattr(self._module, name), self._found)


def inlined_kernel(function: Function) -> Function:
    """Compile on first use and inline at every call: only where a measurement asks for it.

    Measured: the best discard inlined into the turn loop takes a turn from 80 to 74 ns.
    """
    compiled: Function = numba.njit(forceinline=True, **_OPTIONS)(function)
    return compiled


def typed_kernel(signature: Any) -> Callable[[Function], Function]:
    """Return a decorator that compiles for one signature: for entry kernels and decisions."""

    def compile_now(function: Function) -> Function:
        try:
            compiled: Function = numba.njit(signature, **_OPTIONS)(function)
        except Exception as error:
            error.add_note(_problem(function, error))
            raise
        return compiled

    return compile_now


def compiles_as(function: Any, kind: Any) -> bool:
    """Tell whether a function is of a first-class function type; compile it so if it has no type yet.

    Raises
    ------
    Exception
        The compiler's, with a note that says it in one line.
    """
    wanted = kind.signature
    if not function.nopython_signatures:
        try:
            function.compile(wanted)
        except Exception as error:
            error.add_note(_problem(function.py_func, error))
            raise
    return any(
        (found.args, found.return_type) == (wanted.args, wanted.return_type)
        for found in function.nopython_signatures
    )


_ANSWERS = {"none": "nothing", "bool": "true or false", "int64": "a whole number"}


def _problem(function: Any, error: Exception) -> str:
    """Say in one line which function cannot be compiled, where and why."""
    text = re.sub(r"Record\(.*?, \d+, (True|False)\)|Record\(.*?;(True|False)\)", "view", str(error))
    lines = [line.strip() for line in text.splitlines()]
    told = next((line for line in lines if line and not line.startswith("Failed in nopython mode")), "")
    if answer := re.match(r"No conversion from (.*) to (\w+) for '\S*return_value", told):
        given, wanted = (_ANSWERS.get(part, part) for part in answer.groups())
        given = re.sub(r"Literal\[(\w+)\]\((.*?)\)", r"\1 \2", given)
        told = f"answers {given}, expected {wanted}"
    elif counts := re.match(r"Signature mismatch: (\d+) argument.* takes (\d+) argument", told):
        told = f"takes {counts[2]} arguments, expected {counts[1]}"
    elif type(error) is KeyError:
        told = f"a view has no field {told}"
    code = function.__code__
    places = re.findall(rf'{re.escape(Path(code.co_filename).name)}", line (\d+)', text)
    return f"{function.__name__}, line {places[-1] if places else code.co_firstlineno}: {told}"


def function_type(result: Any, *arguments: Any) -> Any:
    """Return the first-class function type: a pointer call that any compiled function can enter."""
    return types.FunctionType(result(*arguments))


@kernel
def popcount(mask: int) -> int:
    """Count the set bits of a non-negative mask. LLVM turns this loop into one instruction."""
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


def _type_cttz(typing_context: Any, mask: Any) -> Any:
    """Type the intrinsic: one LLVM instruction that counts trailing zeros."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen


_cttz: Any = intrinsic(_type_cttz)


int64: Any = types.int64
uint64: Any = types.uint64
"""Casts, in kernels and in plain Python."""


def tuple_type(*members: Any) -> Any:
    """Return the type of a tuple of the given types."""
    make: Any = types.Tuple
    return make(members)


def record_reader(record_type: Any, dtype: np.dtype[Any]) -> Any:
    """Return a function from an address (int64) to the record that lies there.

    For kernels: a record too large to copy into a view is reached by its address, which costs nothing.
    """
    if not COMPILED:

        def read(address: int) -> Any:
            buffer: Any = (ctypes.c_char * dtype.itemsize).from_address(int(address))
            return np.frombuffer(buffer, dtype).view(np.recarray)[0]

        return read

    def type_read(typing_context: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(record_type))

        return record_type(types.int64), codegen

    return intrinsic(type_read)


def _lowest_bit_index(mask: int) -> int:
    """Return the index of the lowest set bit of a non-zero mask."""
    return int(mask & -mask).bit_length() - 1


def record_maker(dtype: np.dtype[Any]) -> Any:
    """Return a function from a count to an array of so many new records, not filled in.

    For kernels. A record taken out of the array does not keep it alive: hand the array to another kernel
    and take the records there.
    """
    if not COMPILED:
        return lambda count: np.zeros(count, dtype).view(np.recarray)

    @kernel
    def make(count: int) -> Any:
        return np.empty(count, dtype)

    return make


_interpreted: dict[int, Any] = {}
"""With the JIT off: the functions whose address was asked for, by `id`, which stands for the address."""


def function_address(function: Any, signature_type: Any) -> int:
    """Return the address of a compiled function of a first-class type, good as long as the process lives."""
    if not COMPILED:
        _interpreted[id(function)] = function
        return id(function)
    compiled = function.get_compile_result(signature_type.signature)
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


def _build_function(context: Any, builder: Any, signature: Any, pointer: Any) -> Any:
    """Build the value of a first-class function, which calls by the last of its three addresses."""
    untyped: Any = cgutils  # numba has no types
    made = untyped.create_struct_proxy(signature.return_type)(context, builder)
    made.jit_addr = pointer
    return made._getvalue()


def function_reader(function: Any) -> Any:
    """Return a function, for kernels, from an address to the function of a first-class type there."""
    if not COMPILED:
        return lambda address: _interpreted[address]

    def type_read(typing_context: Any, address: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))
            return _build_function(context, builder, signature, pointer)

        return function(types.int64), codegen

    return intrinsic(type_read)


def function_constant(compiled: Any, function: Any) -> Any:
    """Return a function without arguments that returns a compiled function as a first-class one, for kernels.

    Passed as it is, a compiled function would be known by an address of this process, and what is compiled
    with it could not be kept on disk.
    """
    if not COMPILED:
        return lambda: compiled

    def type_constant(typing_context: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            result = compiled.get_compile_result(function.signature)
            declared = context.declare_function(builder.module, result.fndesc)
            context.active_code_library.add_linking_library(result.library)
            pointer = builder.bitcast(declared, context.get_value_type(types.voidptr))
            return _build_function(context, builder, signature, pointer)

        return function(), codegen

    return intrinsic(type_constant)


if COMPILED:

    @kernel
    def lowest_bit_index(mask: int) -> int:
        """Return the index of the lowest set bit of a non-zero ``int64`` mask."""
        return _cttz(mask)

else:
    lowest_bit_index = _lowest_bit_index
