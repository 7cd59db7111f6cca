import { type FirstCall, type Language, literal } from './language.ts';

const algorithms: Readonly<Record<string, string>> = {
  'hmac-sha256': 'HmacSha256',
  'hmac-sha384': 'HmacSha384',
  'hmac-sha512': 'HmacSha512',
};
const env = (name: string): string => `std::env::var("${name}")?`;

function program({ client, hasAppSecret, settings, http, body }: FirstCall): string {
  const { algorithm, encoding, nonce, carrier, tokenPath } = settings;
  const { type } = client;
  const parameters = [
    env('APP_KEY'),
    ...(hasAppSecret ? [env('APP_SECRET')] : []),
    ...(tokenPath === undefined ? [] : [env('TOKEN_URL')]),
  ];
  const carried = Object.entries(carrier ?? {}).map(([kind, name]) => `.in_${kind}(${literal(name)})?`);
  const chain = [
    ...carried,
    ...(algorithm === undefined ? [] : [`.algorithm(Algorithm::${String(algorithms[algorithm])})`]),
    ...(encoding === undefined ? [] : ['.encoding(Encoding::Raw)']),
    ...(nonce === undefined ? [] : ['.nonce()']),
  ].join('');
  const words = [
    ...(algorithm === undefined ? [] : ['Algorithm']),
    ...(encoding === undefined ? [] : ['Encoding']),
    ...(tokenPath === undefined ? [type] : []),
  ];
  const fromReqwest = ['Client', ...(tokenPath === undefined ? [] : [type]), 'ResponseExt'];
  const used = [`reqwest::{${fromReqwest.join(', ')}}`, ...words].join(', ');
  const verb = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'].includes(http)
    ? `${http.toLowerCase()}(`
    : `request(${literal(http)}.parse()?, `;
  const json = body === null ? '' : '.json(&serde_json::json!({"amount": 12}))';
  return `use postern_client::{${used}};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::new(${type}::new(${parameters.join(', ')})?${chain})?;
    let call = client.${verb}${env('POSTERN_URL')})${json};
    let answer = client.send(call).await?.error_for_refusal()?;
    println!("{} {}", answer.status().as_u16(), answer.text().await?);
    Ok(())
}
`;
}

/** Samples in Rust, with the client of `clients/rust`. */
export const rust: Language = {
  title: 'Rust',
  client: 'rust',
  fence: 'rust',
  programName: 'src/main.rs',
  program,
  projectFiles: [
    {
      name: 'Cargo.toml',
      text: `[package]
name = "first-call"
version = "0.1.0"
edition = "2021"

[dependencies]
postern-client = { path = "postern-client-0.1.0", features = ["reqwest"] }
reqwest = { version = "0.13", features = ["json"] }
serde_json = "1"
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
`,
    },
  ],
  artefact: 'postern-client-0.1.0.crate',
  withKey: null,
  install: ['tar -xzf postern-client-0.1.0.crate'],
  run: 'cargo run',
};
