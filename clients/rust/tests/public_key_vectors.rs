//! Every case of `../public-key-vectors.json`.

mod support;

use std::time::{Duration, UNIX_EPOCH};

use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use base64::Engine as _;
use p256::pkcs8::DecodePublicKey;
use postern_client::{HttpMessageSignature, PrivateKey, PrivateKeyJwt, Problem, Signed};
use rsa::signature::Verifier;
use serde_json::Value;
use sha2::{Sha256, Sha512};
use support::{header_pairs, request_of};

fn document() -> Value {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../public-key-vectors.json"))
        .expect("clients/public-key-vectors.json can be read");
    let document: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(document["format"], 1);
    document
}

#[test]
fn every_case() {
    let document = document();
    let cases = document["cases"].as_array().expect("cases");
    let failed: Vec<String> = cases
        .iter()
        .filter_map(|case| check(case, &document["keys"]).err().map(|why| format!("{}: {why}", case["name"])))
        .collect();
    assert!(failed.is_empty(), "{} of {}\n{}", failed.len(), cases.len(), failed.join("\n"));
    assert!(cases.len() > 300, "only {} vectors", cases.len());
    println!("public keys: {} vectors passed", cases.len());
}

fn check(case: &Value, keys: &Value) -> Result<(), String> {
    match (made(case, keys), case["problem"].as_str()) {
        (Err(problem), Some(code)) if problem.code().as_str() == code => Ok(()),
        (Err(problem), _) => Err(problem.to_string()),
        (Ok(_), Some(code)) => Err(format!("no {code}")),
        (Ok(Made::Assertion(jwt)), None) => is_assertion(&jwt, &case["assertion"], keys),
        (Ok(Made::Signed(None)), None) if case["signed"].is_null() => Ok(()),
        (Ok(Made::Signed(Some(signed))), None) if !case["signed"].is_null() => is_signed(&signed, case, keys),
        (Ok(Made::Signed(signed)), None) => Err(format!("signed {:?}", signed.map(|each| each.url().to_owned()))),
    }
}

enum Made {
    Signed(Option<Signed>),
    Assertion(String),
}

fn made(case: &Value, keys: &Value) -> Result<Made, Problem> {
    let client = &case["client"];
    let text = |name: &str| client[name].as_str();
    let given = case["nonce"].as_str().unwrap_or_default().to_owned();
    let now = UNIX_EPOCH + Duration::from_secs(case["now"].as_u64().unwrap_or_default());
    let key = key_of(&client["privateKey"], keys)?;
    let app_key = text("appKey").unwrap();
    if client["method"] == "private-key-jwt" {
        let mut credential =
            PrivateKeyJwt::new(app_key, key, text("tokenUrl").unwrap())?.id_from(move || given.clone());
        if let Some(name) = text("algorithm") {
            credential = credential.algorithm(name)?;
        }
        if let Some(audience) = text("audience") {
            credential = credential.audience(audience)?;
        }
        return Ok(Made::Assertion(credential.assertion_at(now)?.to_string()));
    }
    let mut credential = HttpMessageSignature::new(app_key, key)?.nonce_from(move || given.clone());
    if client["nonce"] == false {
        credential = credential.without_nonce();
    }
    if let Some(name) = text("algorithm") {
        credential = credential.algorithm(name)?;
    }
    if let Some(tag) = text("tag") {
        credential = credential.tag(tag)?;
    }
    if let Some(label) = text("label") {
        credential = credential.label(label)?;
    }
    if let Some(names) = client["coverAlso"].as_array() {
        credential = credential.cover_also(names.iter().map(|name| name.as_str().unwrap()));
    }
    let owned = request_of(case);
    let request = owned.view();
    Ok(Made::Signed(match case["acceptSignature"].as_str() {
        Some(asked) => credential.sign_again_at(&request, asked, now)?,
        None => Some(credential.sign_at(&request, now)?),
    }))
}

