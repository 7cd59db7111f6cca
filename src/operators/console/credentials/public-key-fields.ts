import { MAX_PUBLIC_KEY_CHARACTERS, readPublicKey } from '../../../model/public-key/read-public-key.ts';
import { PublicKey } from '../../../model/public-key/public-key.ts';
import type { Html } from '../frame/html.ts';
import type { Form } from '../frame/page.ts';
import { fileFor, type Refused, textArea, textField } from '../parts/form.ts';

/** A public key as it is pasted, or uploaded into the same field. */
export interface TypedKey {
  readonly text: string;
  /** Which key of a set. */
  readonly kid: string;
}

/** Before anything was typed. */
export const noKey: TypedKey = { text: '', kid: '' };

/** What was typed. */
export function typedKey({ text }: Pick<Form, 'text'>): TypedKey {
  return { text: text('publicKey'), kid: text('kid') };
}

/**
 * The fields for a public key. What was typed is shown again only when it is a public key: it may have been a private
 * one, which no page repeats.
 */
export function publicKeyFields({ text, kid }: TypedKey, hint: string, refused: Refused): readonly Html[] {
  const isKey = readPublicKey(text, kid === '' ? null : kid) instanceof PublicKey;
  return [
    textArea({ name: 'publicKey', label: 'Public key', hint, value: isKey ? text : '', rows: 5 }, refused),
    fileFor('publicKey', 'Take the public key from a file', MAX_PUBLIC_KEY_CHARACTERS),
    textField(
      { name: 'kid', label: 'Key id of a JWK set', hint: 'Only for a set of several keys: which one.', value: kid },
      refused,
    ),
  ];
}

/** The part of a body. */
export function keyInBody({ text, kid }: TypedKey): { readonly publicKey?: string; readonly kid?: string } {
  return { ...(text === '' ? {} : { publicKey: text }), ...(kid === '' ? {} : { kid }) };
}
