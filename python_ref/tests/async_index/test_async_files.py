"""Files and collections are added to an asynchronous index (ASY-2, FIL-6)."""

import asyncio

import pytest

from hybrid_search import AsyncIndex, HashingEmbedder, Index, InvalidInputError


def test_files_are_added_as_in_index(tmp_path):
    (tmp_path / "a.md").write_text("# Wine\n\nRed wine is stored in the dark.\n")
    (tmp_path / "b.csv").write_text("id,content\n7,cider\n8,beer\n")
    model, loops, seen = HashingEmbedder(dimension=8), [], []

    async def embed(texts):
        loops.append(asyncio.get_running_loop())
        return model.encode(texts)

    async def progress(done, total):
        seen.append((done, total))

    async def run():
        async with AsyncIndex(embedding=embed) as index:
            added = await index.add_files(tmp_path, batch_size=2, progress=progress)
            again = await index.add_files([tmp_path], prune=True)
            with pytest.raises(InvalidInputError, match="is neither a file nor a folder"):
                await index.add_files(tmp_path / "missing")
            return added, again, (await index.search("dark wine", limit=1)).hits[0].id, loops == [loops[0]] * len(loops)

    added, again, found, on_one_loop = asyncio.run(run())
    expected = Index(embedding=model).add_files(tmp_path)
    assert (added, found, on_one_loop) == (expected, f"{tmp_path}/a.md#1", True)
    assert (again.added, again.updated, again.unchanged) == (0, 0, 2)
    assert seen == [(2, -1), (3, -1)]


def test_a_collection_becomes_an_index(repository):
    folder = repository / "fixtures/corpora/identifiers"

    async def run():
        async with await AsyncIndex.from_beir(folder, embedding=HashingEmbedder(dimension=8)) as index:
            return await index.count()

    assert asyncio.run(run()) == Index.from_beir(folder).count()
    with pytest.raises(InvalidInputError):
        asyncio.run(AsyncIndex.from_beir(repository / "docs"))
