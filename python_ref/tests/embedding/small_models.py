"""Small models in the forms in which libraries load real ones: an ONNX graph or a network, a tokenizer, and their
settings. Their weights are drawn from a seed.
"""

import json
from pathlib import Path

import numpy as np

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "red", "wine", "dark", "cellar", "beer", "motor", "oil", "car", "cat"]
SIZE = 16
TABLE = np.random.default_rng(7).normal(size=(len(WORDS), SIZE)).astype(np.float32)
WEIGHTS = np.random.default_rng(8).normal(size=(len(WORDS), 1)).astype(np.float32)
"""The share of each word in the score of a pair."""


def tokenizer_file(path: Path) -> None:
    """Write a tokenizer of words, with the templates of BERT."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(path))


def ids_of(*texts: str) -> list[int]:
    """The ids of one text, or of a pair of texts, as the tokenizer assigns them."""
    ids = [2]
    for text in texts:
        ids += [WORDS.index(word) if word in WORDS else 1 for word in text.lower().split()] + [3]
    return ids


def vector_of(text: str) -> list[float]:
    """The vector that the embedding model makes of a text: the mean of its words, of length 1."""
    mean = TABLE[ids_of(text)].mean(axis=0)
    return [float(value) for value in mean / np.linalg.norm(mean)]


def score_of(query: str, text: str) -> float:
    """The score of the cross-encoder for a pair."""
    return float(WEIGHTS[ids_of(query, text)].sum())


def _settings(folder: Path) -> None:
    tokenizer_file(folder / "tokenizer.json")
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    settings = {"model_max_length": 64, "pad_token": "[PAD]", "tokenizer_class": "PreTrainedTokenizerFast", **special}
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0, "model_type": "bert", "hidden_size": SIZE}))
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    (folder / "special_tokens_map.json").write_text(json.dumps(special))


def onnx_snapshot(cache: Path, repository: str, file: str, pairs: bool) -> None:
    """Write an ONNX model into a cache, as a download from a hub leaves it.

    Args:
        cache: the folder of the cache.
        repository: the name of the model on the hub.
        file: the path of the graph in it.
        pairs: whether it scores pairs; otherwise it returns a vector for each token.
    """
    from onnx import TensorProto, helper, numpy_helper, save

    root = cache / f"models--{repository.replace('/', '--')}"
    folder = root / "snapshots" / ("0" * 40)
    (folder / file).parent.mkdir(parents=True)
    (root / "refs").mkdir()
    (root / "refs" / "main").write_text("0" * 40)
    _settings(folder)
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["words" if pairs else "last_hidden_state"])]
    constants = [numpy_helper.from_array(WEIGHTS if pairs else TABLE, "table")]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", SIZE])
    if pairs:
        constants += [numpy_helper.from_array(np.array([2]), "last"), numpy_helper.from_array(np.array([1]), "axes")]
        nodes += [
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["mask", "last"], ["column"]),
            helper.make_node("Mul", ["words", "column"], ["shown"]),
            helper.make_node("ReduceSum", ["shown", "axes"], ["logits"], keepdims=0),
        ]
        output = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])
    graph = helper.make_graph(nodes, "small", inputs, [output], constants)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), folder / file)


def bert_folder(folder: Path, pairs: bool) -> None:
    """Write a BERT of one layer as transformers saves it: a cross-encoder, or one that embeds tokens."""
    import torch
    import transformers

    torch.manual_seed(7)
    settings = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=SIZE,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        num_labels=1,
    )
    kind = transformers.BertForSequenceClassification if pairs else transformers.BertModel
    kind(settings).save_pretrained(folder)
    config = (folder / "config.json").read_text()
    _settings(folder)
    (folder / "config.json").write_text(config)


def static_folder(folder: Path) -> None:
    """Write a static model of model2vec."""
    from model2vec import StaticModel
    from tokenizers import Tokenizer

    tokenizer_file(folder / "words.json")
    model = StaticModel(TABLE, Tokenizer.from_file(str(folder / "words.json")), config={"normalize": True})
    model.save_pretrained(str(folder))
