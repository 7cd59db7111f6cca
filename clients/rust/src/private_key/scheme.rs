//! A private key with one algorithm of a method.

use super::{Kept, PrivateKey};
use crate::credential::invalid;
use crate::{Problem, ProblemCode};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Ed25519,
    P256,
    P384,
    Rsa,
}

/// How bytes are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    Ed25519,
    EcdsaP256,
    EcdsaP384,
    PssSha256,
    PssSha512,
    Pkcs1Sha256,
}

impl Scheme {
    fn kind(self) -> Kind {
        match self {
            Self::Ed25519 => Kind::Ed25519,
            Self::EcdsaP256 => Kind::P256,
            Self::EcdsaP384 => Kind::P384,
            Self::PssSha256 | Self::PssSha512 | Self::Pkcs1Sha256 => Kind::Rsa,
        }
    }

    /// The bytes of each of the two numbers of an ECDSA signature.
    fn half(self) -> Option<usize> {
        match self {
            Self::EcdsaP256 => Some(32),
            Self::EcdsaP384 => Some(48),
            _ => None,
        }
    }

    fn may_have(self, length: usize) -> bool {
        match (self, self.half()) {
            (_, Some(half)) => length == 2 * half,
            (Self::Ed25519, None) => length == 64,
            (_, None) => (256..=1024).contains(&length),
        }
    }
}

/// The algorithms of a method by their names. The first of a kind of key is its default.
pub(crate) struct Names(&'static [(&'static str, Scheme)]);

/// RFC 9421 §3.3.
pub(crate) const OF_MESSAGES: Names = Names(&[
    ("ed25519", Scheme::Ed25519),
    ("ecdsa-p256-sha256", Scheme::EcdsaP256),
    ("ecdsa-p384-sha384", Scheme::EcdsaP384),
    ("rsa-pss-sha512", Scheme::PssSha512),
    ("rsa-v1_5-sha256", Scheme::Pkcs1Sha256),
]);

/// RFC 7518 §3.1 and RFC 8037.
pub(crate) const OF_ASSERTIONS: Names = Names(&[
    ("EdDSA", Scheme::Ed25519),
    ("ES256", Scheme::EcdsaP256),
    ("ES384", Scheme::EcdsaP384),
    ("PS256", Scheme::PssSha256),
    ("PS512", Scheme::PssSha512),
    ("RS256", Scheme::Pkcs1Sha256),
]);

/// A private key and its algorithm.
#[derive(Clone, Debug)]
pub(crate) struct Signing {
    key: PrivateKey,
    algorithm: &'static str,
    scheme: Scheme,
}

impl Signing {
    /// The key with its own algorithm of a method.
    pub(crate) fn new(key: PrivateKey, names: &Names) -> Result<Self, Problem> {
        let found = names.0.iter().find(|(name, scheme)| match &*key.0 {
            Kept::Here(local) => scheme.kind() == local.kind(),
            Kept::Elsewhere { algorithm, .. } => algorithm == name,
        });
        let (algorithm, scheme) =
            *found.ok_or_else(|| invalid("the algorithm of the signer is none of the method's"))?;
        Ok(Self { key, algorithm, scheme })
    }

    /// The same key with another algorithm.
    pub(crate) fn with(self, names: &Names, name: &str) -> Result<Self, Problem> {
        let found = names.0.iter().find(|(each, scheme)| *each == name && scheme.kind() == self.scheme.kind());
        let (algorithm, scheme) = *found.ok_or_else(|| invalid("the algorithm is not one of the private key"))?;
        Ok(Self { key: self.key, algorithm, scheme })
    }

    pub(crate) fn algorithm(&self) -> &'static str {
        self.algorithm
    }

    pub(crate) fn sign(&self, bytes: &[u8]) -> Result<Vec<u8>, Problem> {
        let signature = match &*self.key.0 {
            Kept::Here(key) => key.sign(bytes, self.scheme),
            Kept::Elsewhere { sign, .. } => sign(bytes),
        };
        let signature =
            signature.map_err(|cause| Problem::new(ProblemCode::SignerFailed, "the signer failed").caused_by(cause))?;
        let signature = match self.scheme.half() {
            Some(half) if signature.len() != 2 * half => numbers_of_der(&signature, half).unwrap_or_default(),
            _ => signature,
        };
        if self.scheme.may_have(signature.len()) {
            Ok(signature)
        } else {
            let message = format!("the signer gave what is no signature of {}", self.algorithm);
            Err(Problem::new(ProblemCode::SignerFailed, message))
        }
    }
}

/// r and s of so many bytes each from the DER of a signature; `None` when it is none.
fn numbers_of_der(der: &[u8], half: usize) -> Option<Vec<u8>> {
    // Two numbers of at most 49 bytes each, so that every length is one byte.
    let [0x30, length, rest @ ..] = der else { return None };
    if usize::from(*length) != rest.len() || *length >= 0x80 {
        return None;
    }
    let (r, rest) = integer(rest)?;
    let (s, rest) = integer(rest)?;
    if !rest.is_empty() || r.len() > half || s.len() > half {
        return None;
    }
    let mut numbers = vec![0; 2 * half];
    numbers[half - r.len()..half].copy_from_slice(r);
    numbers[2 * half - s.len()..].copy_from_slice(s);
    Some(numbers)
}

/// The bytes of a DER integer without zeros at the start, and what follows it.
fn integer(der: &[u8]) -> Option<(&[u8], &[u8])> {
    let [0x02, length, rest @ ..] = der else { return None };
    let (bytes, rest) = rest.split_at_checked(usize::from(*length))?;
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    Some((&bytes[zeros..], rest))
}

#[cfg(test)]
mod tests {
    use super::numbers_of_der;

    #[test]
    fn der_becomes_numbers_of_equal_length() {
        let mut numbers = vec![0; 64];
        (numbers[31], numbers[63]) = (1, 0x80);
        assert_eq!(numbers_of_der(&[0x30, 7, 2, 1, 1, 2, 2, 0, 0x80], 32), Some(numbers));
        for der in
            [&[][..], &[0x30], &[0x30, 3, 2, 1, 1], &[0x30, 6, 2, 1, 1, 2, 1, 1, 0], &[0x30, 6, 2, 1, 1, 2, 2, 1]]
        {
            assert_eq!(numbers_of_der(der, 32), None, "{der:?}");
        }
        let mut long = vec![0x30, 38, 2, 33];
        long.extend([1; 33]);
        long.extend([2, 1, 1]);
        assert_eq!(numbers_of_der(&long, 32), None);
    }
}
