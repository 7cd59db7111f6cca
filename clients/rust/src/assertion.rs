use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::Engine as _;
use zeroize::Zeroizing;

use crate::credential::{check_key_id, invalid};
use crate::nonce::Nonces;
use crate::parameters::write_parameters;
use crate::private_key::{PrivateKey, Signing, OF_ASSERTIONS};
use crate::target::Target;
use crate::time::seconds;
use crate::Problem;

const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const LIFE_SECONDS: u64 = 60;

/// The method `oauth2` with a private key in place of the App Secret: `private_key_jwt` (RFC 7523).
///
/// With the feature `reqwest`, its client asks for the access token, keeps it in memory and renews it.
#[derive(Clone)]
pub struct PrivateKeyJwt {
    app_key: String,
    signing: Signing,
    token_url: String,
    audience: String,
    ids: Nonces,
}

impl PrivateKeyJwt {
    /// A credential that signs with the default algorithm of the key, and the gateway's token URL, such as
    /// `https://api.example.com/oauth2/token`.
    ///
    /// # Errors
    ///
    /// `INVALID_CREDENTIAL` when the App Key is not 1 to 512 printable ASCII characters without `"` and `\`, the
    /// algorithm of a signer is none of assertions, or the token URL is not absolute.
    pub fn new(
        app_key: impl Into<String>,
        private_key: PrivateKey,
        token_url: impl Into<String>,
    ) -> Result<Self, Problem> {
        let (app_key, token_url) = (app_key.into(), token_url.into());
        check_key_id(&app_key)?;
        let signing = Signing::new(private_key, &OF_ASSERTIONS)?;
        Target::parse(&token_url).map_err(|_| invalid("the token URL is not an absolute http or https URL"))?;
        Ok(Self { app_key, signing, audience: token_url.clone(), token_url, ids: Nonces::Random })
    }

    /// Signs with another algorithm of the key, such as `RS256`.
    ///
    /// # Errors
    ///
    /// `INVALID_CREDENTIAL` when it is none.
    pub fn algorithm(mut self, name: &str) -> Result<Self, Problem> {
        self.signing = self.signing.with(&OF_ASSERTIONS, name)?;
        Ok(self)
    }

    /// Names the gateway's issuer in assertions, where it takes only that. The default is the token URL.
    ///
    /// # Errors
    ///
    /// `INVALID_CREDENTIAL` when it is empty, or not visible ASCII without `"` and `\`.
    pub fn audience(mut self, audience: impl Into<String>) -> Result<Self, Problem> {
        self.audience = audience.into();
        let allowed = |byte: u8| matches!(byte, 0x21..=0x7e) && byte != b'"' && byte != b'\\';
        if self.audience.is_empty() || !self.audience.bytes().all(allowed) {
            return Err(invalid("the audience is not valid"));
        }
        Ok(self)
    }

    /// Takes the ids of assertions from a source of your own. An id is 32 lower-case hex characters, never used before.
    pub fn id_from(mut self, source: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.ids = Nonces::From(Arc::new(source));
        self
    }

    /// An assertion for one question to the token URL, for programs that ask by themselves. It is a secret for a
    /// minute.
    ///
    /// # Errors
    ///
    /// `SIGNER_FAILED`.
    pub fn assertion(&self) -> Result<Zeroizing<String>, Problem> {
        self.assertion_at(SystemTime::now())
    }

    /// [`assertion`](Self::assertion) as of another time.
    ///
    /// # Errors
    ///
    /// `SIGNER_FAILED`.
    pub fn assertion_at(&self, now: SystemTime) -> Result<Zeroizing<String>, Problem> {
        let (key, now) = (&self.app_key, seconds(now));
        let header = format!(r#"{{"alg":"{}","typ":"JWT"}}"#, self.signing.algorithm());
        let claims = format!(
            r#"{{"iss":"{key}","sub":"{key}","aud":"{}","jti":"{}","iat":{now},"exp":{}}}"#,
            self.audience.replace('\\', r"\\").replace('"', r#"\""#),
            self.ids.next().unwrap_or_default(),
            now + LIFE_SECONDS,
        );
        let text = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(claims));
        let signature = self.signing.sign(text.as_bytes())?;
        Ok(Zeroizing::new(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))))
    }

    /// The form that asks the token URL (RFC 7523 §2.2), with an assertion of this time.
    ///
    /// # Errors
    ///
    /// `SIGNER_FAILED`.
    pub fn token_request_at(&self, now: SystemTime) -> Result<Zeroizing<String>, Problem> {
        Ok(Zeroizing::new(write_parameters([
            ("grant_type", "client_credentials"),
            ("client_id", &self.app_key),
            ("client_assertion_type", ASSERTION_TYPE),
            ("client_assertion", &self.assertion_at(now)?),
        ])))
    }

    /// The token URL.
    pub fn token_url(&self) -> &str {
        &self.token_url
    }
}

impl fmt::Debug for PrivateKeyJwt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrivateKeyJwt")
            .field("app_key", &self.app_key)
            .field("signing", &self.signing)
            .field("token_url", &self.token_url)
            .field("audience", &self.audience)
            .finish_non_exhaustive()
    }
}
