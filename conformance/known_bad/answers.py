"""Faults in what is answered; the protocol is kept, as far as they can."""

import math
import struct
from collections.abc import Callable
from typing import Any

from conformance.implementations.python import codec
from conformance.known_bad.fault import Fault, Message, fault, is_here


def each_float(encoded: Any, change: Callable[[float], Any]) -> Any:
    """Encoded data with every float changed."""
    if isinstance(encoded, dict) and encoded.keys() == {"bits", "decimal"}:
        return codec.encode(change(codec.decode(encoded)))
    if isinstance(encoded, dict):
        return {key: each_float(item, change) for key, item in encoded.items()}
    if isinstance(encoded, list):
        return [each_float(item, change) for item in encoded]
    return encoded


class EveryFloat(Fault):
    """Changes every float of an answer, in its value and in its trace."""

    def of(self, value: float) -> Any:
        """What comes in the place of a float."""
        return value

    def change(self, message: Message, reply: Message) -> Message:
        """The answer with its floats changed."""
        parts: Message = {key: each_float(reply[key], self.of) for key in ("value", "trace") if key in reply}
        return {**reply, **parts}


@fault("float32")
class Float32(EveryFloat):
    """Keeps scores in single precision."""

    def of(self, value: float) -> Any:
        """The nearest single."""
        single: float = struct.unpack(">f", struct.pack(">f", value))[0]
        return single


@fault("four_decimals")
class FourDecimals(EveryFloat):
    """Rounds scores to four decimals."""

    def of(self, value: float) -> Any:
        """Four decimals."""
        return round(value, 4)


@fault("negative_zero")
class NegativeZero(EveryFloat):
    """Has -0.0 where 0.0 belongs."""

    def of(self, value: float) -> Any:
        """The other zero."""
        return -0.0 if value == 0.0 else value


@fault("no_negative_zero")
class NoNegativeZero(EveryFloat):
    """Has 0.0 where -0.0 belongs."""

    def of(self, value: float) -> Any:
        """Zero without a sign."""
        return 0.0 if value == 0.0 else value


@fault("one_ulp")
class OneUlp(EveryFloat):
    """Is one ULP too high everywhere."""

    def of(self, value: float) -> Any:
        """The next double."""
        return math.nextafter(value, math.inf)


@fault("whole_floats_as_integers")
class WholeFloatsAsIntegers(EveryFloat):
    """Has the integer 1 in the place of the float 1.0, as languages do that have but one kind of number."""

    def of(self, value: float) -> Any:
        """An integer, where it can be one."""
        return int(value) if value.is_integer() else value


@fault("empty_answers")
class EmptyAnswers(Fault):
    """Answers with nothing, of the right kind."""

    def change(self, message: Message, reply: Message) -> Message:
        """An empty value."""
        return {**reply, "value": type(reply["value"])()} if "value" in reply else reply


@fault("constant")
class Constant(Fault):
    """Has one answer to everything."""

    def change(self, message: Message, reply: Message) -> Message:
        """That answer."""
        if "value" in reply:
            return {**reply, "value": [["a", codec.encode_float(1.0)]]}
        return reply


@fault("swapped_ids")
class SwappedIds(Fault):
    """Shows the first two results in the wrong order; scores stay where they are."""

    def change(self, message: Message, reply: Message) -> Message:
        """The first two ids swapped."""
        value = reply.get("value")
        if not isinstance(value, list) or len(value) < 2:
            return reply
        (one, one_score), (other, other_score), *others = value
        return {**reply, "value": [[other, one_score], [one, other_score], *others]}


@fault("last_result_missing")
class LastResultMissing(Fault):
    """Leaves the last result out."""

    def change(self, message: Message, reply: Message) -> Message:
        """All but the last."""
        value = reply.get("value")
        return {**reply, "value": value[:-1]} if isinstance(value, list) else reply


@fault("no_trace")
class NoTrace(Fault):
    """Gives the right value, but no trace although one was asked for."""

    def change(self, message: Message, reply: Message) -> Message:
        """No trace at all."""
        return {key: item for key, item in reply.items() if key != "trace"}


@fault("empty_trace")
class EmptyTrace(Fault):
    """Gives the right value and a trace without stages."""

    def change(self, message: Message, reply: Message) -> Message:
        """A trace without stages."""
        return {**reply, "trace": []} if "trace" in reply else reply


@fault("trace_always")
class TraceAlways(Fault):
    """Sends a trace also where none was asked for."""

    def change(self, message: Message, reply: Message) -> Message:
        """A trace in any case."""
        return {"trace": [], **reply}


@fault("other_error_class")
class OtherErrorClass(Fault):
    """Has another class of error for the same mistake."""

    def change(self, message: Message, reply: Message) -> Message:
        """Another class."""
        return {**reply, "error": {**reply["error"], "class": "ConfigurationError"}} if "error" in reply else reply


@fault("other_error_message")
class OtherErrorMessage(Fault):
    """Has another message in the right class of error."""

    def change(self, message: Message, reply: Message) -> Message:
        """Another message."""
        return {**reply, "error": {**reply["error"], "message": "invalid input"}} if "error" in reply else reply


@fault("accepts_everything")
class AcceptsEverything(Fault):
    """Answers with an empty list where the input must be refused."""

    def change(self, message: Message, reply: Message) -> Message:
        """A value in the place of an error."""
        if "error" not in reply:
            return reply
        return {**{key: item for key, item in reply.items() if key != "error"}, "value": []}


@fault("refuses")
class Refuses(Fault):
    """Refuses an input that is in order."""

    def change(self, message: Message, reply: Message) -> Message:
        """An error in the place of a value."""
        if not is_here(message):
            return reply
        error = {"class": "InvalidInputError", "message": "not today"}
        return {**{key: item for key, item in reply.items() if key != "value"}, "error": error}


@fault("internal_error")
class InternalError(Fault):
    """Lets an error of the interpreter through."""

    def change(self, message: Message, reply: Message) -> Message:
        """An error that is none of the library's own."""
        if not is_here(message):
            return reply
        return {"seq": reply["seq"], "error": {"class": "internal:KeyError", "message": "'rankings'"}}


@fault("unsupported")
class Unsupported(Fault):
    """Says that it does not support what it is listed to have."""

    def change(self, message: Message, reply: Message) -> Message:
        """Unsupported."""
        return {"seq": reply["seq"], "unsupported": message["op"]} if is_here(message) else reply


@fault("changes_its_mind")
class ChangesItsMind(Fault):
    """Gives another answer when it is asked without a trace: in the second pass."""

    def change(self, message: Message, reply: Message) -> Message:
        """The value reversed, the second time."""
        if message["want_trace"] or not is_here(message):
            return reply
        return {**reply, "value": reply["value"][::-1]}


@fault("remembers")
class Remembers(Fault):
    """Lets one case leak into the next: after the one it strikes at, the first result is missing once."""

    def __init__(self) -> None:
        self._leaks = False

    def change(self, message: Message, reply: Message) -> Message:
        """The right answer, unless something leaked in from the case before."""
        leaked, self._leaks = self._leaks, is_here(message)
        if leaked and isinstance(reply.get("value"), list):
            return {**reply, "value": reply["value"][1:]}
        return reply
