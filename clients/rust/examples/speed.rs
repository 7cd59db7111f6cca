//! Answers the questions of ../../tools/speed.mjs.

use std::hint::black_box;
use std::io::BufRead;

use hmac::{KeyInit, Mac};
use p256::ecdsa::signature::Signer;
use p256::pkcs8::DecodePrivateKey;
use postern_client::{Hmac, HttpMessageSignature, PrivateKey, Request};
use rustix::time::{clock_gettime, ClockId};
use sha2::{Digest, Sha256};

const APP_KEY: &str = "3f0c9a1be27d4856";
const APP_SECRET: &str = "an App Secret of 32 characters ..";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pem = std::env::var("PRIVATE_KEY")?;
    let body = [b'a'; 200];
    let request = Request::new("POST", "https://api.example.com/orders?page=2")
        .header("Content-Type", "application/json")
        .body(&body);
    let by_hmac = Hmac::new(APP_KEY, APP_SECRET)?;
    let by_key = HttpMessageSignature::new(APP_KEY, PrivateKey::from_pem(pem.as_str())?)?;
    let text = by_hmac.sign(&request)?.string_to_sign().unwrap_or_default().to_owned();
    let base = by_key.sign(&request)?.string_to_sign().unwrap_or_default().to_owned();
    let key = p256::ecdsa::SigningKey::from_pkcs8_pem(&pem)?;

    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (method, count) = line.split_once(' ').ok_or("no count")?;
        let count = count.parse()?;
        let (bare, signed) = match method {
            "hmac" => (
                timed(count, || {
                    black_box(Sha256::digest(black_box(body)));
                    let mut mac = hmac::Hmac::<Sha256>::new_from_slice(APP_SECRET.as_bytes()).expect("any length");
                    mac.update(text.as_bytes());
                    black_box(mac.finalize());
                }),
                timed(count, || drop(black_box(by_hmac.sign(&request)))),
            ),
            _ => (
                timed(count, || {
                    let signature: p256::ecdsa::Signature = key.sign(base.as_bytes());
                    black_box(signature);
                }),
                timed(count, || drop(black_box(by_key.sign(&request)))),
            ),
        };
        println!("{bare} {signed}");
    }
    Ok(())
}

/// The CPU time of something that is done so many times, in nanoseconds.
fn timed(count: u32, mut run: impl FnMut()) -> i128 {
    let start = cpu_time();
    for _ in 0..count {
        run();
    }
    cpu_time() - start
}

fn cpu_time() -> i128 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec)
}
