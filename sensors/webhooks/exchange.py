"""One try of a webhook over HTTP."""

import httpx

from resources.http.guarded_client import RefusedAddressError, RefusedSchemeError, guarded_client
from resources.http.host_allowlist import HostAllowlist
from resources.http.trust import trust_problem
from resources.http.vendor_client import retry_after
from sensors.webhooks.schedule import LONGEST_WAIT, Fault, ReceiverAnswer
from sensors.webhooks.signing import SignedMessage

# Nothing of the response's body is read.
_NO_BODY = 0


def send(
    url: str, message: SignedMessage, allowlist: HostAllowlist, deadline_seconds: float
) -> ReceiverAnswer | Fault:
    """The receiver's answer, or why there is none. Its host's addresses are checked, as for a linked picture.

    No redirect is followed, and the deadline is over all of it. No sentence repeats what the receiver sent.
    """
    problem = allowlist.url_problem(url)
    if problem is not None:
        return Fault("callback_url_refused", f"callback_url: {problem}", final=True)
    try:
        with (
            guarded_client(
                allowlist, deadline_seconds=deadline_seconds, max_response_bytes=_NO_BODY
            ) as client,
            client.stream(
                "POST", url, content=message.body, headers=dict(message.headers)
            ) as response,
        ):
            return ReceiverAnswer(response.status_code, retry_after(response.headers, LONGEST_WAIT))
    except RefusedAddressError:
        return Fault(
            "private_address", "callback_url: it leads to a private address; expected a public one"
        )
    except RefusedSchemeError as error:
        return Fault("callback_url_refused", f"callback_url: {error}", final=True)
    except httpx.ConnectError as error:
        problem = trust_problem(error)
        told = f"the receiver: {problem}" if problem else "the receiver cannot be reached"
        return Fault("unreachable", told if problem else f"{told} ({type(error).__name__})")
    except httpx.TimeoutException:
        message_text = f"the receiver did not answer within {deadline_seconds:g} s"
        return Fault("timeout", message_text)
    except (httpx.HTTPError, httpx.StreamError) as error:
        return Fault("no_answer", f"the receiver's answer cannot be read ({type(error).__name__})")
    except (httpx.InvalidURL, ValueError):
        sentence = "callback_url: expected a link that begins with https://"
        return Fault("callback_url_refused", sentence, final=True)
