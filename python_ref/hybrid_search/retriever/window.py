"""The block of candidates that is fetched and reranked together (RET-3)."""


def rerank_window(page_size: int, top: int, with_model: bool) -> int:
    """How many candidates a block holds: about 64, always a whole number of pages.

    It is both the block fetched (offset // window) and the modulus of the slice (offset % window); were it no
    multiple of the page size, candidates at a block's edge would be lost (RAGFlow #15434).

    Args:
        page_size: entries on a page, at least 1.
        top: how many candidates are retrieved in all, at least 1.
        with_model: whether a rerank model scores the block; then a block never reaches far beyond `top`.
    """
    if page_size <= 1:
        return min(30, top) if with_model else 30
    window = -(-64 // page_size) * page_size
    if with_model:
        window = min(window, -(-top // page_size) * page_size)
    return window
