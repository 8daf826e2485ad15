"""What a model's options declare: the fields of its input, its variants, and where its output is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    ValidationError,
)

from contentsvc.plugin import ImageRequest, ProviderError, VideoRequest

Path = Annotated[str, StringConstraints(pattern=r"^[^.]+(\.[^.]+)*$", max_length=200)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TextSlot(_Part):
    """A field that takes a text. With ``values`` it takes what stands there for the text."""

    field: Path
    values: dict[str, JsonValue] = Field(default_factory=dict)


class SeedSlot(_Part):
    """A field that takes a number to begin from, up to ``max``."""

    field: Path
    max: int = Field(2**31 - 1, gt=0)


class LengthSlot(_Part):
    """A field that takes a clip's length in seconds.

    ``allowed`` are the only lengths there are; else whole seconds from ``min`` to ``max`` are
    ordered. What is ordered is never shorter than what is asked for, as far as that goes.
    ``text`` sends it as text, ``suffix`` (such as "s") behind the figure.
    """

    field: Path
    allowed: list[Annotated[float, Field(gt=0, allow_inf_nan=False)]] = Field(default_factory=list)
    min: int = Field(1, ge=1)
    max: int = Field(3600, ge=1)
    text: bool = False
    suffix: str = ""


class PictureSlot(_Part):
    """A field that takes the address of one picture."""

    field: Path


class PicturesSlot(_Part):
    """A field that takes pictures: a list of at most ``max``, or with ``single`` the first alone."""

    field: Path
    max: int = Field(1, ge=1)
    single: bool = False


def _slot(value: Any) -> Any:
    """A name alone is a slot without more."""
    return {"field": value} if isinstance(value, str) else value


Text = Annotated[TextSlot, BeforeValidator(_slot)]
Seed = Annotated[SeedSlot, BeforeValidator(_slot)]
Length = Annotated[LengthSlot, BeforeValidator(_slot)]
Picture = Annotated[PictureSlot, BeforeValidator(_slot)]
Pictures = Annotated[PicturesSlot, BeforeValidator(_slot)]


class Inputs(_Part):
    """Which field of the provider's input takes what. What is left out isn't sent.

    ``ratio`` and ``resolution`` are looked up by themselves, ``size`` by both: "9:16" for a
    picture, "9:16 720p" for a clip. ``width`` and ``height`` are looked up as ``size`` is.
    """

    prompt: Text
    negative_prompt: Text | None = None
    seed: Seed | None = None
    ratio: Text | None = None
    resolution: Text | None = None
    size: Text | None = None
    width: Text | None = None
    height: Text | None = None
    duration: Length | None = None
    first_frame: Picture | None = None
    last_frame: Picture | None = None
    references: Pictures | None = None


class Variant(_Part):
    """What differs for orders with a first frame, or with references. Empty: as the model's."""

    endpoint: str = ""
    input: Inputs | None = None
    fixed: dict[str, JsonValue] | None = None


class Declaration(BaseModel):
    """The options of a model, those of the service aside.

    ``fixed`` is sent with every order. ``output`` is the path to the result's link, ``rejected``
    the path to a flag that says that the result is no picture, because the content was refused.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    input: Inputs
    fixed: dict[str, JsonValue] = Field(default_factory=dict)
    output: Path | Literal[""] = ""
    rejected: Path | Literal[""] = ""
    variants: dict[Literal["first_frame", "references"], Variant] = Field(default_factory=dict)

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """Read a model's options. Raises ProviderError, which names the option that is wrong."""
        try:
            return cls.model_validate(dict(options))
        except ValidationError as error:
            raise ProviderError(f"The model's options can't be used: {first_fault(error)}.") from None

    def for_request(self, request: ImageRequest | VideoRequest, endpoint: str) -> tuple[Self, str]:
        """The declaration and the endpoint that hold for what the request brings along."""
        name = brought(request)
        variant = None if name is None else self.variants.get(name)
        if variant is None:
            return self, endpoint
        changes = {
            "input": variant.input or self.input,
            "fixed": self.fixed if variant.fixed is None else variant.fixed,
        }
        return self.model_copy(update=changes), variant.endpoint or endpoint


def brought(request: ImageRequest | VideoRequest) -> Literal["first_frame", "references"] | None:
    """What an order brings along that decides on the variant."""
    if isinstance(request, VideoRequest) and request.first_frame is not None:
        return "first_frame"
    return "references" if request.references else None


def first_fault(error: ValidationError) -> str:
    """What is wrong first, and where; without the value, which is nobody's business."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return ": ".join(filter(None, (".".join(str(part) for part in first["loc"]), first["msg"])))
