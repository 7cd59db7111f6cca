//! The parts of a request that a signature covers (RFC 9421 §2), without parameters.

use base64::engine::general_purpose::STANDARD;
use base64::Engine as _;
use sha2::{Digest, Sha256};

use crate::hmac::MAX_BODY_BYTES;
use crate::signable_header::signable_value;
use crate::target::Target;
use crate::{Problem, ProblemCode, Request, Signed};

const ALWAYS: [&str; 4] = ["@method", "@authority", "@path", "@query"];
const CONTENT_DIGEST: &str = "content-digest";

pub(super) struct Components<'a> {
    request: &'a Request<'a>,
    target: Target<'a>,
    digest: Option<String>,
}

impl<'a> Components<'a> {
    pub(super) fn new(request: &'a Request<'a>) -> Result<Self, Problem> {
        let target = Target::parse(request.url)?;
        if request.body.len() > MAX_BODY_BYTES {
            let message = format!("the body has more than {MAX_BODY_BYTES} bytes");
            return Err(Problem::new(ProblemCode::BodyTooLarge, message));
        }
        let digest =
            (!request.body.is_empty()).then(|| format!("sha-256=:{}:", STANDARD.encode(Sha256::digest(request.body))));
        Ok(Self { request, target, digest })
    }

    /// The signed request with what is set before anything is signed.
    pub(super) fn start(&self) -> Signed {
        let mut signed = Signed::new(&self.target);
        if let Some(digest) = &self.digest {
            signed.set_header("Content-Digest", digest.clone());
        }
        signed
    }

    /// What a client covers by itself, in order and each once.
    pub(super) fn usual(&self, also: &[String]) -> Vec<String> {
        let has_body = self.digest.is_some();
        let mut names: Vec<String> = ALWAYS.map(str::to_owned).into();
        if has_body {
            names.push(CONTENT_DIGEST.to_owned());
        }
        for name in also {
            let is_there = match name.as_str() {
                CONTENT_DIGEST | "content-length" => has_body,
                "content-type" => self.request.values_of(name).next().is_some(),
                _ => true,
            };
            if is_there && !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// Whether the request has all of these, each named once, and they can be signed.
    pub(super) fn have(&self, names: &[String]) -> bool {
        let each_once = names.iter().enumerate().all(|(index, name)| !names[..index].contains(name));
        each_once && names.iter().all(|name| self.value(name).is_ok())
    }

    pub(super) fn value(&self, name: &str) -> Result<String, Problem> {
        let query = self.target.query();
        Ok(match name {
            "@method" => self.request.method.to_owned(),
            "@authority" => self.authority()?,
            "@path" => self.target.path().to_owned(),
            "@query" => format!("?{query}"),
            "@request-target" => self.target.path_and_query().into_owned(),
            "@target-uri" => {
                format!("{}://{}{}", self.target.scheme(), self.authority()?, self.target.path_and_query())
            }
            "@scheme" => self.target.scheme(),
            "content-length" => self.request.body.len().to_string(),
            CONTENT_DIGEST if self.digest.is_some() => self.digest.clone().unwrap_or_default(),
            "signature" | "signature-input" => return Err(unsignable()),
            _ if name.bytes().any(|byte| byte.is_ascii_uppercase()) => return Err(unsignable()),
            _ => signable_value(self.request, &self.target, name)?,
        })
    }

    /// As it is sent, in lower case.
    fn authority(&self) -> Result<String, Problem> {
        Ok(signable_value(self.request, &self.target, "host")?.to_ascii_lowercase())
    }
}

fn unsignable() -> Problem {
    Problem::new(ProblemCode::HeaderNotSignable, "a component to sign cannot be signed")
}
