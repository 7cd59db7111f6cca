use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use sha2::{Digest, Sha512};

use super::media_type::{not_signable, place_of, Place};
use super::pairs::{check_parameters, decoded_pairs, joined, not_utf8, wire_pairs};
use super::{extend, wrapper};
use crate::credential::{check_app_key, check_app_secret, invalid};
use crate::nonce::{hex, Nonces};
use crate::recent::Recent;
use crate::target::Target;
use crate::time::seconds;
use crate::{Problem, ProblemCode, Request, Secret, Signed};

const MAX_FORM_BYTES: usize = 10_485_760;
const MAX_WRAPPER_BYTES: usize = 2_097_152;

/// The method `parameter-signature`: the parameters of a URL or a form, or a JSON body in a wrapper, are signed.
///
/// Without a body the query is signed. With one its `Content-Type` decides: `application/x-www-form-urlencoded` is
/// signed as a form, `application/json` is put into a wrapper. See [`write_parameters`](crate::write_parameters).
///
/// ```
/// use postern_client::{ParameterSignature, Request};
///
/// let credential = ParameterSignature::new("3f0c9a1be27d4856", "a secret of the gateway")?;
/// let signed = credential.sign(&Request::new("GET", "https://api.example.com/shipments?to=K%C3%B6ln"))?;
/// assert!(signed.target().starts_with("/shipments?to=K%C3%B6ln&appKey=3f0c9a1be27d4856&apiTimestamp="));
/// # Ok::<(), postern_client::Problem>(())
/// ```
#[derive(Clone)]
pub struct ParameterSignature {
    app_key: String,
    app_secret: Secret,
    encoding: Encoding,
    nonces: Nonces,
    recent: Arc<Recent>,
}

/// How an endpoint of [`ParameterSignature`] reads what is signed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// Names and values are signed decoded. Endpoints do so unless they say otherwise.
    #[default]
    Decoded,
    /// Names and values are signed as they are on the wire, for endpoints with `parameterEncoding: raw`.
    Raw,
}

impl std::str::FromStr for Encoding {
    type Err = Problem;

    fn from_str(name: &str) -> Result<Self, Problem> {
        match name {
            "decoded" => Ok(Self::Decoded),
            "raw" => Ok(Self::Raw),
            _ => Err(invalid("the encoding is neither decoded nor raw")),
        }
    }
}

impl ParameterSignature {
    /// A credential that signs decoded, without a nonce.
    ///
    /// # Errors
    ///
    /// `INVALID_CREDENTIAL` when the App Key is not 1 to 512 characters of `A-Z a-z 0-9 . _ -`, or the App Secret is
    /// empty, holds control characters or has white space at its ends.
    pub fn new(app_key: impl Into<String>, app_secret: impl Into<Secret>) -> Result<Self, Problem> {
        let (app_key, app_secret) = (app_key.into(), app_secret.into());
        check_app_key(&app_key)?;
        check_app_secret(&app_secret)?;
        Ok(Self { app_key, app_secret, encoding: Encoding::default(), nonces: Nonces::Off, recent: Arc::default() })
    }

    /// Signs names and values in another form.
    pub fn encoding(mut self, encoding: Encoding) -> Self {
        self.encoding = encoding;
        self
    }

    /// Signs a random parameter `nonce`, for endpoints with replay protection. A JSON wrapper has no place for one:
    /// there `apiTimestamp` is moved on by up to 60 seconds, so that no signature is made twice by this credential
    /// and its clones.
    pub fn nonce(mut self) -> Self {
        self.nonces = Nonces::Random;
        self
    }

    /// As [`nonce`](Self::nonce), with nonces from a source of your own. A nonce is 32 lower-case hex characters, never
    /// used before.
    pub fn nonce_from(mut self, source: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.nonces = Nonces::From(Arc::new(source));
        self
    }

