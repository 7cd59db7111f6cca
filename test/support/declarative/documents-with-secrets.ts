/** App Secrets of every kind of character; no six characters in a row stand in any message. */
const secrets = {
  mixed: 'hQ7zK_wP4rT-8mNv.x2J',
  hexadecimal: '7c1f9e0b3a8d45267c1f',
  punctuation: 'pZ4: [qK]{wJ}, &zX*vQ! %yB @tG',
} as const;

/** A document that is right, and a secret in it. */
export interface DocumentWithSecret {
  readonly text: string;
  readonly secret: string;
}

function content(secret: string): object {
  return {
    version: 1,
    endpoints: [
      { id: 'orders', scenario: 'partner-openapi', authentication: 'hmac', match: { paths: [{ prefix: '/o' }] } },
    ],
    consumers: [
      {
        id: 'acme',
        name: 'Acme Ltd',
        labels: { tier: 'gold' },
        credentials: [
          {
            id: 'acme-1',
            method: 'hmac',
            appKey: 'acme-key',
            appSecret: secret,
            retiringSecret: { appSecret: secret, expiresAt: '2030-01-01T00:00:00Z' },
          },
        ],
      },
    ],
    grants: [{ endpoint: 'orders', consumer: 'acme' }],
  };
}

function block(secret: string): string {
  return `version: 1
endpoints:
  - id: orders
    scenario: partner-openapi
    authentication: hmac
    match:
      paths:
        - prefix: /o
consumers:
  - id: acme
    labels:
      tier: gold
    credentials:
      - id: acme-1
        appSecret: ${secret}
        method: hmac
        appKey: acme-key
        retiringSecret:
          appSecret: ${secret}
          expiresAt: 2030-01-01T00:00:00Z
grants:
  - endpoint: orders
    consumer: acme
`;
}

function narrowBlock(secret: string): string {
  return `version: 1
consumers:
 - id: acme
   description: |
    text
   credentials:
   - method: hmac
     appSecret: ${secret}
     appKey: acme-key
`;
}

function flow(secret: string): string {
  return `version: 1
consumers:
  - { id: acme, name: Acme, labels: { tier: gold }, credentials: [{ id: a, appSecret: ${secret}, method: hmac, appKey: k }] }
`;
}

const quote = (text: string): string => JSON.stringify(text);

/** Documents in every style that people write, each with every kind of secret that can stand in it. */
export const documentsWithSecrets: Readonly<Record<string, DocumentWithSecret>> = {
  'block style': { text: block(secrets.mixed), secret: secrets.mixed },
  'block style, quoted': { text: block(quote(secrets.punctuation)), secret: secrets.punctuation },
  'block style, single quotes': { text: block(`'${secrets.punctuation}'`), secret: secrets.punctuation },
  'block style with narrow indentation': { text: narrowBlock(secrets.hexadecimal), secret: secrets.hexadecimal },
  'flow style': { text: flow(secrets.hexadecimal), secret: secrets.hexadecimal },
  'flow style, quoted': { text: flow(quote(secrets.punctuation)), secret: secrets.punctuation },
  JSON: { text: JSON.stringify(content(secrets.mixed), null, 2), secret: secrets.mixed },
  'JSON in a line': { text: JSON.stringify(content(secrets.punctuation)), secret: secrets.punctuation },
};

/** What is put in or in place of a character: whatever has a meaning in YAML or JSON, and a few that have none. */
export const DAMAGES = Array.from(':{}[],"\'#|>-?&*!%@`\\\n\t ~=xX0_');

/** A text after the damage of one character at `at`: removed, changed places with the next, replaced, or one put in. */
export function damaged(text: string, at: number): readonly string[] {
  const [head, tail] = [text.slice(0, at), text.slice(at)];
  return [
    head + tail.slice(1),
    head + tail.slice(1, 2) + tail.slice(0, 1) + tail.slice(2),
    ...DAMAGES.map((character) => head + character + tail),
    ...DAMAGES.map((character) => head + character + tail.slice(1)),
  ];
}

/** The first six characters in a row of a secret that a text shows; null when there are none. */
export function leakedPart(secret: string, text: string): string | null {
  for (let at = 0; at + 6 <= secret.length; at += 1) {
    const part = secret.slice(at, at + 6);
    if (text.includes(part)) return part;
  }
  return null;
}
