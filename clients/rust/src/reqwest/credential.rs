use std::fmt;

use ::reqwest::Request;

use super::asked::Asked;
use super::clock::{Clock, Reading};
use super::token::Tokens;
use super::wire::{read_body, set_header, sign};
use super::{Error, OAuth2, TokenSource};
use crate::{Hmac, Key, ParameterSignature, Secret};
#[cfg(feature = "private-keys")]
use crate::{HttpMessageSignature, PrivateKeyJwt};

/// What a [`Client`](super::Client) signs with.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Credential {
    /// The App Key itself is sent.
    Key(Key),
    /// Date, method, target, body and headers are signed.
    Hmac(Hmac),
    /// The parameters are signed.
    ParameterSignature(ParameterSignature),
    /// An access token is sent.
    OAuth2(OAuth2),
    /// Method, host, path, query, body and more are signed with a private key.
    #[cfg(feature = "private-keys")]
    HttpMessageSignature(HttpMessageSignature),
    /// An access token is sent that a private key got.
    #[cfg(feature = "private-keys")]
    PrivateKeyJwt(PrivateKeyJwt),
}

impl From<Key> for Credential {
    fn from(credential: Key) -> Self {
        Self::Key(credential)
    }
}

impl From<Hmac> for Credential {
    fn from(credential: Hmac) -> Self {
        Self::Hmac(credential)
    }
}

impl From<ParameterSignature> for Credential {
    fn from(credential: ParameterSignature) -> Self {
        Self::ParameterSignature(credential)
    }
}

impl From<OAuth2> for Credential {
    fn from(credential: OAuth2) -> Self {
        Self::OAuth2(credential)
    }
}

#[cfg(feature = "private-keys")]
impl From<HttpMessageSignature> for Credential {
    fn from(credential: HttpMessageSignature) -> Self {
        Self::HttpMessageSignature(credential)
    }
}

#[cfg(feature = "private-keys")]
impl From<PrivateKeyJwt> for Credential {
    fn from(credential: PrivateKeyJwt) -> Self {
        Self::PrivateKeyJwt(credential)
    }
}

/// A credential in use.
pub(super) enum Signer {
    Key(Key),
    Hmac(Hmac),
    ParameterSignature(ParameterSignature),
    Tokens(Tokens),
    #[cfg(feature = "private-keys")]
    HttpMessageSignature(HttpMessageSignature),
}

impl Signer {
    pub(super) fn new(credential: Credential) -> Self {
        match credential {
            Credential::Key(key) => Self::Key(key),
            Credential::Hmac(hmac) => Self::Hmac(hmac),
            Credential::ParameterSignature(parameters) => Self::ParameterSignature(parameters),
            Credential::OAuth2(credential) => Self::Tokens(Tokens::new(TokenSource::Secret(credential))),
            #[cfg(feature = "private-keys")]
            Credential::HttpMessageSignature(credential) => Self::HttpMessageSignature(credential),
            #[cfg(feature = "private-keys")]
            Credential::PrivateKeyJwt(credential) => Self::Tokens(Tokens::new(TokenSource::Key(credential))),
        }
    }

    /// Reads the body into memory when it is signed.
    pub(super) async fn prepare(&self, request: &mut Request) -> Result<(), Error> {
        match self {
            Self::Hmac(_) | Self::ParameterSignature(_) => read_body(request).await,
            #[cfg(feature = "private-keys")]
            Self::HttpMessageSignature(_) => read_body(request).await,
            Self::Key(_) | Self::Tokens(_) => Ok(()),
        }
    }

    /// Signs a prepared request, as the gateway asked if it did. Gives the access token that was used, if any.
    #[cfg_attr(not(feature = "private-keys"), allow(unused_variables, reason = "for signatures with a key"))]
    pub(super) async fn sign(
        &self,
        request: &mut Request,
        reading: Reading,
        asked: &Asked,
        (http, clock): (&reqwest::Client, &Clock),
    ) -> Result<Option<Secret>, Error> {
        let now = reading.now();
        match self {
            Self::Key(key) => sign(request, |view| key.sign(view))?,
            Self::Hmac(hmac) => sign(request, |view| hmac.sign_at(view, now))?,
            Self::ParameterSignature(parameters) => sign(request, |view| parameters.sign_at(view, now))?,
            #[cfg(feature = "private-keys")]
            Self::HttpMessageSignature(credential) => sign(request, |view| asked.sign(credential, view, now))?,
            Self::Tokens(tokens) => {
                let token = tokens.get(http, clock).await?;
                let value = zeroize::Zeroizing::new(format!("Bearer {}", token.expose()));
                set_header(request, "authorization", &value)?;
                return Ok(Some(token));
            }
        }
        Ok(None)
    }

    pub(super) async fn forget(&self, token: &Secret) {
        if let Self::Tokens(tokens) = self {
            tokens.forget(token).await;
        }
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => key.fmt(f),
            Self::Hmac(hmac) => hmac.fmt(f),
            Self::ParameterSignature(parameters) => parameters.fmt(f),
            Self::Tokens(tokens) => tokens.source().fmt(f),
            #[cfg(feature = "private-keys")]
            Self::HttpMessageSignature(credential) => credential.fmt(f),
        }
    }
}
