//! The method `http-message-signature` (RFC 9421).

mod accept_signature;
mod components;
mod dictionary;

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use base64::engine::general_purpose::STANDARD;
use base64::Engine as _;

use crate::credential::{check_key_id, invalid};
use crate::nonce::Nonces;
use crate::private_key::{PrivateKey, Signing, OF_MESSAGES};
use crate::time::seconds;
use crate::{Problem, Request, Signed};
use accept_signature::Asked;
use components::Components;

/// The method `http-message-signature`: method, host, path, query and body are signed with a private key.
///
/// ```no_run
/// use postern_client::{HttpMessageSignature, PrivateKey, Request};
///
/// let key = PrivateKey::from_pem(std::fs::read_to_string("acme-private.pem")?)?;
/// let signature = HttpMessageSignature::new("acme-2026", key)?;
/// let signed = signature.sign(&Request::new("POST", "https://api.example.com/orders").body(r#"{"amount":12}"#))?;
/// for (name, value) in signed.headers() {
///     println!("{name}: {value}"); // Content-Digest, Signature-Input, Signature
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct HttpMessageSignature {
    app_key: String,
    signing: Signing,
    nonces: Nonces,
    tag: Option<String>,
    cover_also: Vec<String>,
    label: String,
}

/// What a signature covers and says.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    names: Vec<String>,
    label: String,
    tag: Option<String>,
    nonce: Nonce,
}

#[derive(Clone, Debug)]
enum Nonce {
    None,
    Own,
    Given(String),
}

impl HttpMessageSignature {
    /// A credential that signs with the default algorithm of the key, with a nonce, and without a tag.
    ///
    /// # Errors
    ///
    /// `INVALID_CREDENTIAL` when the App Key is not 1 to 512 printable ASCII characters without `"` and `\`, or the
    /// algorithm of a signer is none of RFC 9421 that the gateway takes.
    pub fn new(app_key: impl Into<String>, private_key: PrivateKey) -> Result<Self, Problem> {
        let app_key = app_key.into();
        check_key_id(&app_key)?;
        Ok(Self {
            app_key,
            signing: Signing::new(private_key, &OF_MESSAGES)?,
            nonces: Nonces::Random,
            tag: None,
            cover_also: Vec::new(),
            label: "sig1".to_owned(),
        })
    }

    /// Signs with another algorithm of the key, such as `rsa-v1_5-sha256`.
    ///
    /// # Errors
    ///
    /// `INVALID_CREDENTIAL` when it is none.
    pub fn algorithm(mut self, name: &str) -> Result<Self, Problem> {
        self.signing = self.signing.with(&OF_MESSAGES, name)?;
        Ok(self)
    }

    /// Leaves out the nonce, which replay protection needs.
    pub fn without_nonce(mut self) -> Self {
        self.nonces = Nonces::Off;
        self
    }

    /// Takes nonces from a source of your own. A nonce is 32 lower-case hex characters, never used before.
    pub fn nonce_from(mut self, source: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.nonces = Nonces::From(Arc::new(source));
        self
    }

    /// Gives the signature a tag.
    ///
    /// # Errors
    ///
    /// `INVALID_CREDENTIAL` when it is empty, or not printable ASCII without `"` and `\`.
    pub fn tag(mut self, tag: impl Into<String>) -> Result<Self, Problem> {
        let tag = tag.into();
        if tag.is_empty() || !dictionary::is_plain(&tag) {
            return Err(invalid("the tag must be printable ASCII without \" and \\"));
        }
        self.tag = Some(tag);
        Ok(self)
    }

    /// Signs more components: names of headers, `@target-uri`, `@scheme`, `@request-target`. Each must be in every
    /// request, once; but `content-type` only where there is one.
    pub fn cover_also<I>(mut self, names: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.cover_also = names.into_iter().map(|name| name.into().to_ascii_lowercase()).collect();
        self
    }

    /// Labels the signature; the default is `sig1`.
    ///
    /// # Errors
    ///
    /// `INVALID_CREDENTIAL` when it is no key of a structured field.
    pub fn label(mut self, label: impl Into<String>) -> Result<Self, Problem> {
        self.label = label.into();
        if dictionary::is_key(&self.label) {
            Ok(self)
        } else {
            Err(invalid("the label must be of a-z 0-9 _ . * - and begin with a letter or *"))
        }
    }

    /// Signs a request with the machine's clock.
    ///
    /// # Errors
    ///
    /// `TARGET_NOT_SIGNABLE`, `BODY_TOO_LARGE` over 10 485 760 bytes, `HEADER_NOT_SIGNABLE`, `SIGNER_FAILED`.
    pub fn sign(&self, request: &Request<'_>) -> Result<Signed, Problem> {
        self.sign_at(request, SystemTime::now())
    }

