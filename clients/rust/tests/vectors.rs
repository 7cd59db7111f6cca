//! Every case of `../vectors.json`.

mod support;

use serde_json::Value;
use support::{body_of, header_pairs, sha256_hex, sign};

fn cases() -> Vec<Value> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../vectors.json"))
        .expect("clients/vectors.json can be read");
    let document: Value = serde_json::from_str(&text).expect("vectors.json is JSON");
    assert_eq!(document["format"], 1);
    document["cases"].as_array().expect("cases").clone()
}

/// Runs the cases that `is_wanted`, and fails with the names of all that differ.
fn run(what: &str, least: usize, is_wanted: impl Fn(&Value) -> bool, check: impl Fn(&Value) -> Result<(), String>) {
    let wanted: Vec<Value> = cases().into_iter().filter(|case| is_wanted(case)).collect();
    let failed: Vec<String> =
        wanted.iter().filter_map(|case| check(case).err().map(|why| format!("{}: {why}", case["name"]))).collect();
    assert!(failed.is_empty(), "{} of {}\n{}", failed.len(), wanted.len(), failed.join("\n"));
    assert!(wanted.len() >= least, "only {} vectors of {what}", wanted.len());
    println!("{what}: {} vectors passed", wanted.len());
}

#[test]
fn signed_vectors() {
    run("signed", 380, |case| case.get("signed").is_some(), signs_alike);
}

#[test]
fn problem_vectors() {
    run("problems", 60, |case| case.get("problem").is_some(), has_the_problem);
}

#[test]
fn written_parameters_vectors() {
    run("written parameters", 10, |case| case.get("encoded").is_some(), writes_alike);
}

#[test]
fn every_case_is_of_one_kind() {
    let kinds = ["signed", "problem", "encoded"];
    for case in cases() {
        assert_eq!(kinds.iter().filter(|kind| case.get(**kind).is_some()).count(), 1, "{}", case["name"]);
    }
}

fn signs_alike(case: &Value) -> Result<(), String> {
    let signed = sign(case).map_err(|problem| problem.to_string())?;
    let expected = &case["signed"];
    if signed.target() != expected["target"] {
        return Err(format!("target {}", signed.target()));
    }
    let url = case["request"]["url"].as_str().unwrap();
    if !signed.url().ends_with(signed.target()) || !url.starts_with(&signed.url()[..signed.url().find("://").unwrap()])
    {
        return Err(format!("URL {}", signed.url()));
    }
    let mut headers: Vec<(String, String)> =
        signed.headers().map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
    let mut wanted: Vec<(String, String)> =
        header_pairs(&expected["headers"]).into_iter().map(|(name, value)| (name.to_lowercase(), value)).collect();
    headers.sort();
    wanted.sort();
    if headers != wanted {
        return Err(format!("headers {headers:?}, not {wanted:?}"));
    }
    if let Some(text) = case.get("stringToSign") {
        if signed.string_to_sign() != text.as_str() {
            return Err(format!("string to sign {:?}", signed.string_to_sign()));
        }
    }
    match (signed.body(), expected.get("body")) {
        (None, None) => Ok(()),
        (Some(body), Some(wanted)) if wanted.get("sha256").is_some() => {
            let alike = sha256_hex(body) == wanted["sha256"] && body.len() as u64 == wanted["length"].as_u64().unwrap();
            alike.then_some(()).ok_or("long body".to_owned())
        }
        (Some(body), Some(wanted)) if body == body_of(Some(wanted)) => Ok(()),
        (body, _) => Err(format!("body {:?}", body.map(String::from_utf8_lossy))),
    }
}

fn has_the_problem(case: &Value) -> Result<(), String> {
    match sign(case) {
        Err(problem) if problem.code().as_str() == case["problem"] => Ok(()),
        other => Err(format!("{other:?}, not {}", case["problem"])),
    }
}

fn writes_alike(case: &Value) -> Result<(), String> {
    let written = postern_client::write_parameters(header_pairs(&case["parameters"]));
    if written == case["encoded"] {
        Ok(())
    } else {
        Err(written)
    }
}
