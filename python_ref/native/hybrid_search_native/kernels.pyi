from typing_extensions import Buffer

INTERFACE: int

class Rows:
    def __new__(cls, dimension: int) -> Rows: ...
    @property
    def size(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def put(self, row: int, slot: int, vector: list[float], norm: float, /) -> None: ...
    def vector(self, row: int, /) -> list[float]: ...
    def nearest(
        self,
        used: int,
        vector: list[float],
        norm: float,
        limit: int,
        similarity: float | None,
        living: Buffer | None,
        allowed: Buffer | None,
        /,
    ) -> tuple[bytes, bytes]: ...

def best_sums(
    clauses: list[tuple[float, Buffer, Buffer]], all_slots: int, limit: int, counted: Buffer | None, /
) -> tuple[bytes, bytes]: ...
def enough_groups(
    clauses: list[tuple[int, Buffer]], required: int, all_slots: int, counted: Buffer | None, /
) -> bytes: ...
