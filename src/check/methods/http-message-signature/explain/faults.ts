import { httpSignatureAlgorithms } from '../../../../model/options/http-signature-algorithms.ts';
import type { PublicKey } from '../../../../model/public-key/public-key.ts';
import type { Fault, Mistake } from '../../explanation/explainer.ts';
import { acceptSignature } from '../accept-signature.ts';
import { ComponentValues } from '../component-values.ts';
import { type Component, nameOf } from '../components.ts';
import { componentsToCover, DIGEST_FIELD, findUncovered } from '../coverage.ts';
import { SIGNATURE, SIGNATURE_INPUT } from '../message-signature.ts';
import { algorithmsOfKinds } from '../verify.ts';
import type { HttpCase } from './case.ts';

const SHAPE = 'Sign by RFC 9421, and send Signature-Input and Signature';
/** Times beyond it are in milliseconds: as seconds, they are after the year 5000. */
const LATEST_SECONDS = 100_000_000_000;

/** What is wrong with how a signature is sent, without a look at its bytes. */
export const signatureFaults: readonly Fault<HttpCase>[] = [
  {
    name: 'other-credentials',
    what: 'the request carries credentials of another method, but the endpoint wants an HTTP message signature',
    fix: SHAPE,
    isMade: ({ header }) =>
      header(SIGNATURE_INPUT) === null &&
      header(SIGNATURE) === null &&
      (header('authorization') !== null || header('x-app-key') !== null),
  },
  {
    name: 'signature-missing',
    what: 'the request has no Signature-Input and no Signature',
    fix: `${SHAPE}; clients drop them on a redirect`,
    isMade: ({ header }) =>
      [SIGNATURE_INPUT, SIGNATURE, 'authorization', 'x-app-key'].every((name) => header(name) === null),
  },
  {
    name: 'cavage-signature',
    what: 'the signature is of the draft before RFC 9421 (keyId="…", headers="…")',
    fix: `${SHAPE}; look for a library that names RFC 9421`,
    isMade: ({ header }) => header(SIGNATURE_INPUT) === null && /keyid="/i.test(header(SIGNATURE) ?? ''),
  },
  {
    name: 'signature-input-missing',
    what: 'the request has a Signature, but no Signature-Input',
    fix: SHAPE,
    isMade: ({ header }) =>
      header(SIGNATURE_INPUT) === null && header(SIGNATURE) !== null && !/keyid="/i.test(header(SIGNATURE) ?? ''),
  },
  {
    name: 'signature-bytes-missing',
    what: 'the request has a Signature-Input, but no Signature',
    fix: SHAPE,
    isMade: ({ header }) => header(SIGNATURE_INPUT) !== null && header(SIGNATURE) === null,
  },
  {
    name: 'other-label',
    what: 'Signature and Signature-Input name their signatures by different labels',
    fix: 'Send the signature under the same label in both, such as sig1',
    isMade: ({ sent }) => sent !== null && sent.bytes === null && sent.otherBytes.length > 0,
  },
  {
    name: 'keyid-missing',
    what: 'the signature has no keyid',
    fix: 'Send your App Key as keyid',
    isMade: ({ sent }) => sent !== null && sent.parameters.keyid === null,
  },
  {
    name: 'created-missing',
    what: 'the signature has no created, or one that is no integer',
    fix: 'Send the time of signing as created, in whole seconds since 1970',
    isMade: ({ sent }) => sent !== null && sent.parameters.created === null,
  },
  {
    name: 'created-in-milliseconds',
    what: 'created is in milliseconds',
    fix: 'Send created in whole seconds since 1970',
    isMade: ({ sent }) => isInMilliseconds(sent?.parameters.created ?? null),
  },
  {
    name: 'digest-not-content-digest',
    what: 'the body is bound in by Digest (RFC 3230), which is not looked at',
    fix: 'Send Content-Digest: sha-256=:…: (RFC 9530), and cover content-digest',
    isMade: ({ request, header }) =>
      request.body.length > 0 && header('digest') !== null && header(DIGEST_FIELD) === null,
  },
  {
    name: 'content-digest-missing',
    what: 'the request has a body, but no Content-Digest',
    fix: 'Send Content-Digest: sha-256=:…: with the base64 of the SHA-256 of the body, and cover content-digest',
    isMade: ({ request, header, sent, components }) =>
      sent !== null &&
      request.body.length > 0 &&
      header('digest') === null &&
      header(DIGEST_FIELD) === null &&
      !coversDigest(components),
  },
];

