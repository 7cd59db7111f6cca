//! Private JWK (RFC 7518 §6, RFC 8037 §2).

use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::Engine as _;
use rsa::BoxedUint;
use serde_json::{Map, Value};
use zeroize::{Zeroize, Zeroizing};

use super::signer::LocalKey;

/// Reads the JSON of a JWK; `None` when it is no private key of a known kind, or its public part is not its own.
pub(super) fn read(json: &str) -> Option<LocalKey> {
    let mut members: Map<String, Value> = serde_json::from_str(json).ok()?;
    let key = read_members(&members);
    for value in members.values_mut() {
        if let Value::String(text) = value {
            text.zeroize();
        }
    }
    key
}

fn read_members(members: &Map<String, Value>) -> Option<LocalKey> {
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    let part = |name: &str| URL_SAFE_NO_PAD.decode(text(name)?).ok().map(Zeroizing::new);
    match (text("kty")?, text("crv").unwrap_or_default()) {
        ("OKP", "Ed25519") => {
            let seed = Zeroizing::new(<[u8; 32]>::try_from(part("d")?.as_slice()).ok()?);
            let key = ed25519_dalek::SigningKey::from_bytes(&seed);
            (key.verifying_key().as_bytes()[..] == part("x")?[..]).then_some(LocalKey::Ed25519(key))
        }
        ("EC", "P-256") => {
            let key = p256::ecdsa::SigningKey::from_slice(&whole(part("d")?, 32)?).ok()?;
            let point = key.verifying_key().to_sec1_point(false);
            is_point(point.as_bytes(), &part("x")?, &part("y")?).then_some(LocalKey::P256(key))
        }
        ("EC", "P-384") => {
            let key = p384::ecdsa::SigningKey::from_slice(&whole(part("d")?, 48)?).ok()?;
            let point = key.verifying_key().to_sec1_point(false);
            is_point(point.as_bytes(), &part("x")?, &part("y")?).then_some(LocalKey::P384(key))
        }
        ("RSA", _) => {
            let number = |name: &str| part(name).map(|bytes| BoxedUint::from_be_slice_vartime(&bytes));
            // The others follow from these.
            if ["dp", "dq", "qi"].into_iter().any(|name| part(name).is_none()) {
                return None;
            }
            let primes = vec![number("p")?, number("q")?];
            let key = rsa::PrivateKey::from_components(number("n")?, number("e")?, number("d")?, primes).ok()?;
            LocalKey::from_rsa(key)
        }
        _ => None,
    }
}

fn whole(bytes: Zeroizing<Vec<u8>>, length: usize) -> Option<Zeroizing<Vec<u8>>> {
    (bytes.len() == length).then_some(bytes)
}

/// Whether an uncompressed point (SEC 1 §2.3.3) has these coordinates.
fn is_point(point: &[u8], x: &[u8], y: &[u8]) -> bool {
    let half = (point.len() - 1) / 2;
    point[1..=half] == *x && point[half + 1..] == *y
}
