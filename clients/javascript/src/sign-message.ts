import type { Asked } from './accept-signature.ts';
import { MAX_BODY_BYTES, tooLarge } from './body-form.ts';
import { base64, utf8 } from './bytes.ts';
import { hash } from './hash.ts';
import type { Header } from './headers.ts';
import { valuesOf } from './headers.ts';
import type { MessageAlgorithm } from './key-algorithms.ts';
import type { KeySigner } from './key-signer.ts';
import { PosternProblem } from './problem.ts';
import { checkName, notSignable, signedValue } from './signable-headers.ts';
import type { Moment, Signature } from './signature.ts';
import { splitTarget, withoutDefaultPort, type WireRequest } from './wire-request.ts';

/** What a client for HTTP message signatures signs with. */
export interface MessageKey {
  readonly appKey: string;
  readonly signer: KeySigner<MessageAlgorithm>;
  readonly tag: string | null;
  readonly label: string;
  /** More components, in lower case. */
  readonly coverAlso: readonly string[];
}

const USUAL = ['@method', '@authority', '@path', '@query'] as const;
const DIGEST = 'content-digest';
const LENGTH = 'content-length';
const VISIBLE = /^[\x21-\x7e]+$/;

/** The components that can be covered without being a header. */
export const derivedComponents: readonly string[] = [...USUAL, '@target-uri', '@scheme', '@request-target'];

/**
 * Sets `Content-Digest` for a body, `Signature-Input` and `Signature` (RFC 9421). `asked` is what a 401 asked for.
 * Refuses with `TARGET_NOT_SIGNABLE`, `BODY_TOO_LARGE`, `HEADER_NOT_SIGNABLE` and `SIGNER_FAILED`.
 */
export async function signMessage(
  request: WireRequest,
  key: MessageKey,
  moment: Moment,
  asked: Asked | null,
): Promise<Signature> {
  const { body } = request;
  const authority = authorityOf(request);
  if (body.length > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES);
  const own = ownComponents(request, key);
  const components = asked === null ? own : [...new Set([...own, ...asked.components])];
  const digest = body.length === 0 ? null : `sha-256=:${await hash('SHA-256', [body], 'base64')}:`;
  const valueOf = (name: string): string => derivedValue(name, request, authority) ?? fieldValue(name, request, digest);
  const lines = components.map((name) => `"${name}": ${valueOf(name)}`);
  const nonce = (asked?.nonce ?? moment.nonce)?.() ?? null;
  const tag = asked?.tag ?? key.tag;
  const list = components.map((name) => `"${name}"`).join(' ');
  const more = (nonce === null ? '' : `;nonce="${nonce}"`) + (tag === null ? '' : `;tag="${tag}"`);
  const input = `(${list});created=${String(moment.seconds)};keyid="${key.appKey}"${more}`;
  const signed = [...lines, `"@signature-params": ${input}`].join('\n');
  const bytes = await key.signer.sign(utf8(signed));
  const label = asked?.label ?? key.label;
  const set: Header[] = [
    ['Signature-Input', `${label}=${input}`],
    ['Signature', `${label}=:${base64(bytes)}:`],
  ];
  return { headers: digest === null ? set : [['Content-Digest', digest], ...set], signed };
}

/** What a signature of a request covers unless more is asked for; throws nothing for what the request has not. */
export function ownComponents(request: WireRequest, { coverAlso }: Pick<MessageKey, 'coverAlso'>): readonly string[] {
  const hasBody = request.body.length > 0;
  const isLeftOut = (name: string): boolean =>
    (name === 'content-type' && valuesOf(request.headers, name).length === 0) ||
    ((name === DIGEST || name === LENGTH) && !hasBody);
  return [...new Set([...USUAL, ...(hasBody ? [DIGEST] : []), ...coverAlso.filter((name) => !isLeftOut(name))])];
}

/** Refuses with `HEADER_NOT_SIGNABLE` a component that no signature can cover. */
export function checkComponent(name: string, { headers, origin, body }: WireRequest): void {
  if (derivedComponents.includes(name)) return;
  if (name.startsWith('@')) throw new PosternProblem('HEADER_NOT_SIGNABLE', 'a component with @ is not a known one');
  checkName(name);
  if (name === 'signature' || name === 'signature-input') throw notSignable(name, 'cannot be covered');
  if (name === DIGEST || name === LENGTH) {
    if (body.length === 0) throw notSignable(name, 'is covered with a body only');
  } else signedValue(name, { headers, origin });
}

function fieldValue(name: string, request: WireRequest, digest: string | null): string {
  if (name === DIGEST && digest !== null) return digest;
  checkComponent(name, request);
  return name === LENGTH ? String(request.body.length) : signedValue(name, request);
}

/** What is covered without being a header; null for a header. */
function derivedValue(name: string, { method, origin, target }: WireRequest, authority: string): string | null {
  const scheme = (): string => origin.slice(0, origin.indexOf(':')).toLowerCase();
  switch (name) {
    case '@method':
      return method;
    case '@authority':
      return authority;
    case '@path':
      return splitTarget(target).path;
    case '@query':
      return `?${splitTarget(target).query}`;
    case '@scheme':
      return scheme();
    case '@request-target':
      return target;
    case '@target-uri':
      return `${scheme()}://${authority}${target}`;
    default:
      return null;
  }
}

/** As it is signed: in lower case, without the port of the scheme. */
function authorityOf(request: WireRequest): string {
  const authority = withoutDefaultPort(request.origin, signedValue('host', request)).toLowerCase();
  if (VISIBLE.test(authority)) return authority;
  throw new PosternProblem(
    'TARGET_NOT_SIGNABLE',
    'the host may hold visible ASCII characters only; write it in Punycode',
  );
}
