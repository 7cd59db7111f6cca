import fc from 'fast-check';
import { encodeSegment } from '../oauth2/forged-token.ts';

const segment = fc.oneof(
  fc.json().map(encodeSegment),
  fc.uint8Array({ maxLength: 40 }).map(encodeSegment),
  fc
    .dictionary(fc.constantFrom('alg', 'kid', 'typ', 'crit', 'iss', 'aud', 'exp', 'azp', '__proto__'), fc.jsonValue())
    .map((object) => encodeSegment(object)),
  fc.string({ maxLength: 40 }),
);

/** Other texts than these tokens, most of them made of one: characters, segments and pieces that were changed. */
export function mutatedTokens(right: readonly string[]): fc.Arbitrary<string> {
  const token = fc.constantFrom(...right);
  return fc
    .oneof(
      fc.tuple(token, fc.nat(), fc.integer({ min: 0, max: 127 })).map(([text, at, code]) => {
        const place = at % text.length;
        return text.slice(0, place) + String.fromCharCode(code) + text.slice(place + 1);
      }),
      fc.tuple(token, fc.nat(), fc.nat({ max: 8 })).map(([text, at, count]) => {
        const place = at % text.length;
        return text.slice(0, place) + text.slice(place + count);
      }),
      fc.tuple(token, fc.nat(), fc.string({ maxLength: 8 })).map(([text, at, more]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + more + text.slice(place);
      }),
      fc
        .tuple(token, fc.nat({ max: 2 }), segment)
        .map(([text, at, other]) => text.split('.').with(at, other).join('.')),
      fc.tuple(token, token, fc.nat({ max: 2 })).map(([one, other, at]) => {
        return one
          .split('.')
          .with(at, other.split('.')[at] ?? '')
          .join('.');
      }),
      fc.tuple(segment, segment, segment).map((segments) => segments.join('.')),
    )
    .filter((text) => !right.includes(text));
}
