"""The base of light classes of data.

Imported before the first answer is given, so it imports nothing: `dataclasses` alone takes longer than all descriptions
of games, and `typing` longer than that.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import dataclass_transform

    @dataclass_transform()
    class Fields: ...

else:

    class Fields:
        """Takes its annotated fields, in their order or by name. One without a value in the class must be given.

        A class has the fields of its own body alone, not those of a class between it and this one.
        """

        def __init__(self, *values: object, **fields: object) -> None:
            kind = type(self)
            names = kind.__annotations__
            if len(values) > len(names):
                raise TypeError(f"{kind.__name__} has {len(names)} fields")
            for name, value in (*zip(names, values), *fields.items()):
                if name not in names:
                    raise TypeError(f"{kind.__name__} has no {name}")
                setattr(self, name, value)
            for name in names:
                if not hasattr(self, name):
                    raise TypeError(f"{kind.__name__} needs {name}")
