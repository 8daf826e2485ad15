"""Cornice services whose every view says who may call it, what it reads and what it answers.

The declarations are read thrice: to validate the request, to render the reply, and to
write the OpenAPI document. So they can't drift apart.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from cornice import Service
from pydantic import BaseModel

from contentsvc.http.body import read_json, read_query
from contentsvc.http.request import ApiRequest
from contentsvc.http.uploads import UploadSpec, receive_upload
from contentsvc.http.permissions import Permission

View = TypeVar("View", bound=Callable[..., Any])
Loader = Callable[[ApiRequest], object]


@dataclass(frozen=True, eq=False)
class Operation:
    """One method on one path."""

    method: str
    path: str
    permission: Permission
    summary: str
    description: str
    response: Any
    status: int
    body: type[BaseModel] | None
    query: type[BaseModel] | None
    upload: UploadSpec | None
    subject: Loader | None
    idempotent: bool
    media_type: str

    def __deepcopy__(self, _memo: object) -> Operation:
        return self  # Cornice copies view arguments; the document and the view share this one.


class ApiService(Service):  # type: ignore[misc]  # cornice has no types
    """A path of the API::

        products = ApiService("products", "/api/products/")

        @products.get(permission=Permission.READ, query=ProductQuery, response=Page[ProductOut])
        def list_products(request): ...

    Keyword arguments of every method:

    - ``permission``: who may call; forgetting it is a TypeError at import.
    - ``response``: model (or any type) of the reply; None with ``status=204``. A view that
      returns a Response itself declares ``media_type``.
    - ``status``: of a success, 200 unless told.
    - ``subject``: loads what the path's ids name and raises NotFound; runs before the body
      is looked at, as the contract orders refusals. Result in ``validated["subject"]``.
    - ``body``, ``query``: models of the JSON body and the query string.
    - ``upload``: a multipart upload instead of a JSON body.
    - ``idempotent``: honours Idempotency-Key; default for every POST with a permission.
    """

    renderer = "contentsvc"
    operations: list[Operation]

    def add_view(
        self,
        method: str,
        view: Callable[..., Any],
        *,
        permission: Permission,
        response: Any = None,
        status: int = 200,
        body: type[BaseModel] | None = None,
        query: type[BaseModel] | None = None,
        upload: UploadSpec | None = None,
        subject: Loader | None = None,
        idempotent: bool | None = None,
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
            body=body,
            query=query,
            upload=upload,
            subject=subject,
            idempotent=idempotent,
            media_type=media_type,
        )
        self.__dict__.setdefault("operations", []).append(operation)
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
