use std::fmt;

use zeroize::Zeroizing;

use crate::credential::{check_app_key, invalid, is_token};
use crate::parameters::{extend, form_decode, pairs_of, percent_encode};
use crate::target::Target;
use crate::{Problem, ProblemCode, Request, Secret, Signed};

/// The method `key`: the App Key is sent, in the header `X-App-Key` unless told otherwise. It is a secret.
///
/// ```
/// use postern_client::{Key, Request};
///
/// let key = Key::new("8c1f0b7d52e94a3c")?;
/// let signed = key.sign(&Request::new("GET", "https://api.example.com/orders"))?;
/// assert_eq!(signed.headers().next(), Some(("X-App-Key", "8c1f0b7d52e94a3c")));
/// # Ok::<(), postern_client::Problem>(())
/// ```
#[derive(Clone)]
pub struct Key {
    app_key: Secret,
    carrier: Carrier,
}

#[derive(Clone, Debug)]
enum Carrier {
    Header(String),
    Query(String),
}

impl Key {
    /// A credential that is sent in the header `X-App-Key`.
    ///
    /// # Errors
    ///
    /// `INVALID_CREDENTIAL` when the App Key is not 1 to 512 characters of `A-Z a-z 0-9 . _ -`.
    pub fn new(app_key: impl Into<Secret>) -> Result<Self, Problem> {
        let app_key = app_key.into();
        check_app_key(app_key.expose())?;
        Ok(Self { app_key, carrier: Carrier::Header("X-App-Key".to_owned()) })
    }

    /// Sends the App Key in another header.
    ///
    /// # Errors
    ///
    /// `INVALID_CREDENTIAL` when this is no header name.
    pub fn in_header(mut self, name: impl Into<String>) -> Result<Self, Problem> {
        let name = name.into();
        if !is_token(&name) {
            return Err(invalid("the header of the App Key is not a header name"));
        }
        self.carrier = Carrier::Header(name);
        Ok(self)
    }

    /// Sends the App Key in the query parameter of this name. Prefer a header: URLs are logged in many places.
    ///
    /// # Errors
    ///
    /// `INVALID_CREDENTIAL` when the name is empty.
    pub fn in_query(mut self, name: impl Into<String>) -> Result<Self, Problem> {
        let name = name.into();
        if name.is_empty() {
            return Err(invalid("the query parameter of the App Key has no name"));
        }
        self.carrier = Carrier::Query(name);
        Ok(self)
    }

    /// Adds the App Key to a request. The body is not looked at.
    ///
    /// # Errors
    ///
    /// `TARGET_NOT_SIGNABLE`; `RESERVED_PARAMETER` when the query parameter is there already.
    pub fn sign(&self, request: &Request<'_>) -> Result<Signed, Problem> {
        let target = Target::parse(request.url)?;
        match &self.carrier {
            Carrier::Header(name) => {
                let mut signed = Signed::new(&target);
                signed.set_header(name.clone(), self.app_key.expose().to_owned());
                Ok(signed)
            }
            Carrier::Query(name) => {
                let is_carrier =
                    |(each, _): (&[u8], &[u8])| form_decode(each).is_some_and(|decoded| decoded == name.as_bytes());
                if pairs_of(target.query().as_bytes()).any(is_carrier) {
                    return Err(Problem::new(
                        ProblemCode::ReservedParameter,
                        "the query has the parameter of the App Key already",
                    ));
                }
                let mut query = target.query().to_owned();
                let added = format!("{}={}", percent_encode(name), self.app_key.expose());
                extend(&mut query, &added);
                let path_and_query = Zeroizing::new(format!("{}?{query}", target.path()));
                Ok(Signed::with_target(&target, &path_and_query))
            }
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("app_key", &self.app_key).field("carrier", &self.carrier).finish()
    }
}
