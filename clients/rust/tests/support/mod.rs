//! Credentials and requests from their form in `vectors.json`.
#![allow(dead_code, reason = "every test file uses a part of it")]

use std::time::{Duration, UNIX_EPOCH};

use base64::engine::general_purpose::STANDARD;
use base64::Engine as _;
use postern_client::{Algorithm, Encoding, Hmac, Key, ParameterSignature, Problem, Request, Signed};
use serde_json::Value;

pub struct OwnedRequest {
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl OwnedRequest {
    pub fn view(&self) -> Request<'_> {
        let request = Request::new(&self.method, &self.url).body(&self.body);
        self.headers.iter().fold(request, |request, (name, value)| request.header(name, value))
    }
}

pub fn request_of(case: &Value) -> OwnedRequest {
    let request = &case["request"];
    OwnedRequest {
        method: request["method"].as_str().unwrap().to_owned(),
        url: request["url"].as_str().unwrap().to_owned(),
        headers: header_pairs(&request["headers"]),
        body: body_of(request.get("body")),
    }
}

pub fn header_pairs(pairs: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    pairs.as_array().unwrap().iter().map(|pair| (text(&pair[0]), text(&pair[1]))).collect()
}

pub fn body_of(body: Option<&Value>) -> Vec<u8> {
    match body {
        None => Vec::new(),
        Some(body) => match (body.get("text"), body.get("base64"), body.get("repeat")) {
            (Some(text), _, _) => text.as_str().unwrap().as_bytes().to_vec(),
            (_, Some(base64), _) => STANDARD.decode(base64.as_str().unwrap()).unwrap(),
            (_, _, Some(part)) => {
                part.as_str().unwrap().repeat(usize::try_from(body["times"].as_u64().unwrap()).unwrap()).into_bytes()
            }
            _ => panic!("an unknown form of body: {body}"),
        },
    }
}

pub fn sign(case: &Value) -> Result<Signed, Problem> {
    let client = &case["client"];
    let owned = request_of(case);
    let request = owned.view();
    let now = UNIX_EPOCH + Duration::from_secs(case["now"].as_u64().unwrap());
    let key = client["appKey"].as_str().unwrap();
    let secret = client["appSecret"].as_str().unwrap_or_default();
    let nonce = client["nonce"].as_bool().unwrap_or(false);
    let given = case["nonce"].as_str().unwrap_or_default().to_owned();
    match client["method"].as_str().unwrap() {
        "key" => {
            let mut credential = Key::new(key)?;
            if let Some(name) = client["carrier"]["header"].as_str() {
                credential = credential.in_header(name)?;
            }
            if let Some(name) = client["carrier"]["query"].as_str() {
                credential = credential.in_query(name)?;
            }
            credential.sign(&request)
        }
        "hmac" => {
            let headers: Vec<String> = client["signedHeaders"]
                .as_array()
                .map(|names| names.iter().map(|name| name.as_str().unwrap().to_owned()).collect())
                .unwrap_or_default();
            let mut credential = Hmac::new(key, secret)?.signed_headers(headers);
            if let Some(name) = client["algorithm"].as_str() {
                credential = credential.algorithm(algorithm_of(name));
            }
            if nonce {
                credential = credential.nonce_from(move || given.clone());
            }
            credential.sign_at(&request, now)
        }
        "parameter-signature" => {
            let mut credential = ParameterSignature::new(key, secret)?;
            match client["encoding"].as_str() {
                Some("raw") => credential = credential.encoding(Encoding::Raw),
                Some("decoded") | None => {}
                other => panic!("an unknown encoding: {other:?}"),
            }
            if nonce {
                credential = credential.nonce_from(move || given.clone());
            }
            credential.sign_at(&request, now)
        }
        other => panic!("an unknown method: {other}"),
    }
}

fn algorithm_of(name: &str) -> Algorithm {
    let all = [Algorithm::HmacSha256, Algorithm::HmacSha384, Algorithm::HmacSha512];
    all.into_iter().find(|each| each.as_str() == name).unwrap()
}

pub fn sha256_hex(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
