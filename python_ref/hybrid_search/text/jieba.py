"""The package jieba itself, which takes longer to import than its files to read."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import jieba as jieba
