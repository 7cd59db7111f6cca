//! `Accept-Signature` (RFC 9421 §5.1): signatures that a gateway asks for.

use super::dictionary::{is_plain, Dictionary, Item, Member};

const MAX_NONCE: usize = 256;

/// A member that a credential can do, as far as the request does not matter.
pub(super) struct Asked {
    pub(super) label: String,
    pub(super) names: Vec<String>,
    pub(super) nonce: Option<String>,
    pub(super) tag: Option<String>,
}

impl Asked {
    /// All of them in their order; none when the text does not parse.
    pub(super) fn read(text: &str, app_key: &str, algorithm: &str) -> Vec<Self> {
        let members = Dictionary::read(text).unwrap_or_default();
        members.into_iter().filter_map(|(label, member)| Self::of(label, member, app_key, algorithm)).collect()
    }

    fn of(label: String, member: Member, app_key: &str, algorithm: &str) -> Option<Self> {
        let mut names = Vec::new();
        for (item, parameters) in member.items? {
            match item {
                Item::Text(name) if parameters.is_empty() && is_plain(&name) => names.push(name),
                _ => return None,
            }
        }
        let mut asked = Self { label, names, nonce: None, tag: None };
        for (key, item) in member.parameters {
            match (key.as_str(), item) {
                ("created", Item::Flag(true)) => {}
                ("nonce", Item::Text(nonce)) if is_plain(&nonce) && (1..=MAX_NONCE).contains(&nonce.len()) => {
                    asked.nonce = Some(nonce);
                }
                ("tag", Item::Text(tag)) if is_plain(&tag) && !tag.is_empty() => asked.tag = Some(tag),
                ("keyid", Item::Text(text)) if text == app_key => {}
                ("alg", Item::Text(text)) if text == algorithm => {}
                _ => return None,
            }
        }
        Some(asked)
    }
}