    /// Signs a request with the machine's clock.
    ///
    /// # Errors
    ///
    /// Every [`ProblemCode`] but `INVALID_CREDENTIAL` and `HEADER_NOT_SIGNABLE`. A form or a query has at most
    /// 10 485 760 bytes and a wrapper 2 097 152, as they are sent.
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
        let now = seconds(now);
        match place_of(request) {
            Place::Url => {
                let (query, to_sign) = self.sign_text(target.query(), now)?;
                let mut signed = Signed::with_target(&target, &format!("{}?{query}", target.path()));
                signed.set_string_to_sign(to_sign);
                Ok(signed)
            }
            Place::Form => self.sign_form(request, &target, now),
            Place::Json => self.sign_wrapper(request, &target, now),
            Place::Other if request.body.len() > MAX_FORM_BYTES => Err(too_large(MAX_FORM_BYTES)),
            Place::Other => {
                Err(Problem::new(ProblemCode::BodyNotSignable, "the body has no Content-Type of a form or of JSON"))
            }
        }
    }

    fn sign_form(&self, request: &Request<'_>, target: &Target<'_>, now: u64) -> Result<Signed, Problem> {
        if request.body.len() > MAX_FORM_BYTES {
            return Err(too_large(MAX_FORM_BYTES));
        }
        // A form that only what is added makes too large has this problem and no other; its parts may be
        // anything. The nonce is as long as every other.
        let added = self.parts_to_add(now, self.nonces.is_on().then_some(&"0".repeat(32)));
        let separator = usize::from(!request.body.ends_with(b"&"));
        if request.body.len() + separator + added.len() + "&sign=".len() + 128 > MAX_FORM_BYTES {
            return Err(too_large(MAX_FORM_BYTES));
        }
        check_body(request, target)?;
        let text = std::str::from_utf8(request.body).map_err(|_| not_utf8())?;
        let (form, to_sign) = self.sign_text(text, now)?;
        let mut signed = Signed::new(target);
        signed.set_body(form.into_bytes());
        signed.set_string_to_sign(to_sign);
        Ok(signed)
    }

    fn sign_wrapper(&self, request: &Request<'_>, target: &Target<'_>, now: u64) -> Result<Signed, Problem> {
        if wrapper::escaped_len(request.body) + wrapper::overhead(&self.app_key, now) > MAX_WRAPPER_BYTES {
            return Err(too_large(MAX_WRAPPER_BYTES));
        }
        let data = std::str::from_utf8(request.body)
            .map_err(|_| Problem::new(ProblemCode::BodyNotSignable, "the JSON body is not UTF-8"))?;
        check_body(request, target)?;
        let signature_at = |timestamp: u64| {
            let to_sign = format!("apiTimestamp={timestamp}&appKey={}&data={data}", self.app_key);
            let sign = self.hash(&to_sign);
            (to_sign, sign, timestamp)
        };
        let (to_sign, sign, timestamp) =
            if self.nonces.is_on() { self.recent.first_unused(now, signature_at) } else { signature_at(now) };
        let mut signed = Signed::new(target);
        signed.set_body(wrapper::write(data, &self.app_key, &sign, timestamp).into_bytes());
        signed.set_string_to_sign(to_sign);
        Ok(signed)
    }

    /// A query or form with the signature at its end, and what was signed.
    fn sign_text(&self, text: &str, now: u64) -> Result<(String, String), Problem> {
        check_parameters(text, self.reserved(), self.encoding)?;
        let mut extended = text.to_owned();
        extend(&mut extended, &self.parts_to_add(now, self.nonces.next().as_ref()));
        let to_sign = match self.encoding {
            Encoding::Decoded => joined(decoded_pairs(&extended)?),
            Encoding::Raw => joined(wire_pairs(&extended)),
        };
        let sign = self.hash(&to_sign);
        extended.push_str("&sign=");
        extended.push_str(&sign);
        Ok((extended, to_sign))
    }

    fn parts_to_add(&self, now: u64, nonce: Option<&String>) -> String {
        let nonce = nonce.map_or(String::new(), |nonce| format!("&nonce={nonce}"));
        format!("appKey={}&apiTimestamp={now}{nonce}", self.app_key)
    }

    /// The names that are added, and so cannot be there already.
    fn reserved(&self) -> &'static [&'static str] {
        if self.nonces.is_on() {
            &["appKey", "sign", "apiTimestamp", "nonce"]
        } else {
            &["appKey", "sign", "apiTimestamp"]
        }
    }

    /// SHA-512 of the text and the App Secret, in lower-case hex.
    fn hash(&self, to_sign: &str) -> String {
        let mut hash = Sha512::new();
        hash.update(to_sign.as_bytes());
        hash.update(self.app_secret.expose().as_bytes());
        hex(&hash.finalize())
    }
}

fn check_body(request: &Request<'_>, target: &Target<'_>) -> Result<(), Problem> {
    if let Some(why) = not_signable(request) {
        return Err(Problem::new(ProblemCode::BodyNotSignable, why));
    }
    if !target.query().is_empty() {
        return Err(Problem::new(
            ProblemCode::QueryNotSignable,
            "the URL has a query beside a body: put its parameters into the body",
        ));
    }
    Ok(())
}

fn too_large(most: usize) -> Problem {
    Problem::new(ProblemCode::BodyTooLarge, format!("the body would have more than {most} bytes"))
}

impl fmt::Debug for ParameterSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParameterSignature")
            .field("app_key", &self.app_key)
            .field("app_secret", &self.app_secret)
            .field("encoding", &self.encoding)
            .field("nonces", &self.nonces)
            .finish_non_exhaustive()
    }
}
