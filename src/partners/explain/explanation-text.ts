import { materialKindOf } from '../../model/material.ts';
import { fit, wrap } from '../../base/text/wrap.ts';
import { visible } from '../../check/methods/explanation/text-encoding.ts';
import type { Proof } from '../../check/methods/method.ts';
import { proofOf } from '../../check/methods/methods.ts';
import { MAX_HINT_BYTES } from '../../check/signing/string-to-sign-hint.ts';
import type { Difference } from './difference.ts';
import type { Explanation } from './explanation.ts';

/** Writes an explanation for people, for a terminal of so many columns; it ends with a line feed. */
export function explanationText(
  explanation: Explanation,
  requestId: string | null,
  columns: number | undefined,
): string {
  const { verdict, difference, notes } = explanation;
  const sections = [
    [verdictOf(explanation), ...listLines(explanation), answerLine(explanation)].map((line) => fit(line, columns)),
    difference === null ? [] : differenceLines(difference),
    verdict === 'unexplained' ? unexplainedLines(explanation) : [],
    fixLines(explanation.mistakes, columns),
    notes.map((note) => fit(`Note: ${note}`, columns)),
    requestId === null ? [] : logLines(requestId),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** What is right, by what callers prove who they are with. */
const RIGHT: Readonly<Record<Proof, string>> = {
  'app-key': 'the App Key is where it should be.',
  signature: 'the signature fits the request.',
  token: 'the access token is valid.',
  'issuer-token': 'the token of the issuer is valid.',
  certificate: 'the certificate of the connection is valid.',
};

function verdictOf(explanation: Explanation): string {
  const { verdict, mistakes, answer } = explanation;
  switch (verdict) {
    case 'right': {
      const proof = proofOf(explanation);
      return `Right: ${proof === null ? `the endpoint is open: ${sentence(answer.detail)}` : RIGHT[proof]}`;
    }
    case 'unjudged':
      return explanation.hidden.length === 0
        ? 'Not judged: nothing is wrong with the access token as far as can be seen here.'
        : `Not judged: nothing is wrong with what the text shows; it does not show the ${explanation.hidden.join(' and the ')}.`;
    case 'right-but-old':
      return 'Right, but old: the signature fits the request, and the signed time is over.';
    case 'unexplained':
      return mistakes.length === 0
        ? 'Wrong: the signature fits neither the request nor any known mistake.'
        : 'Wrong, and besides, the signature fits neither the request nor any known mistake:';
    case 'wrong':
      return mistakes.length === 1
        ? `Wrong: ${sentence(mistakes[0]?.what ?? '')} [${mistakes[0]?.name ?? ''}]`
        : `Wrong: ${String(mistakes.length)} mistakes.`;
  }
}

/** The mistakes, where the first line does not name the only one. */
function listLines({ verdict, mistakes }: Explanation): readonly string[] {
  if (verdict === 'wrong' && mistakes.length === 1) return [];
  return mistakes.map(({ what, name }, index) => `  ${String(index + 1)}. ${sentence(what)} [${name}]`);
}

function answerLine({ answer: { status, code, detail, isAccessChecked } }: Explanation): string {
  if (code === null) return 'Whether the gateway lets it pass is not known.';
  if (status === null) {
    return `The gateway lets it pass, to ${isAccessChecked ? '' : 'the access condition and '}the limits.`;
  }
  return `The gateway answers ${String(status)} ${code}: ${sentence(detail)}`;
}

function differenceLines(difference: Difference): readonly string[] {
  const { offset, line, column, expected, signed, markAt, expectedByte, signedByte } = difference;
  return [
    `The string to sign differs from byte ${String(offset + 1)} on (line ${String(line)}, byte ${String(column)}):`,
    `  gateway  ${expected}`,
    `  signed   ${signed}`,
    `           ${' '.repeat(markAt)}^ ${byteText(expectedByte)} for the gateway, ${byteText(signedByte)} signed`,
  ];
}

/** How an operator finds the line of the log, which is one JSON object a line. */
function logLines(requestId: string): readonly string[] {
  return [`Request ${requestId}. Its line in the log of Postern:`, `  grep -F '"requestId":"${requestId}"'`];
}

function byteText(byte: string | null): string {
  return byte ?? 'the end';
}

function unexplainedLines({ stringToSign, checked, authentication }: Explanation): readonly string[] {
  if (stringToSign === null) return [];
  const isByKey = authentication !== null && materialKindOf([authentication]) === 'public-key';
  const isCut = stringToSign.length > MAX_HINT_BYTES;
  const lines = splitLines(stringToSign.subarray(0, MAX_HINT_BYTES)).map((line) => `  ${readable(line)}`);
  return [
    isByKey ? OWN_BASE : OWN_STRING,
    ...lines,
    ...(isCut ? ['  …'] : []),
    '',
    wrap(`Checked, alone and in pairs: ${checked.join(', ')}.`),
    wrap(isByKey ? OTHER_KEY : OTHER_SECRET),
  ];
}

const OWN_STRING =
  'The gateway builds this string to sign, without the App Secret; compare it with yours, byte by byte:';
const OWN_BASE = 'The gateway builds this signature base; compare it with yours, byte by byte:';
const OTHER_SECRET =
  'Likely causes: an App Secret that belongs to another App Key or was rotated, or a request that was changed after it was signed.';
const OTHER_KEY =
  'Likely causes: a private key of another pair than the public key that the credential has, or a request that was changed after it was signed.';

/** How to fix mistakes, each way once; a command on a line of its own, to be typed as it stands. */
export function fixLines(mistakes: Explanation['mistakes'], columns: number | undefined): readonly string[] {
  const fixes = [
    ...new Map(mistakes.map(({ fix, command }) => [`${fix} ${command ?? ''}`, { fix, command }])).values(),
  ];
  const [first, ...others] = fixes;
  if (first === undefined) return [];
  const lead = others.length === 0 ? 'Fix: ' : '  - ';
  const lines = fixes.flatMap(({ fix, command }) =>
    command === undefined
      ? [fit(`${lead}${sentence(fix)}`, columns)]
      : [fit(`${lead}${fix}:`, columns), `${others.length === 0 ? '' : '  '}  $ postern ${command}`],
  );
  return others.length === 0 ? lines : ['Fix:', ...lines];
}

/** In visible form, but for the backslashes, which JSON is full of. */
function readable(line: Buffer): string {
  return visible(line).replaceAll('\\\\', '\\');
}

function splitLines(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf('\n'); end !== -1; end = bytes.indexOf('\n', start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return [...lines, bytes.subarray(start)];
}

/** A text with its full stop. */
export function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}
