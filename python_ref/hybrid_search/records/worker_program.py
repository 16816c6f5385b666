"""A process that cuts texts into tokens (IDX-7), from the view of the process itself."""

import os
import sys

from hybrid_search.records import worker_messages
from hybrid_search.records.record_fields import RecordFields
from hybrid_search.text.tokenizer import Tokenizer


def main() -> None:
    """Respond to each list of texts with the list of their fields, until the input ends.

    All other output goes to standard error: standard output contains only the responses.
    """
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    fields: RecordFields | None = None
    while (message := worker_messages.read(sys.stdin.buffer)) is not None:
        recipe, records = message
        if recipe is not None:
            fields = RecordFields(Tokenizer.of_recipe(recipe))
        assert fields is not None, "the first message has a recipe"
        try:
            worker_messages.write(answers, [fields.of_texts(record) for record in records])
        except BrokenPipeError:  # the process that started this one has ended
            os._exit(1)
