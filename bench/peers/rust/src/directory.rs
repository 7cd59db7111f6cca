//! What the checks know.

use std::collections::HashMap;
use std::error::Error;
use std::fs::File;
use std::io::BufReader;

use serde::Deserialize;
use sha2::{Digest, Sha256};

/// One entry of the credentials file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Credential {
    pub id: String,
    pub app_key: String,
    pub app_secret: String,
    pub consumer: String,
    pub name: String,
}

/// Credentials by the hash of their App Key.
pub struct Directory {
    credentials: HashMap<[u8; 32], Credential>,
}

impl Directory {
    pub fn read(path: &str) -> Result<Self, Box<dyn Error>> {
        let list: Vec<Credential> = serde_json::from_reader(BufReader::new(File::open(path)?))?;
        let credentials = list.into_iter().map(|each| (hash(&each.app_key), each)).collect();
        Ok(Self { credentials })
    }

    pub fn find(&self, app_key: &str) -> Option<&Credential> {
        self.credentials.get(&hash(app_key))
    }
}

fn hash(app_key: &str) -> [u8; 32] {
    Sha256::digest(app_key).into()
}

/// Ids of the endpoints that the bench asks for, by their path prefix (bench/fixtures/document.ts).
const ENDPOINTS: [(&str, &str); 2] = [("/orders", "orders"), ("/signed", "signed")];

/// The id of the endpoint whose prefix ends at a slash of the path, or where the path ends.
pub fn find_endpoint(path: &str) -> Option<&'static str> {
    let (_, id) = ENDPOINTS
        .iter()
        .find(|(prefix, _)| path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))?;
    Some(id)
}
