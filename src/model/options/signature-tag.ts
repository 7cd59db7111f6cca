import { MAX_SIGNATURE_TAG_CHARACTERS } from '../bounds.ts';
import { bounded, textBound } from '../document/bounds.ts';
import { textLike } from '../document/fields.ts';
import type { Option, OptionTexts } from './option.ts';

/** What a string of structured fields can be without escaping anything (RFC 8941 §3.3.3). */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

const field = bounded(
  textLike(PLAIN, 'must be printable ASCII without " and \\'),
  textBound(MAX_SIGNATURE_TAG_CHARACTERS),
);

/** The `tag` of signatures (RFC 9421 §2.3); empty for any. */
export function signatureTagOption(texts: OptionTexts): Option<string> {
  return { reader: field, typed: { is: 'text' }, label: texts.label, hint: texts.hint };
}
