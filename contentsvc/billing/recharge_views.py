"""Buying credit."""

from __future__ import annotations

from contentsvc.billing import recharges
from contentsvc.billing.channels import MANUAL, choose_channel
from contentsvc.billing.models import ZERO
from contentsvc.billing.recharges import Credited, Purchase
from contentsvc.billing.schemas import RechargeIn, RechargeOut
from contentsvc.http import ApiRequest, ApiService, ErrorCode, Permission, outside_transaction
from contentsvc.http.idempotency import await_twin

recharge = ApiService("billing-recharge", "/api/billing/recharge/")


def _default_channel(request: ApiRequest) -> str:
    """Where no channel is open nobody may recharge, whatever the body says."""
    return choose_channel(request.registry, None)


@recharge.post(
    permission=Permission.OWN,
    subject=_default_channel,
    body=RechargeIn,
    response=RechargeOut,
    status=201,
    refusals=(ErrorCode.CONFLICT, ErrorCode.PROVIDER_ERROR),
)
def recharge_credit(request: ApiRequest) -> Credited:
    """Buy credit for the team.

    Through one of the open channels, the first unless another is named; it decides whether
    the bonus is granted. 400 ``conflict`` says in the channel's words why it refuses. After
    502 ``provider_error`` the payment is still looked after: don't pay again.
    """
    body: RechargeIn = request.validated["body"]
    purchase = Purchase(
        team_id=request.identity.team_id,
        user_id=request.identity.user.id,
        channel=choose_channel(request.registry, body.channel),
        amount=body.amount,
        bonus=body.bonus or ZERO,
    )
    if purchase.channel == MANUAL:
        return recharges.credit(request.db, request.registry, purchase, purchase.bonus)
    return _through_plugin(request, purchase)


def _through_plugin(request: ApiRequest, purchase: Purchase) -> Credited:
    mark = request.claim.mark() if request.claim else None
    if mark is not None:
        await_twin(request, lambda: recharges.running_call(request.db, purchase.user_id, mark))
    recharge_id, job_id = recharges.begin(request.db, request.registry, purchase, mark)
    # The reply is filed with the credit: looked for again it would count as a replay.
    request.on_resume = None
    with outside_transaction(request):
        recharges.carry_out(request.registry, job_id)
    return recharges.result_of(request.db, recharge_id)
