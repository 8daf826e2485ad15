import json

import pytest

from contentsvc.plugin import AuthenticationFailed
from contentsvc_volcengine.keys import read_keys


def test_a_plain_text_is_the_api_key() -> None:
    assert read_keys(" ark-1234 \n").get("api_key") == "ark-1234"


def test_json_holds_several_keys() -> None:
    keys = read_keys(json.dumps({"api_key": "ark-1", "access_key_id": "AKLT", "secret_access_key": "c2Vj"}))
    assert keys.need("access_key_id", "secret_access_key") == ("AKLT", "c2Vj")


def test_a_missing_part_is_named() -> None:
    with pytest.raises(AuthenticationFailed, match="lacks access_key_id and secret_access_key"):
        read_keys("ark-1234").need("access_key_id", "secret_access_key")


@pytest.mark.parametrize("secret", ["{broken", '{"api_key": 7}', "zwei worte", "schlüssel", "a\nb"])
def test_what_can_be_no_key_is_refused_without_being_shown(secret: str) -> None:
    with pytest.raises(AuthenticationFailed) as caught:
        read_keys(secret)
    assert secret not in str(caught.value)


def test_every_part_is_hidden() -> None:
    keys = read_keys(json.dumps({"access_key_id": "AKLT77", "secret_access_key": "c2Vj"}))
    assert keys.hide("AKLT77 signed with c2Vj") == "[hidden] signed with [hidden]"


def test_keys_are_not_in_their_representation() -> None:
    assert "ark-1234" not in repr(read_keys("ark-1234"))
