"""The two ceremonies of WebAuthn, by the package `webauthn`: making a passkey, and showing it.

The package takes 35 ms of CPU time to load, so this module is imported when somebody first uses a
passkey.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from webauthn import (
    base64url_to_bytes,
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import bytes_to_base64url
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from parlour.protocol.routes import Arrival

_WRONG = (WebAuthnException, ValueError, TypeError, LookupError, AttributeError)
"""Raised for answers that are wrong in any way."""


@dataclass(frozen=True, slots=True)
class Made:
    """A passkey that a browser has made."""

    id: str
    key: bytes
    count: int


def to_make(
    arrival: Arrival, name: str, visitor: str, challenge: bytes, known: Iterable[str]
) -> bytes:
    """Options for `navigator.credentials.create`; `known`: the ids of passkeys they have."""
    options = generate_registration_options(
        rp_id=_site(arrival),
        rp_name="Parlour",
        user_name=name,
        user_id=visitor.encode(),
        challenge=challenge,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED,
            user_verification=UserVerificationRequirement.REQUIRED,
        ),
        exclude_credentials=[
            PublicKeyCredentialDescriptor(base64url_to_bytes(id_)) for id_ in known
        ],
    )
    return options_to_json(options).encode()


def made(arrival: Arrival, credential: dict[str, Any], challenge: bytes) -> Made | None:
    """The passkey in a browser's answer; None: the answer is wrong."""
    try:
        found = verify_registration_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=_site(arrival),
            expected_origin=_origin(arrival),
            require_user_verification=True,
        )
    except _WRONG:
        return None
    id_ = bytes_to_base64url(found.credential_id)
    return Made(id_, found.credential_public_key, found.sign_count)


def to_show(arrival: Arrival, challenge: bytes) -> bytes:
    """Options for `navigator.credentials.get`: any passkey of this site."""
    options = generate_authentication_options(
        rp_id=_site(arrival),
        challenge=challenge,
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    return options_to_json(options).encode()


def shown(
    arrival: Arrival, credential: dict[str, Any], challenge: bytes, key: bytes, count: int
) -> int | None:
    """How often a passkey has signed, if it signed this challenge; None: it did not."""
    try:
        found = verify_authentication_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=_site(arrival),
            expected_origin=_origin(arrival),
            credential_public_key=key,
            credential_current_sign_count=count,
            require_user_verification=True,
        )
    except _WRONG:
        return None
    return found.new_sign_count


def _site(arrival: Arrival) -> str:
    """The host without its port: a passkey is for one host."""
    return urlsplit(f"//{arrival.host}").hostname or ""


def _origin(arrival: Arrival) -> str:
    """The origin of the page that asks, as its browser names it."""
    return f"{arrival.scheme}://{arrival.host}"
