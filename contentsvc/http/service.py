"""Cornice services whose every view says who may call it, what it reads and what it answers.

The declarations are read thrice: to validate the request, to render the reply, and to
write the OpenAPI document. So they can't drift apart.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from cornice import Service
from pydantic import BaseModel

from contentsvc.http.body import read_json, read_query
from contentsvc.http.errors import ErrorCode
from contentsvc.http.operations import Operation, UploadSpec
from contentsvc.http.permissions import Permission
from contentsvc.http.request import ApiRequest
from contentsvc.http.uploads import receive_upload

View = TypeVar("View", bound=Callable[..., Any])
Loader = Callable[[ApiRequest], object]


class ApiService(Service):
    """A path of the API::

        products = ApiService("products", "/api/products/")

        @products.get(permission=Permission.READ, query=ProductQuery, response=Page[ProductOut])
        def list_products(request): ...

    Keyword arguments of every method:

    - ``permission``: who may call; forgetting it is a TypeError at import.
    - ``response``: model (or any type) of the reply; None with ``status=204``. A view that
      returns a Response itself declares ``media_type``.
    - ``status``: of a success, 200 unless told; ``other_statuses`` are those the view sets itself.
    - ``subject``: loads what the path's ids name and raises NotFound; runs before the body
      is looked at, as the contract orders refusals. Result in ``validated["subject"]``.
    - ``body``, ``query``: models of the JSON body and the query string.
    - ``upload``: a multipart upload instead of a JSON body.
    - ``idempotent``: honours Idempotency-Key; default for every POST with a permission.
    - ``rated``: counts against the ini's rates; False for what machines ask all the time.
    - ``refusals``: codes the view may answer with beside those that follow from the rest;
      only the reference shows them.
    """

    renderer = "contentsvc"
    default_filters = ()

    @property
    def declared(self) -> tuple[Operation, ...]:
        """The operations on this path, as they were declared."""
        return tuple(self.__dict__.get("_operations", ()))

    def add_view(  # noqa: PLR0913 - keywords that views declare themselves with
        self,
        method: str,
        view: Callable[..., Any],
        *,
        permission: Permission,
        response: Any = None,
        status: int = 200,
        other_statuses: tuple[int, ...] = (),
        body: type[BaseModel] | None = None,
        query: type[BaseModel] | None = None,
        upload: UploadSpec | None = None,
        subject: Loader | None = None,
        idempotent: bool | None = None,
        rated: bool = True,
        refusals: tuple[ErrorCode, ...] = (),
        media_type: str = "application/json",
        **view_options: Any,
    ) -> None:
        """Register a view for a method; see the class for the arguments."""
        lines = (inspect.getdoc(view) or "").partition("\n\n")
        if not lines[0]:
            raise TypeError(f"{view.__qualname__} needs a docstring: the API reference shows it")
        if idempotent is None:
            idempotent = method.upper() == "POST" and permission is not Permission.PUBLIC
        operation = Operation(
            method=method.upper(),
            path=self.path,
            permission=permission,
            summary=" ".join(lines[0].split()).rstrip("."),
            description=lines[2].strip(),
            response=response,
            status=status,
            other_statuses=other_statuses,
            body=body,
            query=query,
            upload=upload,
            subject=subject,
            idempotent=idempotent,
            rated=rated,
            refusals=refusals,
            media_type=media_type,
            service=self.name,
            domain=view.__module__.split(".")[1] if "." in view.__module__ else view.__module__,
        )
        self.__dict__.setdefault("_operations", []).append(operation)
        super().add_view(
            method,
            view,
            permission=permission.value,
            operation=operation,
            validators=[_read_request],
            **view_options,
        )


def _read_request(request: ApiRequest, operation: Operation, **_kwargs: object) -> None:
    """Cornice validator: fill ``request.validated`` in the contract's order of refusals."""
    request.operation = operation
    if operation.subject is not None:
        request.validated["subject"] = operation.subject(request)
    if operation.upload is not None:
        request.validated["upload"] = receive_upload(request, operation.upload)
    if operation.body is not None:
        request.validated["body"] = read_json(request, operation.body)
    if operation.query is not None:
        request.validated["query"] = read_query(request, operation.query)
    request.response.status_int = operation.status
