//! From reqwest's request to the one that is signed, and back.

use ::reqwest::header::{HeaderName, HeaderValue, CONTENT_LENGTH};
use ::reqwest::Request;
use http_body_util::BodyExt;
use zeroize::Zeroizing;

use super::Error;
use crate::hmac::MAX_BODY_BYTES;
use crate::{Problem, ProblemCode, Signed};

/// Headers of a signature that are no secrets. All others are marked as sensitive.
const PLAIN_HEADERS: [&str; 5] = ["date", "digest", "x-nonce", "content-digest", "signature-input"];

/// Reads a body that can be read once into memory, so that it can be signed and sent again.
pub(super) async fn read_body(request: &mut Request) -> Result<(), Error> {
    let Some(mut stream) = request.body_mut().take_if(|body| body.as_bytes().is_none()) else {
        return Ok(());
    };
    let mut whole = Vec::new();
    while let Some(frame) = stream.frame().await {
        let frame = frame.map_err(|error| Error::Http(error.without_url()))?;
        let Ok(data) = frame.into_data() else { continue };
        if whole.len() + data.len() > MAX_BODY_BYTES {
            let message = format!("the body has more than {MAX_BODY_BYTES} bytes");
            return Err(Problem::new(ProblemCode::BodyTooLarge, message).into());
        }
        whole.extend_from_slice(&data);
    }
    *request.body_mut() = Some(whole.into());
    Ok(())
}

/// Signs a request whose body is in memory or not looked at.
pub(super) fn sign<F>(request: &mut Request, signer: F) -> Result<(), Problem>
where
    F: FnOnce(&crate::Request<'_>) -> Result<Signed, Problem>,
{
    let signed = signer(&view_of(request))?;
    apply(signed, request)
}

/// The request as it is signed.
pub(super) fn view_of(request: &Request) -> crate::Request<'_> {
    let mut view = crate::Request::new(request.method().as_str(), request.url().as_str());
    for (name, value) in request.headers() {
        view = view.header(name.as_str(), value.as_bytes());
    }
    match request.body().and_then(reqwest::Body::as_bytes) {
        Some(body) => view.body(body),
        None => view,
    }
}

fn apply(signed: Signed, request: &mut Request) -> Result<(), Problem> {
    for (name, value) in signed.headers() {
        set_header(request, name, value)?;
    }
    let query = signed.target().split_once('?').map(|(_, query)| query);
    if request.url().query() != query {
        request.url_mut().set_query(query);
    }
    // A URL encodes what it is given by rules of its own: what is sent must be what was signed.
    let sent = Zeroizing::new(path_and_query(request));
    if *sent != signed.target() {
        return Err(Problem::new(
            ProblemCode::TargetNotSignable,
            "the signed query cannot be put into the URL as it is",
        ));
    }
    if let Some(body) = signed.into_body() {
        request.headers_mut().remove(CONTENT_LENGTH);
        *request.body_mut() = Some(body.into());
    }
    Ok(())
}

/// Sets a header in place of all of its name.
pub(super) fn set_header(request: &mut Request, name: &str, value: &str) -> Result<(), Problem> {
    let unsendable = |_| Problem::new(ProblemCode::InvalidCredential, "a header of the signature cannot be sent");
    let name = HeaderName::from_bytes(name.as_bytes()).map_err(|error| unsendable(error.into()))?;
    let mut value = HeaderValue::from_str(value).map_err(|error| unsendable(http::Error::from(error)))?;
    value.set_sensitive(!PLAIN_HEADERS.contains(&name.as_str()));
    request.headers_mut().insert(name, value);
    Ok(())
}

fn path_and_query(request: &Request) -> String {
    let url = request.url();
    url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hmac, Key};

    fn signed(signer: impl FnOnce(&crate::Request<'_>) -> Result<Signed, Problem>) -> String {
        let mut request = Request::new(reqwest::Method::GET, "https://api.example.com/a".parse().unwrap());
        sign(&mut request, signer).unwrap();
        format!("{:?}", request.headers())
    }

    #[test]
    fn reqwest_does_not_print_the_headers_of_a_signature() {
        let key = Key::new("the-app-key").unwrap();
        assert_eq!(signed(|view| key.sign(view)), r#"{"x-app-key": Sensitive}"#);
        let hmac = Hmac::new("acme", "the-secret").unwrap();
        let text = signed(|view| hmac.sign(view));
        assert!(text.contains(r#""authorization": Sensitive"#) && text.contains(" GMT"), "{text}");
    }
}
