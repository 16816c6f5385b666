"""Compiles the native kernels; sums must not be contracted (docs/native.md)."""

from setuptools import Extension, setup

setup(
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
    ext_modules=[
        Extension(
            "hybrid_search_native.kernels",
            sources=["src/python.c", "src/kernels.c"],
            depends=["src/kernels.h"],
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            py_limited_api=True,
            extra_compile_args=["-std=c11", "-O3", "-ffp-contract=off"],
        )
    ],
)
