import { type FirstCall, type Language, literal } from './language.ts';

const algorithms: Readonly<Record<string, string>> = {
  'hmac-sha256': 'HmacSha256',
  'hmac-sha384': 'HmacSha384',
  'hmac-sha512': 'HmacSha512',
};
const env = (name: string): string => `std::env::var("${name}")?`;

function program({ client, hasAppSecret, hasPrivateKey, settings, http, body }: FirstCall): string {
  const { algorithm, encoding, nonce, carrier, tokenPath, tag, coverAlso } = settings;
  const { type } = client;
  const parameters = [
    env('APP_KEY'),
    ...(hasAppSecret ? [env('APP_SECRET')] : []),
    ...(hasPrivateKey ? ['key'] : []),
    ...(tokenPath === undefined ? [] : [env('TOKEN_URL')]),
  ];
  const carried = Object.entries(carrier ?? {}).map(([kind, name]) => `.in_${kind}(${literal(name)})?`);
  const chain = [
    ...carried,
    ...(algorithm === undefined ? [] : [`.algorithm(Algorithm::${String(algorithms[algorithm])})`]),
    ...(encoding === undefined ? [] : ['.encoding(Encoding::Raw)']),
    ...(nonce === undefined ? [] : ['.nonce()']),
    ...(tag === undefined ? [] : [`.tag(${literal(tag)})?`]),
    ...(coverAlso === undefined ? [] : [`.cover_also([${coverAlso.map(literal).join(', ')}])`]),
  ].join('');
  const isOfReqwest = tokenPath !== undefined && !hasPrivateKey;
  const words = [
    ...(algorithm === undefined ? [] : ['Algorithm']),
    ...(encoding === undefined ? [] : ['Encoding']),
    ...(isOfReqwest ? [] : [type]),
    ...(hasPrivateKey ? ['PrivateKey'] : []),
  ];
  const fromReqwest = ['Client', ...(isOfReqwest ? [type] : []), 'ResponseExt'];
  const used = [`reqwest::{${fromReqwest.join(', ')}}`, ...words.sort()].join(', ');
  const verb = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'].includes(http)
    ? `${http.toLowerCase()}(`
    : `request(${literal(http)}.parse()?, `;
  const json = body === null ? '' : '.json(&serde_json::json!({"amount": 12}))';
  const key = hasPrivateKey
    ? `    let key = PrivateKey::from_pem(std::fs::read_to_string(${env('PRIVATE_KEY_FILE')})?)?;\n`
    : '';
  return `use postern_client::{${used}};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
${key}    let client = Client::new(${type}::new(${parameters.join(', ')})?${chain})?;
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
  projectFiles: ({ hasPrivateKey }) => [
    {
      name: 'Cargo.toml',
      text: `[package]
name = "first-call"
version = "0.1.0"
edition = "2021"

[dependencies]
postern-client = { path = "postern-client-0.1.0", features = ["reqwest"${hasPrivateKey ? ', "private-keys"' : ''}] }
reqwest = { version = "0.13", features = ["json"] }
serde_json = "1"
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
`,
    },
  ],
  artefact: 'postern-client-0.1.0.crate',
  install: ['tar -xzf postern-client-0.1.0.crate'],
  run: 'cargo run',
};
