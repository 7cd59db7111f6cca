import { parseDictionary } from '../../../../base/structured-fields/parse-field.ts';
import { isInnerList, type Item, type Member } from '../../../../base/structured-fields/values.ts';
import { isAppKey } from '../../../../model/app-key.ts';
import type { HttpSignatureOptions } from '../../../../model/endpoint.ts';
import { type ClientRequest, headerOf, signableRequest } from '../../../signing/client-request.ts';
import type { SignableRequest } from '../../../signing/signable-request.ts';
import { type Component, readComponents } from '../components.ts';
import { SIGNATURE, SIGNATURE_INPUT, type SignatureParameters } from '../message-signature.ts';

/** A request to an endpoint of this method, as the mistakes look at it. */
export interface HttpCase {
  readonly request: ClientRequest;
  readonly signable: SignableRequest;
  readonly options: HttpSignatureOptions;
  /** The signature that is meant for this endpoint; null where none can be read. */
  readonly sent: SentSignature | null;
  /** What it covers, or what is wrong with that. */
  readonly components: readonly Component[] | string;
  /** The first value of a header by its lower-case name; null when there is none. */
  readonly header: (name: string) => string | null;
}

/** A signature, read as leniently as can be. */
export interface SentSignature {
  readonly label: string;
  /** The inner list with its parameters, as received. */
  readonly text: string;
  readonly items: readonly Item[];
  readonly parameters: SignatureParameters;
  /** The bytes under its label; null where there are none. */
  readonly bytes: Buffer | null;
  /** The bytes of other labels. */
  readonly otherBytes: readonly Buffer[];
}

/** Prepares a request for looking at its mistakes. `appKey` is whose signature is looked for; null for any. */
export function httpCase(request: ClientRequest, options: HttpSignatureOptions, appKey: string | null): HttpCase {
  const signable = signableRequest(request);
  const sent = chooseSent(readSent(signable), options, appKey);
  return {
    request,
    signable,
    options,
    sent,
    components: readComponents(sent?.items ?? []),
    header: (name) => headerOf(request, name),
  };
}

function readSent({ headers }: SignableRequest): readonly SentSignature[] {
  const inputs = membersOf(headers.valuesOf(SIGNATURE_INPUT));
  const signatures = membersOf(headers.valuesOf(SIGNATURE));
  const bytes = new Map<string, Buffer>();
  for (const [label, { value }] of signatures) {
    if (!isInnerList(value) && value.bare.type === 'bytes') bytes.set(label, value.bare.value);
  }
  const sent: SentSignature[] = [];
  for (const [label, { value, text }] of inputs) {
    if (!isInnerList(value)) continue;
    const textOf = (name: string): string | null => {
      const item = value.parameters.get(name);
      return item?.type === 'string' ? item.value : null;
    };
    const secondsOf = (name: string): number | null => {
      const item = value.parameters.get(name);
      return item?.type === 'integer' ? item.value : null;
    };
    sent.push({
      label,
      text,
      items: value.items,
      bytes: bytes.get(label) ?? null,
      otherBytes: [...bytes].filter(([other]) => other !== label).map(([, others]) => others),
      parameters: {
        created: secondsOf('created'),
        expires: secondsOf('expires'),
        nonce: textOf('nonce'),
        alg: textOf('alg'),
        keyid: textOf('keyid'),
        tag: textOf('tag'),
      },
    });
  }
  return sent;
}

function membersOf(lines: readonly string[]): ReadonlyMap<string, Member> {
  const members = parseDictionary(lines.join(', '));
  return 'fault' in members ? new Map<string, Member>() : members;
}

/** The one that the gateway would take, or the one that is likest to be meant. */
function chooseSent(
  all: readonly SentSignature[],
  { tag }: HttpSignatureOptions,
  appKey: string | null,
): SentSignature | null {
  const tagged = tag === '' ? all : all.filter(({ parameters }) => parameters.tag === tag);
  const meant = tagged.length > 0 ? tagged : all;
  const own = meant.find(({ parameters: { keyid } }) => keyid !== null && keyid === appKey);
  const known = meant.find(({ parameters: { keyid } }) => keyid !== null && isAppKey(keyid));
  return own ?? known ?? meant[0] ?? null;
}
