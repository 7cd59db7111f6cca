import { parseDictionary } from '../../../base/structured-fields/parse-field.ts';
import {
  type BareItem,
  type FieldSyntaxFault,
  type InnerList,
  isInnerList,
  type Item,
  type Member,
} from '../../../base/structured-fields/values.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import type { SignableHeaders } from '../../signing/signable-request.ts';

/** How many signatures a request may have (spec §3.5). */
export const MAX_SIGNATURES = 8;
/** How many components each of them may cover. */
export const MAX_COMPONENTS = 64;

/** The field that says what signatures cover, lower case (RFC 9421 §4.1). */
export const SIGNATURE_INPUT = 'signature-input';
/** The field with the signatures themselves (RFC 9421 §4.2). */
export const SIGNATURE = 'signature';

/** The parameters of a signature that RFC 9421 §2.3 defines. Others are signed and mean nothing here. */
export interface SignatureParameters {
  /** Seconds since the epoch, or null, as for `expires`. */
  readonly created: number | null;
  readonly expires: number | null;
  readonly nonce: string | null;
  readonly alg: string | null;
  readonly keyid: string | null;
  readonly tag: string | null;
}

/** One signature of a request, well formed; what it covers has not been looked at. */
export interface MessageSignature {
  /** Its key in both fields, which means nothing. */
  readonly label: string;
  /** The inner list of `Signature-Input` with its parameters, as received: the value of `@signature-params`. */
  readonly text: string;
  /** Texts with their parameters, in the order received. */
  readonly components: readonly Item[];
  readonly parameters: SignatureParameters;
  /** The bytes of the signature, of any length. */
  readonly bytes: Buffer;
}

/**
 * Reads every signature of a request (spec §3.5). Refuses with `CREDENTIALS_MISSING` where one of the two fields is
 * absent, and with `CREDENTIALS_MALFORMED` fields that do not parse, that do not name the same labels, or hold more
 * than they may.
 */
export function readSignatures(headers: SignableHeaders): readonly MessageSignature[] | Refusal {
  const inputs = headers.valuesOf(SIGNATURE_INPUT);
  const values = headers.valuesOf(SIGNATURE);
  if (inputs.length === 0) return refuse('CREDENTIALS_MISSING', 'the request has no Signature-Input');
  if (values.length === 0) return refuse('CREDENTIALS_MISSING', 'the request has no Signature');
  const bounds = { maxMembers: MAX_SIGNATURES, maxItems: MAX_COMPONENTS };
  const input = parseDictionary(inputs.join(', '), bounds);
  if (isFault(input)) return malformed(`Signature-Input ${input.fault}`);
  const signatures = parseDictionary(values.join(', '), bounds);
  if (isFault(signatures)) return malformed(`Signature ${signatures.fault}`);
  if (input.size === 0) return refuse('CREDENTIALS_MISSING', 'Signature-Input is empty');
  if (input.size !== signatures.size) return malformed(OTHER_LABELS);
  const read: MessageSignature[] = [];
  for (const [label, member] of input) {
    const bytes = bytesOf(signatures.get(label));
    if (bytes === null) return malformed(OTHER_LABELS);
    const signature = readSignature(label, member, bytes);
    if (typeof signature === 'string') return malformed(signature);
    read.push(signature);
  }
  return read;
}

const OTHER_LABELS = 'Signature does not have the bytes of a signature for each label of Signature-Input';

/** A string says what is wrong. */
function readSignature(label: string, { value, text }: Member, bytes: Buffer): MessageSignature | string {
  if (!isInnerList(value)) return 'Signature-Input has a member that is no list of components';
  if (value.items.some(({ bare }) => bare.type !== 'string')) {
    return 'Signature-Input lists a component that is no string';
  }
  const parameters = readParameters(value);
  return typeof parameters === 'string' ? parameters : { label, text, components: value.items, parameters, bytes };
}

function readParameters({ parameters }: InnerList): SignatureParameters | string {
  const found: Record<keyof SignatureParameters, BareItem | undefined> = {
    created: parameters.get('created'),
    expires: parameters.get('expires'),
    nonce: parameters.get('nonce'),
    alg: parameters.get('alg'),
    keyid: parameters.get('keyid'),
    tag: parameters.get('tag'),
  };
  const { created, expires, nonce, alg, keyid, tag } = found;
  if (!isInteger(created) || !isInteger(expires)) return 'Signature-Input has a created or expires that is no integer';
  if (!isText(nonce) || !isText(alg) || !isText(keyid) || !isText(tag)) {
    return 'Signature-Input has a nonce, alg, keyid or tag that is no string';
  }
  return {
    created: created?.value ?? null,
    expires: expires?.value ?? null,
    nonce: nonce?.value ?? null,
    alg: alg?.value ?? null,
    keyid: keyid?.value ?? null,
    tag: tag?.value ?? null,
  };
}

function isInteger(item: BareItem | undefined): item is (BareItem & { readonly type: 'integer' }) | undefined {
  return item === undefined || item.type === 'integer';
}

function isText(item: BareItem | undefined): item is (BareItem & { readonly type: 'string' }) | undefined {
  return item === undefined || item.type === 'string';
}

function bytesOf(member: Member | undefined): Buffer | null {
  if (member === undefined || isInnerList(member.value)) return null;
  const { bare } = member.value;
  return bare.type === 'bytes' ? bare.value : null;
}

function isFault(parsed: ReadonlyMap<string, Member> | FieldSyntaxFault): parsed is FieldSyntaxFault {
  return 'fault' in parsed;
}

function malformed(detail: string): Refusal {
  return refuse('CREDENTIALS_MALFORMED', detail);
}
