use std::fmt;
use std::time::SystemTime;

use base64::engine::general_purpose::STANDARD;
use base64::Engine as _;
use hmac::{KeyInit, Mac};
use sha2::{Digest, Sha256, Sha384, Sha512};

use crate::credential::{check_app_key, check_app_secret, invalid};
use crate::nonce::Nonces;
use crate::signable_header::signable_value;
use crate::target::Target;
use crate::time::{imf_date, seconds};
use crate::{Problem, ProblemCode, Request, Secret, Signed};

/// The largest body that the gateway accepts, in bytes.
pub(crate) const MAX_BODY_BYTES: usize = 10_485_760;

/// Most strings to sign are shorter, so that their room is asked for once.
const USUAL_BYTES: usize = 256;

/// The method `hmac`: date, method, target, body and chosen headers are signed with the App Secret.
///
/// ```
/// use postern_client::{Hmac, Request};
///
/// let hmac = Hmac::new("3f0c9a1be27d4856", "a secret of the gateway")?.signed_headers(["host"]);
/// let signed = hmac.sign(&Request::new("POST", "https://api.example.com/orders").body(r#"{"amount":12}"#))?;
/// for (name, value) in signed.headers() {
///     println!("{name}: {value}"); // Date, Digest, Authorization
/// }
/// # Ok::<(), postern_client::Problem>(())
/// ```
#[derive(Clone)]
pub struct Hmac {
    app_key: String,
    app_secret: Secret,
    algorithm: Algorithm,
    keyed: Box<Keyed>,
    /// In lower case.
    signed_headers: Vec<String>,
    nonces: Nonces,
}

/// The hash function of [`Hmac`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// `hmac-sha256`, which every endpoint accepts.
    #[default]
    HmacSha256,
    /// `hmac-sha384`, where the endpoint allows it.
    HmacSha384,
    /// `hmac-sha512`, where the endpoint allows it.
    HmacSha512,
}

impl Algorithm {
    /// The name on the wire, such as `hmac-sha256`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::HmacSha256 => "hmac-sha256",
            Self::HmacSha384 => "hmac-sha384",
            Self::HmacSha512 => "hmac-sha512",
        }
    }
}

impl std::str::FromStr for Algorithm {
    type Err = Problem;

    fn from_str(name: &str) -> Result<Self, Problem> {
        [Self::HmacSha256, Self::HmacSha384, Self::HmacSha512]
            .into_iter()
            .find(|algorithm| algorithm.as_str() == name)
            .ok_or_else(|| invalid("the algorithm is not hmac-sha256, hmac-sha384 or hmac-sha512"))
    }
}

/// HMAC with the App Secret. It is kept, because preparing it takes nearly as long as using it.
#[derive(Clone)]
enum Keyed {
    Sha256(::hmac::Hmac<Sha256>),
    Sha384(::hmac::Hmac<Sha384>),
    Sha512(::hmac::Hmac<Sha512>),
}

impl Keyed {
    fn new(algorithm: Algorithm, secret: &Secret) -> Self {
        fn with_key<M: KeyInit>(secret: &Secret) -> M {
            M::new_from_slice(secret.expose().as_bytes()).expect("HMAC takes a key of any length")
        }
        match algorithm {
            Algorithm::HmacSha256 => Self::Sha256(with_key(secret)),
            Algorithm::HmacSha384 => Self::Sha384(with_key(secret)),
            Algorithm::HmacSha512 => Self::Sha512(with_key(secret)),
        }
    }

    /// Appends the signature of a text in base64.
    fn append(&self, text: &str, to: &mut String) {
        fn append<M: Mac + Clone>(keyed: &M, text: &str, to: &mut String) {
            STANDARD.encode_string(keyed.clone().chain_update(text).finalize().into_bytes(), to);
        }
        match self {
            Self::Sha256(keyed) => append(keyed, text, to),
            Self::Sha384(keyed) => append(keyed, text, to),
            Self::Sha512(keyed) => append(keyed, text, to),
        }
    }
}

/// What is signed: the names, and the string to sign.
struct Lines {
    listed: String,
    text: String,
}

impl Lines {
    fn has(&self, name: &str) -> bool {
        self.listed.split(' ').any(|each| each == name)
    }

    fn add(&mut self, name: &str, value: &str) {
        for part in [" ", name] {
            self.listed.push_str(part);
        }
        for part in ["\n", name, ": ", value] {
            self.text.push_str(part);
        }
    }
}

