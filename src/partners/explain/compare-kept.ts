import { keepStringToSign } from '../../check/refusals/kept-string-to-sign.ts';
import type { RefusalRecord } from '../../check/refusals/refusal-record.ts';
import { shownText } from '../../check/refusals/shown-text.ts';
import type { ClientRequest } from '../../check/signing/client-request.ts';
import { findDifference } from './difference.ts';
import { sentence } from './explanation-text.ts';

/**
 * How the request of a file, and what the gateway builds of it, differ from the one that was refused; notes for people.
 */
export function compareWithKept(
  { method, path, code, detail, stringToSign }: RefusalRecord,
  request: ClientRequest,
  built: Buffer | null,
): readonly string[] {
  const refused = `The refusal that is kept: ${shownText(code)}, ${sentence(shownText(detail))}`;
  const [given = ''] = request.path.split('?', 1);
  if (method !== request.method || (given !== path && !path.endsWith('…'))) {
    return [
      refused,
      `It is of another request than the one given: ${shownText(`${method} ${path}`)}, not ${shownText(`${request.method} ${given}`)}.`,
    ];
  }
  if (stringToSign === null || built === null) return [refused];
  const difference = findDifference(Buffer.from(stringToSign), Buffer.from(keepStringToSign(built, [])));
  if (difference === null)
    return [refused, 'Its string to sign is that of the request given: they are the same request.'];
  const { offset, expected, signed } = difference;
  return [
    refused,
    `Its string to sign differs from that of the request given, from byte ${String(offset + 1)} on: refused was "${expected}", given is "${signed}".`,
  ];
}
