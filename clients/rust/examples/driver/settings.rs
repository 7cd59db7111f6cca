//! A client of the driver: its settings, its clock and nonces, and the clients of reqwest that are made from them.

use std::collections::{HashMap, VecDeque};
use std::error::Error as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use postern_client::reqwest::{Client, Credential, Error, OAuth2};
use postern_client::{
    Algorithm, Encoding, Hmac, HttpMessageSignature, Key, ParameterSignature, PrivateKey, PrivateKeyJwt, Secret,
};
use serde_json::Value;

use crate::{error, Failure};

/// HTTP version, whether TLS is used, and whether reqwest is asked to follow redirects.
type Connection = (String, bool, bool);

pub(crate) struct Settings {
    json: Value,
    pub(crate) credential: Credential,
    clients: Mutex<HashMap<Connection, Client>>,
}

impl Settings {
    pub(crate) fn new(json: &Value) -> Result<Self, Failure> {
        let settings =
            Self { json: json.clone(), credential: credential_of(json)?, clients: Mutex::new(HashMap::new()) };
        settings.client("1.1", false, false)?;
        Ok(settings)
    }

    /// The client for a version of HTTP, made once.
    pub(crate) fn client(&self, http: &str, tls: bool, follow: bool) -> Result<Client, Failure> {
        let mut clients = self.clients.lock().map_err(|_| error("a lock is poisoned"))?;
        let connection = (http.to_owned(), tls, follow);
        if let Some(client) = clients.get(&connection) {
            return Ok(client.clone());
        }
        let client = self.make(http, tls, follow)?;
        clients.insert(connection, client.clone());
        Ok(client)
    }

    fn make(&self, http: &str, tls: bool, follow: bool) -> Result<Client, Failure> {
        let authorities = match self.json["ca"].as_str() {
            Some(file) => {
                let pem = std::fs::read(file).map_err(|why| error(format!("the file of ca: {why}")))?;
                reqwest::Certificate::from_pem_bundle(&pem).map_err(|why| error(why.to_string()))?
            }
            None => Vec::new(),
        };
        let builder = reqwest::Client::builder().no_proxy().tls_certs_only(authorities);
        let builder = match self.json["proxy"].as_str() {
            Some(url) => builder.proxy(reqwest::Proxy::all(url).map_err(|why| error(why.to_string()))?),
            None => builder,
        };
        let builder = match (http, tls) {
            ("1.1", _) => builder.http1_only(),
            ("2", false) => builder.http2_prior_knowledge(),
            ("2", true) => builder,
            _ => return Err(error("http is neither 1.1 nor 2")),
        };
        let builder = if follow { builder.redirect(reqwest::redirect::Policy::limited(5)) } else { builder };
        let mut client = Client::builder(self.credential.clone()).http(builder).clock(self.clock());
        if let Some(retries) = self.json["retries"].as_u64() {
            client = client.retries(u32::try_from(retries).unwrap_or(u32::MAX));
        }
        if let Some(seconds) = self.json["clockCorrection"].as_u64() {
            client = client.clock_correction(Duration::from_secs(seconds));
        }
        client.build().map_err(|why| error(text_of(&why)))
    }

    pub(crate) fn clock(&self) -> impl Fn() -> SystemTime + Send + Sync + 'static {
        let fixed = self.json["now"].as_u64();
        let offset = self.json["clockOffset"].as_i64().unwrap_or_default();
        move || match fixed {
            Some(seconds) => UNIX_EPOCH + Duration::from_secs(seconds),
            None if offset < 0 => SystemTime::now() - Duration::from_secs(offset.unsigned_abs()),
            None => SystemTime::now() + Duration::from_secs(offset.unsigned_abs()),
        }
    }

    /// An assertion of the next question to the token URL.
    pub(crate) fn assertion(&self) -> Result<String, Failure> {
        match &self.credential {
            Credential::PrivateKeyJwt(credential) => Ok(credential.assertion_at(self.clock()())?.to_string()),
            _ => Err(error("the method has no assertions")),
        }
    }

    /// Every way to print the client and what it is made of.
    pub(crate) fn print(&self) -> Result<String, Failure> {
        let client = self.client("1.1", false, false)?;
        let secret = Secret::from(self.json["appSecret"].as_str().unwrap_or_default());
        let builder = Client::builder(self.credential.clone());
        Ok(format!(
            "{client:?}\n{client:#?}\n{builder:?}\n{:?}\n{:#?}\n{secret}\n{secret:?}",
            self.credential, self.credential
        ))
    }
}

/// An error with all its causes.
pub(crate) fn text_of(why: &Error) -> String {
    let mut text = why.to_string();
    let mut cause = why.source();
    while let Some(why) = cause {
        text = format!("{text}: {why}");
        cause = why.source();
    }
    text
}

