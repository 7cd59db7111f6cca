//! What the gateway asks of the signature of a call (`Accept-Signature`, RFC 9421 §5).

use ::reqwest::{Request, Response};

use super::credential::Signer;
#[cfg(feature = "private-keys")]
use super::wire::view_of;
use crate::Problem;

/// What is asked of one call. It is not kept for the next one.
#[derive(Default)]
pub(super) struct Asked {
    #[cfg(feature = "private-keys")]
    plan: Option<crate::message::Plan>,
}

#[cfg(feature = "private-keys")]
impl Asked {
    /// The codes of a 401 whose `Accept-Signature` counts.
    const CODES: [&'static str; 3] = ["CREDENTIALS_MISSING", "CREDENTIALS_MALFORMED", "AUTHENTICATION_FAILED"];

    /// Whether the refusal of a request asks for more, for the first time. The next attempt is signed so.
    pub(super) fn learn(
        &mut self,
        signer: &Signer,
        request: Option<&Request>,
        response: &Response,
        (status, code): (u16, &str),
    ) -> Result<bool, Problem> {
        let (Signer::HttpMessageSignature(credential), Some(request), None) = (signer, request, &self.plan) else {
            return Ok(false);
        };
        if status != 401 || !Self::CODES.contains(&code) {
            return Ok(false);
        }
        let lines: Option<Vec<&str>> =
            response.headers().get_all("accept-signature").iter().map(|line| line.to_str().ok()).collect();
        let Some(text) = lines.map(|lines| lines.join(", ")) else { return Ok(false) };
        self.plan = credential.plan_again(&view_of(request), &text)?;
        Ok(self.plan.is_some())
    }

    pub(super) fn sign(
        &self,
        credential: &crate::HttpMessageSignature,
        request: &crate::Request<'_>,
        now: std::time::SystemTime,
    ) -> Result<crate::Signed, Problem> {
        match &self.plan {
            Some(plan) => credential.sign_planned(request, plan, now),
            None => credential.sign_at(request, now),
        }
    }

    /// What follows has a nonce of its own.
    pub(super) fn was_signed(&mut self) {
        self.plan = self.plan.take().map(crate::message::Plan::later);
    }
}

#[cfg(not(feature = "private-keys"))]
impl Asked {
    #[allow(clippy::unnecessary_wraps, reason = "with private keys it can fail")]
    pub(super) fn learn(
        &mut self,
        _: &Signer,
        _: Option<&Request>,
        _: &Response,
        _: (u16, &str),
    ) -> Result<bool, Problem> {
        Ok(false)
    }

    pub(super) fn was_signed(&mut self) {}
}
