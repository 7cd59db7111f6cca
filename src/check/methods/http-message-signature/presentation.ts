import type { HttpSignatureOptions } from '../../../model/endpoint.ts';
import type { Guide } from '../presentation/guide.ts';
import type { Presentation } from '../presentation/presentation.ts';
import { hintRule } from '../presentation/signature-rules.ts';

const guide: Guide<'http-message-signature'> = {
  title: 'HTTP message signature',
  summary:
    'Every request carries `Signature-Input` and `Signature` (RFC 9421), made with a private key that only you have.',
  rules: (options) => [
    ['Algorithm', options.algorithms.map((algorithm) => `\`${algorithm}\``).join(' or ')],
    ['Key', '`keyid` is your App Key; the algorithm follows from your key, so leave `alg` out'],
    ['ECDSA', 'the signature is r and s (64 or 96 bytes), not DER'],
    ['Covered', coveredRule(options)],
    [
      'Address',
      'sign the one that is sent: `new URL(u).href` without its fragment, the host in lower case; cover `@query`, never `@query-param`, which libraries encode in five ways',
    ],
    [
      'Body',
      '`Content-Digest: sha-256=:…:` of the bytes that are sent (RFC 9530; `sha-512` too), covered by the signature',
    ],
    ['Clock', `\`created\` is at most ${String(options.clockSkewSeconds)} seconds old, and at most 60 ahead of ours`],
    ...(options.tag === '' ? [] : [['Tag', `\`tag="${options.tag}"\``] as const]),
    [
      'Replay protection',
      options.replayProtection
        ? 'on: every signature has another `nonce`'
        : 'off: no `nonce` is needed; send one all the same',
    ],
    ...hintRule(options),
  ],
  codes: ({ options }) => ({
    CREDENTIALS_MISSING: 'There is no `Signature-Input` and `Signature`, or no signature has a `keyid`.',
    CREDENTIALS_MALFORMED:
      'The two fields cannot be read, or the signature does not cover all that it has to: `Accept-Signature` of the answer says what.',
    AUTHENTICATION_FAILED:
      'The App Key, the key or the text that was signed is another one: `http` in the address, a port in the host, a slash at the end, DER in place of r and s.',
    REQUEST_EXPIRED: `\`created\` is more than ${String(options.clockSkewSeconds)} seconds old or ahead of our clock, or \`expires\` is over.`,
    DIGEST_MISMATCH: '`Content-Digest` is of another body.',
    ...(options.replayProtection
      ? { REQUEST_REPLAYED: 'This `nonce` was used before. Sign every attempt again, with another one.' }
      : {}),
  }),
  settings: ({ tag, coverAlso }) => ({
    ...(tag === '' ? {} : { tag }),
    ...(coverAlso.length === 0 ? {} : { coverAlso }),
  }),
  examples: () => [],
  exampleNote: 'Any library for RFC 9421 makes such signatures.',
};

function coveredRule({ coverAlso, scheme }: HttpSignatureOptions): string {
  const also = coverAlso.map((name) => `, \`"${name}"\``).join('');
  return `\`"@method"\`, \`"@authority"\`, \`"@path"\` and \`"@query"\`${also}; or \`"@method"\` and \`"@target-uri"\`${also}, an address with \`${scheme}\`; with a body also \`"content-digest"\``;
}

/** How people and programs of partners speak of this method. */
export const httpSignaturePresentation: Presentation<'http-message-signature'> = {
  name: 'HTTP message signature (RFC 9421)',
  sends: 'requests are signed with a private key (RFC 9421)',
  client: {
    method: 'http-message-signature',
    type: 'HttpMessageSignature',
    pythonType: 'MessageSignature',
    goType: 'MessageSignature',
    factory: 'messageSignature',
    shellOptions: [],
  },
  guide,
};
