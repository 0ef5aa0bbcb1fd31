"""NumPy's products in single precision against double precision, for a NumPy that computes with our drop-in BLAS.

Prints "N products, W wrong"; exit status 1 if there are wrong ones. SPDX-License-Identifier: MIT
"""
import multiprocessing
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

random = np.random.default_rng(7)


def wrong(got, a, b):
    """Whether an element of got = a @ b is further off than n roundings of its terms allow."""
    terms = a.shape[-1]
    a, b = a.astype(np.float64), b.astype(np.float64)
    bound = (terms + 3) * 2.0**-24 * (np.abs(a) @ np.abs(b))
    return not bool(np.all(np.abs(got - a @ b) <= bound))


def layouts(rows, columns):
    """The same shape in all the ways in which NumPy stores one: some go to the BLAS as they are, some are copied first."""
    shape = (rows, columns)
    yield random.standard_normal(shape, dtype=np.float32)
    yield random.standard_normal((columns, rows), dtype=np.float32).T
    yield np.asfortranarray(random.standard_normal(shape, dtype=np.float32))
    yield random.standard_normal((rows + 3, columns + 5), dtype=np.float32)[2:-1, 1:-4]
    yield random.standard_normal((columns + 5, rows + 3), dtype=np.float32).T[2:-1, 1:-4]
    yield random.standard_normal((2 * rows, 3 * columns), dtype=np.float32)[::2, ::3]
    yield random.standard_normal(shape, dtype=np.float32)[::-1, ::-1]


def vectors(n):
    yield random.standard_normal(n, dtype=np.float32)
    yield random.standard_normal(3 * n, dtype=np.float32)[::3]
    yield random.standard_normal(n, dtype=np.float32)[::-1]


def products():
    """Pairs of operands: matrices, matrices and vectors, vectors."""
    for rows, terms, columns in ((1, 1, 1), (5, 7, 3), (33, 65, 17), (128, 100, 64), (301, 257, 203), (1, 500, 300)):
        for a in layouts(rows, terms):
            for b in layouts(terms, columns):
                yield a, b
            for x in vectors(terms):
                yield a, x
                yield x, a.T
    for n in (1, 4, 31, 1000, 100003):
        for x in vectors(n):
            for y in vectors(n):
                yield x, y


def large_product(seed):
    """For threads and for other processes."""
    stream = np.random.default_rng(seed)
    a = stream.standard_normal((217, 301), dtype=np.float32)
    b = stream.standard_normal((301, 193), dtype=np.float32)
    return wrong(a @ b, a, b)


def main():
    verdicts = [wrong(a @ b, a, b) for a, b in products()]
    verdicts += [wrong(np.dot(a, b), a, b) for a, b in products()]
    empty = np.empty((3, 0), dtype=np.float32) @ np.empty((0, 4), dtype=np.float32)
    verdicts.append(bool(np.any(empty != 0)))
    with ThreadPoolExecutor(4) as pool:
        verdicts += pool.map(large_product, range(40))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        verdicts += pool.map_async(large_product, range(8)).get(timeout=60)
    print(f"{len(verdicts)} products, {sum(verdicts)} wrong")
    return 1 if any(verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