fn key_of(key: &Value, keys: &Value) -> Result<PrivateKey, Problem> {
    let named = &keys[key["key"].as_str().unwrap_or_default()];
    let given = if named.is_null() { key } else { named };
    if key["as"] == "jwk" || (named.is_null() && !given["jwk"].is_null()) {
        return PrivateKey::from_jwk(given["jwk"].to_string());
    }
    PrivateKey::from_pem(given["pem"].as_str().unwrap())
}

fn is_signed(signed: &Signed, case: &Value, keys: &Value) -> Result<(), String> {
    let expected = &case["signed"];
    let text = case["stringToSign"].as_str().unwrap();
    if signed.string_to_sign() != Some(text) || signed.target() != expected["target"] || signed.body().is_some() {
        return Err(format!("string to sign {:?}", signed.string_to_sign()));
    }
    let signature = &case["signature"];
    let headers: Vec<(&str, &str)> = signed.headers().collect();
    let value = headers.iter().find(|(name, _)| *name == "Signature").map(|(_, value)| *value).unwrap();
    let start = format!("{}=:", signature["label"].as_str().unwrap());
    let encoded = value.strip_prefix(&start).and_then(|rest| rest.strip_suffix(':')).ok_or(value)?;
    let bytes = STANDARD.decode(encoded).map_err(|why| why.to_string())?;
    verify(signature, keys, text, &bytes)?;
    let mut wanted = header_pairs(&expected["headers"]);
    if !wanted.iter().any(|(name, _)| name == "Signature") {
        wanted.push(("Signature".to_owned(), value.to_owned()));
    }
    let mut set: Vec<(String, String)> =
        headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    set.sort();
    wanted.sort();
    (set == wanted).then_some(()).ok_or_else(|| format!("headers {set:?}, not {wanted:?}"))
}

fn is_assertion(jwt: &str, expected: &Value, keys: &Value) -> Result<(), String> {
    let (text, signature) = jwt.rsplit_once('.').ok_or("no dot")?;
    let bytes = URL_SAFE_NO_PAD.decode(signature).map_err(|why| why.to_string())?;
    if text != expected["signingInput"] || expected["jwt"].as_str().is_some_and(|wanted| wanted != jwt) {
        return Err(jwt.to_owned());
    }
    verify(expected, keys, text, &bytes)
}

fn verify(expected: &Value, keys: &Value, text: &str, bytes: &[u8]) -> Result<(), String> {
    let pem = keys[expected["key"].as_str().unwrap()]["publicPem"].as_str().unwrap();
    let text = text.as_bytes();
    let rsa = || rsa::PublicKey::from_public_key_pem(pem).unwrap();
    let result = match expected["algorithm"].as_str().unwrap() {
        "ed25519" | "EdDSA" => ed25519_dalek::VerifyingKey::from_public_key_pem(pem)
            .unwrap()
            .verify(text, &ed25519_dalek::Signature::from_slice(bytes).unwrap()),
        "ecdsa-p256-sha256" | "ES256" => p256::ecdsa::VerifyingKey::from_public_key_pem(pem)
            .unwrap()
            .verify(text, &p256::ecdsa::Signature::from_slice(bytes).unwrap()),
        "ecdsa-p384-sha384" | "ES384" => p384::ecdsa::VerifyingKey::from_public_key_pem(pem)
            .unwrap()
            .verify(text, &p384::ecdsa::Signature::from_slice(bytes).unwrap()),
        "rsa-pss-sha512" | "PS512" => {
            rsa::pss::VerifyingKey::<Sha512>::new(rsa()).verify(text, &bytes.try_into().unwrap())
        }
        "PS256" => rsa::pss::VerifyingKey::<Sha256>::new(rsa()).verify(text, &bytes.try_into().unwrap()),
        "rsa-v1_5-sha256" | "RS256" => {
            rsa::pkcs1v15::VerifyingKey::<Sha256>::new(rsa()).verify(text, &bytes.try_into().unwrap())
        }
        other => return Err(format!("an unknown algorithm: {other}")),
    };
    result.map_err(|why| format!("does not verify: {why}"))
}
