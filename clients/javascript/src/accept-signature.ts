import { PosternProblem } from './problem.ts';
import { checkComponent, type MessageKey, ownComponents } from './sign-message.ts';
import type { Moment } from './signature.ts';
import { type BareItem, type Item, type Member, readDictionary } from './structured-fields.ts';
import type { WireRequest } from './wire-request.ts';

/** What `Accept-Signature` asks for beyond what was signed (RFC 9421 §5). */
export interface Asked {
  readonly label: string;
  readonly components: readonly string[];
  /** Null for the client's own. */
  readonly tag: string | null;
  /** Gives the nonce that is asked for, and later others; null for the client's own way. */
  readonly nonce: (() => string) | null;
}

const MAX_COMPONENTS = 64;
const MAX_NONCE_CHARACTERS = 256;
/** What needs no escape in a string of structured fields. */
export const PLAIN_STRING = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

/** What to sign after a 401 with this `Accept-Signature`; null when nothing of it can be done, or nothing is new. */
export function readAsked(
  text: string,
  request: WireRequest,
  key: MessageKey,
  moment: Moment,
  createNonce: () => string,
): Asked | null {
  for (const [label, member] of readDictionary(text) ?? []) {
    const found = wantedOf(member, request, key);
    if (found === null) continue;
    const covered = ownComponents(request, key);
    const isMore =
      found.components.some((name) => !covered.includes(name)) ||
      (found.tag !== null && found.tag !== key.tag) ||
      (found.nonce !== null && moment.nonce === null);
    if (!isMore) return null;
    return { ...found, label, nonce: found.nonce === null ? null : onceThen(found.nonce, createNonce) };
  }
  return null;
}

interface Wanted {
  readonly components: readonly string[];
  readonly tag: string | null;
  readonly nonce: string | null;
}

/** A member that this client can do for this request; null for another. */
function wantedOf({ items, parameters }: Member, request: WireRequest, key: MessageKey): Wanted | null {
  const components = items?.map(nameOf) ?? [null];
  const names = components.filter((name) => name !== null);
  if (names.length < components.length || names.length > MAX_COMPONENTS || new Set(names).size < names.length) {
    return null;
  }
  if (!names.every((name) => canCover(name, request))) return null;
  const texts = new Map<string, string>();
  for (const [name, item] of parameters) {
    if (name === 'created' && item.kind === 'boolean' && item.value) continue;
    if (item.kind !== 'string' || !isDone(name, item.value, key)) return null;
    texts.set(name, item.value);
  }
  return { components: names, tag: texts.get('tag') ?? null, nonce: texts.get('nonce') ?? null };
}

function isDone(name: string, value: string, { appKey, signer }: MessageKey): boolean {
  switch (name) {
    case 'nonce':
      return PLAIN_STRING.test(value) && value.length <= MAX_NONCE_CHARACTERS;
    case 'tag':
      return PLAIN_STRING.test(value);
    case 'keyid':
      return value === appKey;
    case 'alg':
      return value === signer.algorithm;
    default:
      return false;
  }
}

function nameOf({ bare, parameters }: Item): string | null {
  return bare.kind === 'string' && parameters.size === 0 && isLowerCase(bare) ? bare.value : null;
}

function isLowerCase({ value }: BareItem & { readonly kind: 'string' }): boolean {
  return value === value.toLowerCase();
}

function canCover(name: string, request: WireRequest): boolean {
  try {
    checkComponent(name, request);
    return true;
  } catch (error) {
    if (error instanceof PosternProblem) return false;
    throw error;
  }
}

function onceThen(first: string, next: () => string): () => string {
  let left: string | null = first;
  return () => {
    const nonce = left ?? next();
    left = null;
    return nonce;
  };
}
