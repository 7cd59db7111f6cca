//! Keys in memory.

use ed25519_dalek::pkcs8::DecodePrivateKey;
use rsa::signature::{SignatureEncoding, Signer};
use rsa::traits::PublicKeyParts;
use sha2::{Sha256, Sha512};

use super::scheme::{Kind, Scheme};
use super::Failure;

const RSA_BITS: std::ops::RangeInclusive<usize> = 2048..=8192;

pub(super) enum LocalKey {
    Ed25519(ed25519_dalek::SigningKey),
    P256(p256::ecdsa::SigningKey),
    P384(p384::ecdsa::SigningKey),
    Rsa(Box<RsaKeys>),
}

/// One key for each way to sign.
pub(super) struct RsaKeys {
    pss_sha256: rsa::pss::SigningKey<Sha256>,
    pss_sha512: rsa::pss::SigningKey<Sha512>,
    pkcs1_sha256: rsa::pkcs1v15::SigningKey<Sha256>,
}

impl LocalKey {
    /// Reads a PEM of one block; `None` when it is no key of a known kind.
    pub(super) fn from_pkcs8(pem: &str) -> Option<Self> {
        let ed25519 = || ed25519_dalek::SigningKey::from_pkcs8_pem(pem).map(Self::Ed25519);
        let p256 = || p256::ecdsa::SigningKey::from_pkcs8_pem(pem).map(Self::P256);
        let p384 = || p384::ecdsa::SigningKey::from_pkcs8_pem(pem).map(Self::P384);
        let elliptic = ed25519().or_else(|_| p256()).or_else(|_| p384());
        elliptic.ok().or_else(|| Self::from_rsa(rsa::PrivateKey::from_pkcs8_pem(pem).ok()?))
    }

    /// `None` for a key that is too short or too long.
    pub(super) fn from_rsa(key: rsa::PrivateKey) -> Option<Self> {
        let modulus = key.n_bytes();
        let unused = modulus.first()?.leading_zeros() as usize;
        RSA_BITS.contains(&(8 * modulus.len() - unused)).then(|| {
            Self::Rsa(Box::new(RsaKeys {
                pss_sha256: rsa::pss::SigningKey::new(key.clone()),
                pss_sha512: rsa::pss::SigningKey::new(key.clone()),
                pkcs1_sha256: rsa::pkcs1v15::SigningKey::new(key),
            }))
        })
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Ed25519(_) => Kind::Ed25519,
            Self::P256(_) => Kind::P256,
            Self::P384(_) => Kind::P384,
            Self::Rsa(_) => Kind::Rsa,
        }
    }

    pub(super) fn sign(&self, bytes: &[u8], scheme: Scheme) -> Result<Vec<u8>, Failure> {
        Ok(match self {
            Self::Ed25519(key) => key.try_sign(bytes)?.to_bytes().to_vec(),
            Self::P256(key) => {
                let signature: p256::ecdsa::Signature = key.try_sign(bytes)?;
                signature.to_bytes().to_vec()
            }
            Self::P384(key) => {
                let signature: p384::ecdsa::Signature = key.try_sign(bytes)?;
                signature.to_bytes().to_vec()
            }
            Self::Rsa(keys) => match scheme {
                Scheme::PssSha256 => keys.pss_sha256.try_sign(bytes)?.to_vec(),
                Scheme::PssSha512 => keys.pss_sha512.try_sign(bytes)?.to_vec(),
                _ => keys.pkcs1_sha256.try_sign(bytes)?.to_vec(),
            },
        })
    }
}