impl Hmac {
    /// A credential that signs with `hmac-sha256`, without more headers and without a nonce.
    ///
    /// # Errors
    ///
    /// `INVALID_CREDENTIAL` when the App Key is not 1 to 512 characters of `A-Z a-z 0-9 . _ -`, or the App Secret is
    /// empty, holds control characters or has white space at its ends.
    pub fn new(app_key: impl Into<String>, app_secret: impl Into<Secret>) -> Result<Self, Problem> {
        let (app_key, app_secret) = (app_key.into(), app_secret.into());
        check_app_key(&app_key)?;
        check_app_secret(&app_secret)?;
        let algorithm = Algorithm::default();
        Ok(Self {
            app_key,
            keyed: Box::new(Keyed::new(algorithm, &app_secret)),
            app_secret,
            algorithm,
            signed_headers: Vec::new(),
            nonces: Nonces::Off,
        })
    }

    /// Signs with another hash function.
    pub fn algorithm(mut self, algorithm: Algorithm) -> Self {
        self.algorithm = algorithm;
        self.keyed = Box::new(Keyed::new(algorithm, &self.app_secret));
        self
    }

    /// Signs more headers, such as `host`. Each must be in every request, once; `host` is taken from the URL.
    pub fn signed_headers<I>(mut self, names: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.signed_headers = names.into_iter().map(|name| name.into().to_ascii_lowercase()).collect();
        self
    }

    /// Signs a random `X-Nonce`, for endpoints with replay protection.
    pub fn nonce(mut self) -> Self {
        self.nonces = Nonces::Random;
        self
    }

    /// As [`nonce`](Self::nonce), with nonces from a source of your own: in tests, or from a hardware device. A nonce
    /// is 32 lower-case hex characters, never used before.
    pub fn nonce_from(mut self, source: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.nonces = Nonces::From(std::sync::Arc::new(source));
        self
    }

    /// Signs a request with the machine's clock.
    ///
    /// # Errors
    ///
    /// `TARGET_NOT_SIGNABLE`, `BODY_TOO_LARGE` over 10 485 760 bytes, `HEADER_NOT_SIGNABLE`.
    pub fn sign(&self, request: &Request<'_>) -> Result<Signed, Problem> {
        self.sign_at(request, SystemTime::now())
    }

    /// Signs a request as of another time.
    ///
    /// # Errors
    ///
    /// Those of [`sign`](Self::sign).
    pub fn sign_at(&self, request: &Request<'_>, now: SystemTime) -> Result<Signed, Problem> {
        let target = Target::parse(request.url)?;
        if request.body.len() > MAX_BODY_BYTES {
            return Err(Problem::new(
                ProblemCode::BodyTooLarge,
                format!("the body has more than {MAX_BODY_BYTES} bytes"),
            ));
        }
        let mut signed = Signed::new(&target);
        let date = imf_date(seconds(now));
        let mut lines = Lines { listed: String::with_capacity(64), text: String::with_capacity(USUAL_BYTES) };
        lines.listed.push_str("date request-line");
        for part in ["date: ", &date, "\n", request.method, " ", signed.target(), " HTTP/1.1"] {
            lines.text.push_str(part);
        }
        signed.set_header("Date", date);
        if !request.body.is_empty() {
            let mut digest = String::with_capacity(52);
            digest.push_str("SHA-256=");
            STANDARD.encode_string(Sha256::digest(request.body), &mut digest);
            lines.add("digest", &digest);
            signed.set_header("Digest", digest);
        }
        let nonce = self.nonces.next();
        for name in &self.signed_headers {
            match &nonce {
                _ if lines.has(name) => {}
                Some(nonce) if name == "x-nonce" => lines.add(name, nonce),
                _ => lines.add(name, &signable_value(request, &target, name)?),
            }
        }
        if let Some(nonce) = nonce {
            if !lines.has("x-nonce") {
                lines.add("x-nonce", &nonce);
            }
            signed.set_header("X-Nonce", nonce);
        }
        signed.set_header("Authorization", self.authorization(&lines));
        signed.set_string_to_sign(lines.text);
        Ok(signed)
    }

    fn authorization(&self, lines: &Lines) -> String {
        let (app_key, algorithm) = (self.app_key.as_str(), self.algorithm.as_str());
        let mut text = String::with_capacity(USUAL_BYTES);
        let headers = &lines.listed;
        for part in
            ["hmac appkey=\"", app_key, "\", algorithm=\"", algorithm, "\", headers=\"", headers, "\", signature=\""]
        {
            text.push_str(part);
        }
        self.keyed.append(&lines.text, &mut text);
        text.push('"');
        text
    }
}

impl fmt::Debug for Hmac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hmac")
            .field("app_key", &self.app_key)
            .field("app_secret", &self.app_secret)
            .field("algorithm", &self.algorithm)
            .field("signed_headers", &self.signed_headers)
            .field("nonces", &self.nonces)
            .finish()
    }
}