function coversDigest(components: HttpCase['components']): boolean {
  return typeof components !== 'string' && components.some((component) => nameOf(component) === DIGEST_FIELD);
}

/** Whether a `created` is in milliseconds: what it says as seconds is of no use to anybody then. */
export function isInMilliseconds(created: number | null): boolean {
  return created !== null && created > LATEST_SECONDS;
}

/** What the endpoint asks of the signature that it does not have. The fixes say what a library has to be told. */
export function wishFaults(context: HttpCase, keys: readonly PublicKey[]): readonly Mistake[] {
  const { sent, options, components } = context;
  if (sent === null) return [];
  const { parameters } = sent;
  return [
    ...(options.tag === '' || parameters.tag === options.tag
      ? []
      : [
          {
            name: 'tag-missing',
            what: `the signature does not have the tag of this endpoint`,
            fix: `Sign with tag="${options.tag}"`,
          },
        ]),
    ...(options.replayProtection && parameters.nonce === null
      ? [
          {
            name: 'nonce-missing',
            what: 'the signature has no nonce, and each one is accepted only once here',
            fix: 'Sign with another random nonce each time',
          },
        ]
      : []),
    ...algorithmFaults(context, parameters.alg, keys),
    ...(typeof components === 'string'
      ? [{ name: 'component-not-taken', what: components, fix: coverFix(context) }]
      : coverageFaults(context, components)),
  ];
}

function algorithmFaults({ options }: HttpCase, alg: string | null, keys: readonly PublicKey[]): readonly Mistake[] {
  if (alg === null) return [];
  const known = httpSignatureAlgorithms.find((name) => name === alg);
  const fix = 'Leave alg out: the algorithm follows from the key';
  if (known === undefined) return [{ name: 'algorithm-unknown', what: 'alg names no algorithm of RFC 9421', fix }];
  if (!keys.some(({ kind }) => algorithmsOfKinds[kind].includes(known)) && keys.length > 0) {
    const right = keys
      .flatMap(({ kind }) => algorithmsOfKinds[kind])
      .filter((name) => options.algorithms.includes(name));
    return [
      {
        name: 'alg-of-another-key',
        what: `alg is ${known}, which is the algorithm of another kind of key than the credential has`,
        fix: `${fix}, here ${[...new Set(right)].join(' or ')}; or sign with the private key of this credential`,
      },
    ];
  }
  if (options.algorithms.includes(known)) return [];
  const taken = `Sign by one of ${options.algorithms.join(', ')}`;
  return [{ name: 'algorithm-not-allowed', what: `the endpoint does not take ${known}`, fix: taken }];
}

function coverageFaults(context: HttpCase, components: readonly Component[]): readonly Mistake[] {
  const { signable, options } = context;
  const values = new ComponentValues(signable, options.scheme);
  const absent = components.filter((component) => typeof values.of(component) !== 'string');
  const uncovered = findUncovered(signable, components, options);
  const isQuery = uncovered?.startsWith('@query') === true && components.some(({ kind }) => kind === 'query-param');
  return [
    ...absent.map((component) => absentFault(context, component)),
    ...(uncovered === null
      ? []
      : [
          isQuery
            ? {
                name: 'query-param-for-query',
                what: 'the signature covers parameters of the query, and not the whole of it',
                fix: `Cover @query, and no @query-param. ${coverFix(context)}`,
              }
            : {
                name: 'not-covered',
                what: `the signature does not cover ${uncovered}`,
                fix: coverFix(context),
              },
        ]),
  ];
}

function absentFault(context: HttpCase, component: Component): Mistake {
  const name = nameOf(component);
  if (name === DIGEST_FIELD) {
    return {
      name: 'digest-covered-but-absent',
      what: 'the signature covers content-digest, and the request has no Content-Digest',
      fix:
        context.request.body.length > 0
          ? 'Send the Content-Digest that was signed; look for what drops it on the way'
          : 'Send the Content-Digest that was signed, or do not cover it where there is no body',
    };
  }
  return {
    name: 'covered-but-absent',
    what: `the signature covers ${name}, which the request does not have as it is covered`,
    fix: `Send ${name}, and check whether your client or a proxy drops it; or do not cover it`,
  };
}

/** What a library has to be told, in words and as RFC 9421 §5.1 writes it. */
function coverFix({ signable, options }: HttpCase): string {
  const names = componentsToCover(signable, options).join(', ');
  const wanted = acceptSignature(signable, options, 'another each time');
  return `Cover ${names}; as Accept-Signature has it: ${wanted}`;
}
