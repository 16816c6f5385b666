"""Imports the package jieba; the import takes longer than reading the package's files."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import jieba as jieba
