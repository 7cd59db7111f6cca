//! What is checked when a credential is made.

use crate::{Problem, ProblemCode, Secret};

const MAX_APP_KEY: usize = 512;

pub(crate) fn check_app_key(app_key: &str) -> Result<(), Problem> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if app_key.is_empty() || app_key.len() > MAX_APP_KEY || !app_key.bytes().all(allowed) {
        return Err(invalid("the App Key must be 1 to 512 characters of A-Z a-z 0-9 . _ -"));
    }
    Ok(())
}

/// The App Key of a method that signs with a private key: the operator may have chosen it freely.
#[cfg(feature = "private-keys")]
pub(crate) fn check_key_id(app_key: &str) -> Result<(), Problem> {
    let allowed = |byte: u8| matches!(byte, 0x20..=0x7e) && byte != b'"' && byte != b'\\';
    if app_key.is_empty() || app_key.len() > MAX_APP_KEY || !app_key.bytes().all(allowed) {
        return Err(invalid("the App Key must be 1 to 512 printable ASCII characters without \" and \\"));
    }
    Ok(())
}

pub(crate) fn check_app_secret(app_secret: &Secret) -> Result<(), Problem> {
    let text = app_secret.expose();
    if text.is_empty() {
        return Err(invalid("the App Secret is empty"));
    }
    if text.chars().any(char::is_control) {
        return Err(invalid("the App Secret holds a control character"));
    }
    if text.trim().len() != text.len() {
        return Err(invalid("the App Secret has white space at its ends"));
    }
    Ok(())
}

pub(crate) fn invalid(message: &'static str) -> Problem {
    Problem::new(ProblemCode::InvalidCredential, message)
}

/// Whether a text is a token of RFC 9110 §5.6.2, as header names are.
pub(crate) fn is_token(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(allowed)
}
