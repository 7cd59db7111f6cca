//! Private keys, and what signs with one that stays elsewhere.

mod jwk;
mod scheme;
mod signer;

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use zeroize::Zeroizing;

use crate::credential::invalid;
use crate::{Problem, Secret};
pub(crate) use scheme::{Signing, OF_ASSERTIONS, OF_MESSAGES};
use signer::LocalKey;

const BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const END: &str = "-----END PRIVATE KEY-----";

type Failure = Box<dyn Error + Send + Sync>;
type SignBytes = dyn Fn(&[u8]) -> Result<Vec<u8>, Failure> + Send + Sync;

/// A private key: Ed25519, on P-256 or P-384, or RSA of 2048 to 8192 bits. Or what signs with one that stays elsewhere:
/// in a KMS, an HSM or another process.
#[derive(Clone)]
pub struct PrivateKey(Arc<Kept>);

enum Kept {
    Here(LocalKey),
    Elsewhere { algorithm: String, sign: Box<SignBytes> },
}

impl PrivateKey {
    /// A key from a PEM text in PKCS#8: one block `PRIVATE KEY`, not encrypted.
    ///
    /// # Errors
    ///
    /// `INVALID_CREDENTIAL` when it is none, or the key is of another kind.
    pub fn from_pem(pem: impl Into<Secret>) -> Result<Self, Problem> {
        let pem = pem.into();
        let text = pem.expose().trim_matches([' ', '\t', '\r', '\n']);
        let is_one_block = text.starts_with(BEGIN) && text.ends_with(END) && text.matches("-----").count() == 2 * 2;
        let key = is_one_block.then(|| LocalKey::from_pkcs8(&in_lines(text))).flatten();
        key.map(Self::here).ok_or_else(|| {
            invalid(
                "the private key is no PEM in PKCS#8 of an Ed25519, P-256, P-384 or RSA key of 2048 to 8192 bits; \
                 `openssl pkcs8 -topk8 -nocrypt` changes other forms to it",
            )
        })
    }

    /// A key from the JSON of a private JWK (RFC 7518 §6, RFC 8037).
    ///
    /// # Errors
    ///
    /// `INVALID_CREDENTIAL` when it is none, or the key is of another kind.
    pub fn from_jwk(jwk: impl Into<Secret>) -> Result<Self, Problem> {
        let key = jwk::read(jwk.into().expose());
        key.map(Self::here)
            .ok_or_else(|| invalid("the private key is no private JWK of an Ed25519, P-256, P-384 or RSA key"))
    }

    /// A key that stays where it is, with its algorithm: for message signatures by its name in RFC 9421, such as
    /// `ecdsa-p256-sha256`; for assertions by its name in JWT, such as `ES256`.
    ///
    /// `sign` is given bytes, which it hashes itself, and gives their signature; that of ECDSA as r and s of equal
    /// length, or as DER. An error of it is the source of a problem `SIGNER_FAILED`. It is called on the thread of the
    /// call: where it waits, let it use `tokio::task::block_in_place`.
    pub fn from_signer<F, E>(algorithm: impl Into<String>, sign: F) -> Self
    where
        F: Fn(&[u8]) -> Result<Vec<u8>, E> + Send + Sync + 'static,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        let sign = Box::new(move |bytes: &[u8]| sign(bytes).map_err(Into::into));
        Self(Arc::new(Kept::Elsewhere { algorithm: algorithm.into(), sign }))
    }

    fn here(key: LocalKey) -> Self {
        Self(Arc::new(Kept::Here(key)))
    }
}

/// The PEM with lines of the usual length, as white space inside counts for nothing.
fn in_lines(text: &str) -> Zeroizing<String> {
    let inner = &text[BEGIN.len()..text.len() - END.len()];
    let mut lines = Zeroizing::new(format!("{BEGIN}\n"));
    for (index, letter) in inner.chars().filter(|letter| !letter.is_ascii_whitespace()).enumerate() {
        if index > 0 && index % 64 == 0 {
            lines.push('\n');
        }
        lines.push(letter);
    }
    lines.push('\n');
    lines.push_str(END);
    lines.push('\n');
    lines
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}
