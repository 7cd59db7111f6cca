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

    fn sign(self, secret: &Secret, text: &str) -> String {
        let key = secret.expose().as_bytes();
        match self {
            Self::HmacSha256 => mac::<::hmac::Hmac<Sha256>>(key, text),
            Self::HmacSha384 => mac::<::hmac::Hmac<Sha384>>(key, text),
            Self::HmacSha512 => mac::<::hmac::Hmac<Sha512>>(key, text),
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

fn mac<M: Mac + KeyInit>(key: &[u8], text: &str) -> String {
    let mut mac = <M as KeyInit>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(text.as_bytes());
    STANDARD.encode(mac.finalize().into_bytes())
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
        Ok(Self {
            app_key,
            app_secret,
            algorithm: Algorithm::default(),
            signed_headers: Vec::new(),
            nonces: Nonces::Off,
        })
    }

    /// Signs with another hash function.
    pub fn algorithm(mut self, algorithm: Algorithm) -> Self {
        self.algorithm = algorithm;
        self
    }

    /// Signs more headers, such as `host`. Each must be in every request, once; `host` is taken from the URL.
    pub fn signed_headers<I>(mut self, names: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.signed_headers = names.into_iter().map(Into::into).collect();
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
        let mut lines = vec![
            ("date", format!("date: {date}")),
            ("request-line", format!("{} {} HTTP/1.1", request.method, signed.target())),
        ];
        signed.set_header("Date", date);
        if !request.body.is_empty() {
            let digest = format!("SHA-256={}", STANDARD.encode(Sha256::digest(request.body)));
            lines.push(("digest", format!("digest: {digest}")));
            signed.set_header("Digest", digest);
        }
        let nonce = self.nonces.next();
        let names: Vec<String> = self.signed_headers.iter().map(|name| name.to_ascii_lowercase()).collect();
        for name in &names {
            if lines.iter().any(|(listed, _)| listed == name) {
                continue;
            }
            let line = match &nonce {
                Some(nonce) if name == "x-nonce" => format!("x-nonce: {nonce}"),
                _ => format!("{name}: {}", signable_value(request, &target, name)?),
            };
            lines.push((name, line));
        }
        if let Some(nonce) = nonce {
            if lines.iter().all(|(listed, _)| *listed != "x-nonce") {
                lines.push(("x-nonce", format!("x-nonce: {nonce}")));
            }
            signed.set_header("X-Nonce", nonce);
        }
        let (listed, lines): (Vec<&str>, Vec<String>) = lines.into_iter().unzip();
        let text = lines.join("\n");
        signed.set_header("Authorization", self.authorization(&listed.join(" "), &text));
        signed.set_string_to_sign(text);
        Ok(signed)
    }

    fn authorization(&self, headers: &str, string_to_sign: &str) -> String {
        format!(
            r#"hmac appkey="{}", algorithm="{}", headers="{headers}", signature="{}""#,
            self.app_key,
            self.algorithm.as_str(),
            self.algorithm.sign(&self.app_secret, string_to_sign),
        )
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
