import { formatTime } from '../render/text.ts';
import {
  EXAMPLE_APP_KEY,
  EXAMPLE_NONCE,
  EXAMPLE_SECRET,
  EXAMPLE_TIME,
} from '../../check/methods/presentation/example-values.ts';
import type { Example } from '../../check/methods/presentation/guide.ts';
import type { EndpointGroup } from '../../partners/handover/handover-page.ts';
import { block, code } from '../../model/document/markdown.ts';

/** The section that partners compare a program of their own with, byte by byte. */
export function renderComparison(
  { examples, exampleNote, settings }: EndpointGroup,
  appKey: 'own' | 'example',
): readonly string[] {
  const isSigned = examples.some(({ signature }) => signature !== null);
  const key = appKey === 'own' ? 'your App Key' : `the App Key ${code(EXAMPLE_APP_KEY)}, which is an example`;
  const nonce = settings.nonce === true ? `, the nonce ${code(EXAMPLE_NONCE)}` : '';
  const secret = `the App Secret ${code(EXAMPLE_SECRET)}`;
  const time = `${formatTime(EXAMPLE_TIME)} (${String(EXAMPLE_TIME)})`;
  const given = isSigned
    ? `These requests are made with ${key}, ${secret} and the time ${time}${nonce}. The secret is public and not yours: a program that makes the same bytes signs right. We refuse the requests themselves.`
    : null;
  return [
    '### Compare your program',
    ...(given === null ? [] : [given]),
    exampleNote,
    ...examples.flatMap((example, index) => renderExample(example, index + 1)),
  ];
}

function renderExample({ title, unsigned, stringToSign, signature, sent }: Example, number: number): readonly string[] {
  const heading = `**${String(number)}. ${title}.**`;
  if (stringToSign === null || signature === null) return [heading, block(sent, 'http')];
  const { length } = stringToSign;
  return [
    heading,
    block(unsigned, 'text'),
    `String to sign, ${String(length)} bytes, no line feed at the end:`,
    block(stringToSign.toString('utf8'), 'text'),
    'Signature:',
    block(signature, 'text'),
    'What is sent:',
    block(sent, 'http'),
  ];
}
