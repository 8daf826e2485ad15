"""Write what plugins declare to the configuration tables, without touching an administrator's edits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pyramid.registry import Registry
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from contentsvc.plugin import Driver, Model
from contentsvc.providers.models import ModelConfig, Provider
from contentsvc.providers.plugins import Plugins, plugins_of
from contentsvc.providers.services import lock_defaults
from contentsvc.security.secrets import SecretUnreadable, secret_box_of

_LOCK = "contentsvc.providers.sync"
PROVIDER_FIELDS = ("display_name", "driver", "base_url")
MODEL_FIELDS = ("display_name", "endpoint", "unit_price", "billing_unit", "options")


def sync(session: Session, registry: Registry) -> None:
    """Make or refresh a row for every declared driver and model; of processes that start together one works.

    Fields in ``edited_fields`` and deleted rows are left alone. A row that the administrator
    made before the plugin came is adopted as it is. Rows whose plugin has gone stay. A
    capability without a default gets the first model declared as one.
    """
    session.execute(select(func.pg_advisory_xact_lock(func.hashtext(_LOCK))))
    # Before any row is written: who holds it may be waiting for one of them.
    lock_defaults(session)
    plugins = plugins_of(registry)
    providers = _sync_providers(session, plugins.drivers.values())
    _sync_models(session, plugins, providers)
    _set_defaults(session, plugins)


def renew_api_keys(session: Session, registry: Registry) -> int:
    """Encrypt stored API keys anew under the first key of the ini; how many it was.

    A key that none of the ini's keys opens stays as it is: the key may come back.
    """
    box = secret_box_of(registry)
    renewed = 0
    stored = select(Provider).where(Provider.api_key_encrypted.is_not(None)).with_for_update()
    for provider in session.scalars(stored):
        secret = provider.api_key_encrypted
        if secret is None or box.is_current(secret):
            continue
        try:
            provider.api_key_encrypted = box.rotate(secret)
        except SecretUnreadable:
            continue
        renewed += 1
    return renewed


def model_key(model: Model) -> str:
    """How a declared model's row remembers its declaration."""
    return f"{model.provider}/{model.capability}/{model.name}"


def _sync_providers(session: Session, drivers: Iterable[Driver]) -> dict[str, Provider]:
    rows = {row.declared_key: row for row in session.scalars(select(Provider)) if row.declared_key}
    by_name = {
        row.name: row for row in session.scalars(select(Provider).where(Provider.deleted_at.is_(None)))
    }
    synced = {}
    for driver in drivers:
        values = {"display_name": driver.display_name, "driver": driver.name, "base_url": driver.base_url}
        row = rows.get(driver.name)
        if row is not None:
            _refresh(row, values)
        elif driver.name in by_name and by_name[driver.name].declared_key is None:
            row = by_name[driver.name]
            row.declared_key = driver.name
            row.edited_fields = list(PROVIDER_FIELDS)
        elif driver.name in by_name:
            continue  # another plugin's provider was renamed to this; the administrator must choose
        else:
            row = Provider(name=driver.name, declared_key=driver.name, **values)
            session.add(row)
        synced[driver.name] = row
    session.flush()
    return synced


def _sync_models(session: Session, plugins: Plugins, providers: Mapping[str, Provider]) -> None:
    every = session.scalars(select(ModelConfig)).unique().all()
    rows = {row.declared_key: row for row in every if row.declared_key}
    taken = {(row.provider_id, row.capability, row.name): row for row in every if row.deleted_at is None}
    for model in plugins.models:
        provider = providers.get(model.provider)
        if provider is None or provider.deleted_at is not None:
            continue
        values = {
            "display_name": model.display_name,
            "endpoint": model.endpoint,
            "unit_price": model.unit_price,
            "billing_unit": model.billing_unit.value,
            "options": dict(model.options),
        }
        key = model_key(model)
        if key in rows:
            _refresh(rows[key], values)
            continue
        same = taken.get((provider.id, model.capability, model.name))
        if same is None:
            session.add(
                ModelConfig(
                    provider=provider,
                    name=model.name,
                    capability=model.capability.value,
                    declared_key=key,
                    **values,
                )
            )
        elif same.declared_key is None:
            same.declared_key = key
            same.edited_fields = list(MODEL_FIELDS)
    session.flush()


def _refresh(row: Provider | ModelConfig, values: Mapping[str, Any]) -> None:
    if row.deleted_at is not None:
        return
    for field, value in values.items():
        if field not in row.edited_fields and getattr(row, field) != value:
            setattr(row, field, value)


def _set_defaults(session: Session, plugins: Plugins) -> None:
    live = ModelConfig.deleted_at.is_(None)
    settled = set(session.scalars(select(ModelConfig.capability).where(ModelConfig.is_default, live)))
    for model in plugins.models:
        if not model.is_default or model.capability in settled:
            continue
        declared = select(ModelConfig).where(ModelConfig.declared_key == model_key(model), live)
        row = session.scalars(declared).one_or_none()
        if row is not None and row.capability == model.capability:
            row.is_default = True
            settled.add(model.capability)
    session.flush()