fn credential_of(json: &Value) -> Result<Credential, Failure> {
    let text = |name: &str| json[name].as_str().unwrap_or_default();
    let (app_key, app_secret) = (text("appKey"), text("appSecret"));
    Ok(match text("method") {
        "key" => {
            let mut key = Key::new(app_key)?;
            if let Some(name) = json["carrier"]["header"].as_str() {
                key = key.in_header(name)?;
            }
            if let Some(name) = json["carrier"]["query"].as_str() {
                key = key.in_query(name)?;
            }
            key.into()
        }
        "hmac" => {
            let mut hmac = Hmac::new(app_key, app_secret)?;
            if let Some(name) = json["algorithm"].as_str() {
                hmac = hmac.algorithm(name.parse::<Algorithm>()?);
            }
            if let Some(names) = json["signedHeaders"].as_array() {
                hmac = hmac.signed_headers(names.iter().filter_map(Value::as_str));
            }
            match nonces(json) {
                Some(Some(source)) => hmac.nonce_from(source).into(),
                Some(None) => hmac.nonce().into(),
                None => hmac.into(),
            }
        }
        "parameter-signature" => {
            let mut parameters = ParameterSignature::new(app_key, app_secret)?;
            if let Some(name) = json["encoding"].as_str() {
                parameters = parameters.encoding(name.parse::<Encoding>()?);
            }
            match nonces(json) {
                Some(Some(source)) => parameters.nonce_from(source).into(),
                Some(None) => parameters.nonce().into(),
                None => parameters.into(),
            }
        }
        "oauth2" => OAuth2::new(app_key, app_secret, text("tokenUrl"))?.into(),
        "http-message-signature" => message_signature_of(json)?.into(),
        "private-key-jwt" => {
            let mut credential = PrivateKeyJwt::new(app_key, private_key_of(json)?, text("tokenUrl"))?;
            if let Some(name) = own_algorithm(json) {
                credential = credential.algorithm(name)?;
            }
            if let Some(audience) = json["audience"].as_str() {
                credential = credential.audience(audience)?;
            }
            match given_nonces(json) {
                Some(source) => credential.id_from(source).into(),
                None => credential.into(),
            }
        }
        _ => return Err(error("this is none of the methods")),
    })
}

fn message_signature_of(json: &Value) -> Result<HttpMessageSignature, Failure> {
    let app_key = json["appKey"].as_str().unwrap_or_default();
    let mut credential = HttpMessageSignature::new(app_key, private_key_of(json)?)?;
    if let Some(name) = own_algorithm(json) {
        credential = credential.algorithm(name)?;
    }
    if let Some(tag) = json["tag"].as_str() {
        credential = credential.tag(tag)?;
    }
    if let Some(label) = json["label"].as_str() {
        credential = credential.label(label)?;
    }
    if let Some(names) = json["coverAlso"].as_array() {
        credential = credential.cover_also(names.iter().filter_map(Value::as_str));
    }
    Ok(match given_nonces(json) {
        _ if json["nonce"] == false => credential.without_nonce(),
        Some(source) => credential.nonce_from(source),
        None => credential,
    })
}

/// The algorithm of a key that is here; a signer is made with its own.
fn own_algorithm(json: &Value) -> Option<&str> {
    json["algorithm"].as_str().filter(|_| json["privateKey"]["signer"].is_null())
}

fn private_key_of(json: &Value) -> Result<PrivateKey, Failure> {
    let key = &json["privateKey"];
    if let Some(words) = key["signer"].as_array() {
        let words: Vec<String> = words.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        let algorithm = json["algorithm"].as_str().unwrap_or_default();
        return Ok(PrivateKey::from_signer(algorithm, move |bytes: &[u8]| ask(&words, bytes)));
    }
    Ok(match &key["jwk"] {
        Value::Null => PrivateKey::from_pem(key["pem"].as_str().unwrap_or_default())?,
        jwk => PrivateKey::from_jwk(jwk.to_string())?,
    })
}

/// Has a program sign that holds the key.
fn ask(words: &[String], bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let (name, arguments) = words.split_first().ok_or_else(|| std::io::Error::other("no words"))?;
    let mut command = Command::new(name);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    // A program that does not read its input says the rest by how it ends.
    let _ = child.stdin.take().map(|mut input| input.write_all(bytes));
    let output = child.wait_with_output()?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err(std::io::Error::other("the signer failed"))
    }
}

/// The given nonces in their order; `Some(None)` for random ones.
fn nonces(json: &Value) -> Option<Option<impl Fn() -> String + Send + Sync + 'static>> {
    if json["nonce"] != true {
        return None;
    }
    Some(given_nonces(json))
}

fn given_nonces(json: &Value) -> Option<impl Fn() -> String + Send + Sync + 'static> {
    let given: VecDeque<String> =
        json["nonces"].as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let given = Arc::new(Mutex::new(given));
    Some(move || given.lock().expect("no nonce panics").pop_front().expect("there are enough nonces"))
}
