"""The environment's variables of stages, gathered by their form: which stages there are, the pipelines know."""

from collections.abc import Iterable

from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from resources.process.variable_names import is_of_stages


class StageVariables(PydanticBaseSettingsSource):
    """The variables of the stages' form, by name; the first source that sets one decides."""

    def __init__(
        self, settings_cls: type[BaseSettings], sources: Iterable[PydanticBaseSettingsSource]
    ) -> None:
        """`sources` are the environment and `.env`."""
        super().__init__(settings_cls)
        self._sources = sources

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[object, str, bool]:
        """No single field is read from here."""
        return None, field_name, False

    def __call__(self) -> dict[str, object]:
        """The variables, sorted by name."""
        found: dict[str, str] = {}
        for source in self._sources:
            for name, value in getattr(source, "env_vars", {}).items():
                if value and is_of_stages(name.upper()):
                    found.setdefault(name.upper(), value)
        return {"stage_variables": tuple(sorted(found.items()))}