    /// Signs a request as of another time.
    ///
    /// # Errors
    ///
    /// Those of [`sign`](Self::sign).
    pub fn sign_at(&self, request: &Request<'_>, now: SystemTime) -> Result<Signed, Problem> {
        let components = Components::new(request)?;
        let plan = Plan {
            names: components.usual(&self.cover_also),
            label: self.label.clone(),
            tag: self.tag.clone(),
            nonce: if self.nonces.is_on() { Nonce::Own } else { Nonce::None },
        };
        self.make(&components, &plan, now)
    }

    /// Signs a request anew that the gateway refused with 401, as its `Accept-Signature` asks: all lines of the field,
    /// joined by `, `. `None` when it asks for nothing more than [`sign`](Self::sign) does, or what cannot be done.
    ///
    /// # Errors
    ///
    /// Those of [`sign`](Self::sign).
    pub fn sign_again(&self, request: &Request<'_>, accept_signature: &str) -> Result<Option<Signed>, Problem> {
        self.sign_again_at(request, accept_signature, SystemTime::now())
    }

    /// [`sign_again`](Self::sign_again) as of another time.
    ///
    /// # Errors
    ///
    /// Those of [`sign`](Self::sign).
    pub fn sign_again_at(
        &self,
        request: &Request<'_>,
        accept_signature: &str,
        now: SystemTime,
    ) -> Result<Option<Signed>, Problem> {
        let plan = self.plan_again(request, accept_signature)?;
        plan.map(|plan| self.sign_planned(request, &plan, now)).transpose()
    }

    /// What a gateway asks for, when it is more than this credential does by itself.
    pub(crate) fn plan_again(&self, request: &Request<'_>, asked: &str) -> Result<Option<Plan>, Problem> {
        let components = Components::new(request)?;
        let known = Asked::read(asked, &self.app_key, self.signing.algorithm());
        let Some(asked) = known.into_iter().find(|asked| components.have(&asked.names)) else { return Ok(None) };
        let mut names = components.usual(&self.cover_also);
        let is_more = asked.names.iter().any(|name| !names.contains(name))
            || (asked.tag.is_some() && asked.tag != self.tag)
            || (asked.nonce.is_some() && !self.nonces.is_on());
        for name in asked.names {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let nonce = match asked.nonce {
            Some(nonce) => Nonce::Given(nonce),
            None if self.nonces.is_on() => Nonce::Own,
            None => Nonce::None,
        };
        let plan = Plan { names, label: asked.label, tag: asked.tag.or_else(|| self.tag.clone()), nonce };
        Ok(is_more.then_some(plan))
    }

    pub(crate) fn sign_planned(&self, request: &Request<'_>, plan: &Plan, now: SystemTime) -> Result<Signed, Problem> {
        self.make(&Components::new(request)?, plan, now)
    }

    fn make(&self, components: &Components<'_>, plan: &Plan, now: SystemTime) -> Result<Signed, Problem> {
        let mut base = String::new();
        for name in &plan.names {
            base.push_str(&format!("\"{name}\": {}\n", components.value(name)?));
        }
        let names: Vec<String> = plan.names.iter().map(|name| format!("\"{name}\"")).collect();
        let mut parameters = format!("({});created={};keyid=\"{}\"", names.join(" "), seconds(now), self.app_key);
        let nonce = match &plan.nonce {
            Nonce::None => None,
            Nonce::Own => self.nonces.next().or_else(|| Nonces::Random.next()),
            Nonce::Given(nonce) => Some(nonce.clone()),
        };
        if let Some(nonce) = nonce {
            parameters.push_str(&format!(";nonce=\"{nonce}\""));
        }
        if let Some(tag) = &plan.tag {
            parameters.push_str(&format!(";tag=\"{tag}\""));
        }
        base.push_str(&format!("\"@signature-params\": {parameters}"));
        let bytes = self.signing.sign(base.as_bytes())?;
        let mut signed = components.start();
        signed.set_header("Signature-Input", format!("{}={parameters}", plan.label));
        signed.set_header("Signature", format!("{}=:{}:", plan.label, STANDARD.encode(bytes)));
        signed.set_string_to_sign(base);
        Ok(signed)
    }
}

#[cfg(feature = "reqwest")]
impl Plan {
    /// The same for a further attempt, with a nonce of its own.
    pub(crate) fn later(mut self) -> Self {
        if matches!(self.nonce, Nonce::Given(_)) {
            self.nonce = Nonce::Own;
        }
        self
    }
}

impl fmt::Debug for HttpMessageSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpMessageSignature")
            .field("app_key", &self.app_key)
            .field("signing", &self.signing)
            .field("nonces", &self.nonces)
            .field("tag", &self.tag)
            .field("cover_also", &self.cover_also)
            .field("label", &self.label)
            .finish()
    }
}
