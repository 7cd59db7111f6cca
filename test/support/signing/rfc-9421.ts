import type { ClientHeader, ClientRequest } from '../../../src/check/signing/client-request.ts';
import type { PublicJwk } from '../../../src/model/public-key/public-key.ts';

/** The keys of RFC 9421, appendix B.1, by the `keyid` of its examples. That of B.2.5 is a shared secret. */
export const rfcKeys: Readonly<Record<string, PublicJwk>> = {
  'test-key-rsa-pss': {
    kty: 'RSA',
    n: 'r4tmm3r20Wd_PbqvP1s2-QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct-Lh1GH45x28Rw3Ry53mm-oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHqgDsznjPFmTOtCEcN2Z1FpWgchwuYLPL-Wokqltd11nqqzi-bJ9cvSKADYdUAAN5WUtzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4aOT9v6d-nb4bnNkQVklLQ3fVAvJm-xdDOp9LCNCN48V2pnDOkFV6-U9nV5oyc6XI2w',
    e: 'AQAB',
  },
  'test-key-ecc-p256': {
    kty: 'EC',
    crv: 'P-256',
    x: 'qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA',
    y: 'Mc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0',
  },
  'test-key-ed25519': { kty: 'OKP', crv: 'Ed25519', x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs' },
};

/** When the examples were signed, in seconds since the epoch. */
export const RFC_CREATED = 1_618_884_473;

/** An example of appendix B. */
export interface RfcExample {
  readonly name: string;
  readonly keyid: string;
  readonly request: ClientRequest;
  /** The lines of the signature base; null where Postern builds none. */
  readonly base: readonly string[] | null;
  /** What an endpoint answers, and why; null for nothing. */
  readonly code: string;
  readonly detail: string | null;
}

const DIGEST = 'sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:';
const CERTIFICATE =
  ':MIIBqDCCAU6gAwIBAgIBBzAKBggqhkjOPQQDAjA6MRswGQYDVQQKDBJMZXQncyBBdXRoZW50aWNhdGUxGzAZBgNVBAMMEkxBIEludGVybWVkaWF0ZSBDQTAeFw0yMDAxMTQyMjU1MzNaFw0yMTAxMjMyMjU1MzNaMA0xCzAJBgNVBAMMAkJDMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8YnXXfaUgmnMtOXU/IncWalRhebrXmckC8vdgJ1p5Be5F/3YC8OthxM4+k1M6aEAEFcGzkJiNy6J84y7uzo9M6NyMHAwCQYDVR0TBAIwADAfBgNVHSMEGDAWgBRm3WjLa38lbEYCuiCPct0ZaSED2DAOBgNVHQ8BAf8EBAMCBsAwEwYDVR0lBAwwCgYIKwYBBQUHAwIwHQYDVR0RAQH/BBMwEYEPYmRjQGV4YW1wbGUuY29tMAoGCCqGSM49BAMCA0gAMEUCIBHda/r1vaL6G3VliL4/Di6YK0Q6bMjeSkC3dFCOOB8TAiEAx/kHSB4urmiZ0NX5r5XarmPk0wmuydBVoU4hBVZ1yhk=:';

const VALUES: Readonly<Record<string, string>> = {
  date: 'Tue, 20 Apr 2021 02:07:55 GMT',
  '@method': 'POST',
  '@path': '/foo',
  '@query': '?param=Value&Pet=dog',
  '@authority': 'example.com',
  'content-type': 'application/json',
  'content-digest': DIGEST,
  'content-length': '18',
};

function sent(input: string, signature: string, parts: Partial<ClientRequest> = {}): ClientRequest {
  const label = input.slice(0, input.indexOf('='));
  const headers: readonly ClientHeader[] = parts.headers ?? [
    ['Date', VALUES['date'] ?? ''],
    ['Content-Type', VALUES['content-type'] ?? ''],
    ['Content-Digest', DIGEST],
    ['Content-Length', '18'],
  ];
  return {
    method: 'POST',
    path: '/foo?param=Value&Pet=dog',
    authority: 'example.com',
    body: Buffer.from('{"hello": "world"}'),
    ...parts,
    headers: [...headers, ['Signature-Input', input], ['Signature', `${label}=:${signature}:`]],
  };
}

function lines(input: string, names: readonly string[], values: Readonly<Record<string, string>> = VALUES) {
  const text = input.slice(input.indexOf('=') + 1);
  return [...names.map((name) => `"${name}": ${values[name] ?? ''}`), `"@signature-params": ${text}`];
}

const MALFORMED = 'CREDENTIALS_MALFORMED';
const CREATED = `created=${String(RFC_CREATED)}`;

const b21 = `sig-b21=();${CREATED};keyid="test-key-rsa-pss";nonce="b3k2pp5k7z-50gnwp.yemd"`;
const b22 = `sig-b22=("@authority" "content-digest" "@query-param";name="Pet");${CREATED};keyid="test-key-rsa-pss";tag="header-example"`;
const b23 = `sig-b23=("date" "@method" "@path" "@query" "@authority" "content-type" "content-digest" "content-length");${CREATED};keyid="test-key-rsa-pss"`;
const b24 = `sig-b24=("@status" "content-type" "content-digest" "content-length");${CREATED};keyid="test-key-ecc-p256"`;
const b25 = `sig-b25=("date" "@authority" "content-type");${CREATED};keyid="test-shared-secret"`;
const b26 = `sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");${CREATED};keyid="test-key-ed25519"`;
const b3 = `ttrp=("@path" "@query" "@method" "@authority" "client-cert");${CREATED};keyid="test-key-ecc-p256"`;
const b4 = `transform=("@method" "@path" "@authority" "accept");${CREATED};keyid="test-key-ed25519"`;

/** The signature of B.4, over a request that is then changed. */
export function transformed(parts: Partial<ClientRequest> = {}): ClientRequest {
  return sent(b4, 'ZT1kooQsEHpZ0I1IjCqtQppOmIqlJPeo7DHR3SoMn0s5JZ1eRGS0A+vyYP9t/LXlh5QMFFQ6cpLt2m0pmj3NDA==', {
    method: 'GET',
    path: '/demo?name1=Value1&Name2=value2',
    authority: 'example.org',
    headers: [
      ['Date', 'Fri, 15 Jul 2022 14:24:55 GMT'],
      ['Accept', 'application/json'],
      ['Accept', '*/*'],
    ],
    body: Buffer.alloc(0),
    ...parts,
  });
}

/** The complete examples of RFC 9421, appendix B. Most cover less than an endpoint wants (spec §3.5). */
export const rfcExamples: readonly RfcExample[] = [
  {
    name: 'B.2.1',
    keyid: 'test-key-rsa-pss',
    request: sent(
      b21,
      'd2pmTvmbncD3xQm8E9ZV2828BjQWGgiwAaw5bAkgibUopemLJcWDy/lkbbHAve4cRAtx31Iq786U7it++wgGxbtRxf8Udx7zFZsckzXaJMkA7ChG52eSkFxykJeNqsrWH5S+oxNFlD4dzVuwe8DhTSja8xxbR/Z2cOGdCbzR72rgFWhzx2VjBqJzsPLMIQKhO4DGezXehhWwE56YCE+O6c0mKZsfxVrogUvA4HELjVKWmAvtl6UnCh8jYzuVG5WSb/QEVPnP5TmcAnLH1g+s++v6d4s8m0gCw1fV5/SITLq9mhho8K3+7EPYTU8IU1bLhdxO5Nyt8C8ssinQ98Xw9Q==',
    ),
    base: lines(b21, []),
    code: MALFORMED,
    detail: 'the signature does not cover @method',
  },
  {
    name: 'B.2.2',
    keyid: 'test-key-rsa-pss',
    request: sent(
      b22,
      'LjbtqUbfmvjj5C5kr1Ugj4PmLYvx9wVjZvD9GsTT4F7GrcQEdJzgI9qHxICagShLRiLMlAJjtq6N4CDfKtjvuJyE5qH7KT8UCMkSowOB4+ECxCmT8rtAmj/0PIXxi0A0nxKyB09RNrCQibbUjsLS/2YyFYXEu4TRJQzRw1rLEuEfY17SARYhpTlaqwZVtR8NV7+4UKkjqpcAoFqWFQh62s7Cl+H2fjBSpqfZUJcsIk4N6wiKYd4je2U/lankenQ99PZfB4jY3I5rSV2DSBVkSFsURIjYErOs0tFTQosMTAoxk//0RoKUqiYY8Bh0aaUEb0rQl3/XaVe4bXTugEjHSw==',
    ),
    base: [
      '"@authority": example.com',
      `"content-digest": ${DIGEST}`,
      '"@query-param";name="Pet": dog',
      ...lines(b22, []),
    ],
    code: MALFORMED,
    detail: 'the signature does not cover @method',
  },
  {
    name: 'B.2.3',
    keyid: 'test-key-rsa-pss',
    request: sent(
      b23,
      'bbN8oArOxYoyylQQUU6QYwrTuaxLwjAC9fbY2F6SVWvh0yBiMIRGOnMYwZ/5MR6fb0Kh1rIRASVxFkeGt683+qRpRRU5p2voTp768ZrCUb38K0fUxN0O0iC59DzYx8DFll5GmydPxSmme9v6ULbMFkl+V5B1TP/yPViV7KsLNmvKiLJH1pFkh/aYA2HXXZzNBXmIkoQoLd7YfW91kE9o/CCoC1xMy7JA1ipwvKvfrs65ldmlu9bpG6A9BmzhuzF8Eim5f8ui9eH8LZH896+QIF61ka39VBrohr9iyMUJpvRX2Zbhl5ZJzSRxpJyoEZAFL2FUo5fTIztsDZKEgM4cUA==',
    ),
    base: lines(b23, [
      'date',
      '@method',
      '@path',
      '@query',
      '@authority',
      'content-type',
      'content-digest',
      'content-length',
    ]),
    code: 'ALLOWED',
    detail: null,
  },
  {
    name: 'B.2.4, of a response',
    keyid: 'test-key-ecc-p256',
    request: sent(b24, 'wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw=='),
    base: null,
    code: MALFORMED,
    detail: 'the signature covers a derived component that requests do not have',
  },
  {
    name: 'B.2.5, by a shared secret',
    keyid: 'test-shared-secret',
    request: sent(b25, 'pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8='),
    base: lines(b25, ['date', '@authority', 'content-type']),
    code: MALFORMED,
    detail: 'the signature does not cover @method',
  },
  {
    name: 'B.2.6',
    keyid: 'test-key-ed25519',
    request: sent(b26, 'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=='),
    base: lines(b26, ['date', '@method', '@path', '@authority', 'content-type', 'content-length']),
    code: MALFORMED,
    detail: 'the signature does not cover @query (or @target-uri, or @request-target)',
  },
  {
    name: 'B.3, of a proxy',
    keyid: 'test-key-ecc-p256',
    request: sent(b3, 'xVMHVpawaAC/0SbHrKRs9i8I3eOs5RtTMGCWXm/9nvZzoHsIg6Mce9315T6xoklyy0yzhD9ah4JHRwMLOgmizw==', {
      authority: 'service.internal.example',
      headers: [
        ['Date', VALUES['date'] ?? ''],
        ['Content-Type', VALUES['content-type'] ?? ''],
        ['Content-Length', '18'],
        ['Client-Cert', CERTIFICATE],
      ],
    }),
    base: lines(b3, ['@path', '@query', '@method', '@authority', 'client-cert'], {
      ...VALUES,
      '@authority': 'service.internal.example',
      'client-cert': CERTIFICATE,
    }),
    code: MALFORMED,
    detail: 'the signature does not cover content-digest, as there is a body',
  },
  {
    name: 'B.4',
    keyid: 'test-key-ed25519',
    request: transformed(),
    base: lines(b4, ['@method', '@path', '@authority', 'accept'], {
      '@method': 'GET',
      '@path': '/demo',
      '@authority': 'example.org',
      accept: 'application/json, */*',
    }),
    code: MALFORMED,
    detail: 'the signature does not cover @query (or @target-uri, or @request-target)',
  },
];
