import assert from 'node:assert/strict';
import { parseHmacAuthorization } from '../../src/check/methods/hmac/authorization.ts';
import { parseSignedHeaders } from '../../src/check/methods/hmac/signed-headers.ts';
import {
  type ParameterText,
  parseParameters,
  sortByName,
  valueStart,
} from '../../src/check/methods/parameter-signature/parameters.ts';
import { stripReservedParameters } from '../../src/check/methods/parameter-signature/strip-parameters.ts';
import { parseWrapper } from '../../src/check/methods/parameter-signature/wrapper.ts';
import { Secret } from '../../src/model/secret.ts';
import { isRefusal } from '../../src/check/refusal.ts';
import { decodeCanonicalBase64 } from '../../src/base/text/encodings.ts';
import { parseMediaType } from '../../src/base/text/media-type.ts';
import { formatImfFixdate, parseImfFixdate } from '../../src/check/signing/signed-time.ts';
import { describeStringToSign, MAX_HINT_BYTES } from '../../src/check/signing/string-to-sign-hint.ts';
import { naiveHmac, naiveMeaning, naiveParameters, naiveStrip } from '../support/signing/naive-signature.ts';
import { checkHmacMessage, checkParameterMessage } from '../support/signing/signature-outcome.ts';
import { APP_KEY, NOW, SECRETS } from '../support/signing/signed-message-arbitraries.ts';
import { type CheckOptions, defaultOptions } from '../support/signing/signed-message.ts';
import { assertionTargets } from './assertions.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { managementTargets } from './management.ts';
import { rawMessage } from './raw-message.ts';

const keys = new Map([[APP_KEY, SECRETS.map((secret) => Secret.fromText(secret))]]);
const naiveKeys = new Map([[APP_KEY, SECRETS]]);
const PARAMETER_WORDS = [
  '&',
  '=',
  '%',
  '+',
  '%26',
  '%3D',
  '%C3%A9',
  '%C3',
  'appKey',
  'sign',
  'apiTimestamp',
  's%69gn',
  'a=1',
  '%00',
];
const JSON_WORDS = [
  '{',
  '}',
  '"',
  ':',
  ',',
  '\\',
  '\\u',
  '\\u0061',
  '\\ud83d',
  '\\ude00',
  '\\n',
  '"data":',
  '"appKey":',
  '"sign":',
  '"apiTimestamp":',
  'null',
  '[',
  ']',
  '1e9',
  '-0',
  '1.5',
  '\xc3\xa9',
  '\xed\xa0\x80',
  '\xef\xbb\xbf',
  '\0',
];
const HEADER_WORDS = [
  'date',
  'host',
  'digest',
  'request-line',
  'hmac ',
  'HMAC ',
  'appkey="',
  'algorithm="',
  'headers="',
  'signature="',
  '"',
  ', ',
  ',',
  '\t',
  '\\',
  ' ',
  '!',
  '\n',
  'SHA-256=',
  'GMT',
  'Authorization: ',
  'Date: ',
  'Digest: ',
];

/** Every combination of the options that change how parameters are read, by a number. */
function optionsBy(number: number): CheckOptions {
  const bit = (index: number): boolean => (number >> index) % 2 === 1;
  return {
    ...defaultOptions,
    acceptRealHttpVersion: bit(0),
    strictParameters: !bit(1),
    requireTimestamp: bit(2),
    unsignedQuery: bit(3) ? 'forward' : 'refuse',
    unsignedBody: bit(4) ? 'forward' : 'refuse',
    parameterEncoding: bit(5) ? 'auto' : bit(6) ? 'raw' : 'decoded',
  };
}

function pairsOf(text: ParameterText): string[][] {
  return sortByName(text.bytes, text.spans, false).map((span) => [
    text.bytes.toString('latin1', span.start, span.nameEnd),
    text.bytes.toString('latin1', valueStart(span), span.end),
  ]);
}

export const fuzzTargets: readonly FuzzTarget[] = [
  {
    name: 'authorization',
    words: HEADER_WORDS,
    run(input) {
      const parsed = parseHmacAuthorization(input.toString('latin1'));
      if (isRefusal(parsed)) return parsed.detail;
      const { appKey, algorithm, signedHeaders, mac } = parsed;
      const written = `hmac appkey="${appKey}", algorithm="${algorithm}", headers="${signedHeaders.join(' ')}", signature="${mac.toString('base64')}"`;
      assert.deepEqual(parseHmacAuthorization(written), parsed);
      return 'read';
    },
  },
  {
    name: 'signed-headers',
    words: HEADER_WORDS,
    run(input) {
      const parsed = parseSignedHeaders(input.toString('latin1'));
      if (isRefusal(parsed)) return parsed.detail.replace(/header \S+ cannot/, 'header cannot');
      assert.equal(parsed.join(' '), input.toString('latin1'));
      return 'read';
    },
  },
  {
    name: 'imf-fixdate',
    words: ['Mon', 'Feb', ' 29 ', '2024', '24:00:60', 'GMT', ', '],
    run(input) {
      const seconds = parseImfFixdate(input.toString('latin1'));
      if (seconds === null) return 'refused';
      assert.equal(formatImfFixdate(seconds).slice(3), input.toString('latin1').slice(3));
      return 'read';
    },
  },
  {
    name: 'base64',
    words: ['=', '==', 'A', '-', '_', '+', '/'],
    run(input) {
      const bytes = decodeCanonicalBase64(input.toString('latin1'));
      if (bytes === null) return 'refused';
      assert.equal(bytes.toString('base64'), input.toString('latin1'));
      return 'read';
    },
  },
  {
    name: 'media-type',
    words: ['application/json', ';', 'charset', '=', 'utf-8', '"', '\\', ' ', '\t', ','],
    run(input) {
      const { charsets } = parseMediaType(input.toString('latin1'));
      return charsets === null ? 'malformed' : `${String(Math.min(charsets.length, 3))} charsets`;
    },
  },
  {
    name: 'parameters',
    words: PARAMETER_WORDS,
    run(input) {
      const parsed = parseParameters(input);
      const naive = naiveMeaning(input.toString('latin1'), 'decoded');
      if (isRefusal(parsed)) {
        assert.equal(naive === null, parsed.refused === 'MALFORMED_REQUEST');
        return parsed.detail;
      }
      const isSigned = (name: string): boolean => name !== 'sign';
      assert.deepEqual(
        pairsOf(parsed.decoded).filter(([name = '']) => isSigned(name)),
        naive,
      );
      assert.equal(pairsOf(parsed.raw).length, parsed.decoded.spans.length);
      return `${String(Math.min(parsed.raw.spans.length, 5))} parameters`;
    },
  },
  {
    name: 'strip-parameters',
    words: PARAMETER_WORDS,
    run(input) {
      const stripped = stripReservedParameters(input);
      assert.equal(stripped.toString('latin1'), naiveStrip(input.toString('latin1')));
      return stripped === input ? 'kept' : 'stripped';
    },
  },
  {
    name: 'wrapper',
    words: JSON_WORDS,
    run(input) {
      const parsed = parseWrapper(input);
      if (isRefusal(parsed)) return parsed.detail.replace(/\d+$/, '');
      const json = JSON.parse(input.toString('utf8')) as Record<string, unknown>;
      assert.deepEqual(
        [json['data'], json['appKey'], json['sign']],
        [parsed.data, parsed.appKey, parsed.sign].map(String),
      );
      return 'read';
    },
  },
  {
    name: 'hmac',
    words: [...HEADER_WORDS, 'GET', '/', '?', 'HTTP/2', 'map', '\n\n'],
    run(input) {
      const options = optionsBy(input.length);
      const message = rawMessage(input);
      const refusal = checkHmacMessage(message, options, keys, NOW);
      assert.equal(refusal?.refused ?? 'ACCEPTED', naiveHmac(message, options, naiveKeys, NOW).outcome);
      return refusal?.detail.replace(/header \S+/, 'header').replaceAll(/\d+/g, 'N') ?? 'accepted';
    },
  },
  {
    name: 'parameter-signature',
    words: [
      ...PARAMETER_WORDS,
      ...JSON_WORDS,
      'Content-Type: application/json',
      'application/x-www-form-urlencoded',
      '; charset=',
      '\n\n',
      'map',
    ],
    run(input) {
      const options = optionsBy(input.length);
      const message = rawMessage(input);
      const { refusal, data } = checkParameterMessage(message, options, keys, NOW);
      const outcome = refusal?.refused ?? 'ACCEPTED';
      assert.deepEqual({ outcome, data }, naiveParameters(message, options, naiveKeys, NOW));
      return refusal?.detail.replaceAll(/\d+/g, 'N') ?? 'accepted';
    },
  },
  {
    name: 'string-to-sign-hint',
    words: ['\xc3\xa9', '\xf0\x9f\x98\x80', '\xff', '\xef\xbb\xbf', 'x'.repeat(MAX_HINT_BYTES)],
    run(input) {
      const text = describeStringToSign(input);
      const isCut = input.length > MAX_HINT_BYTES;
      assert.equal(text.endsWith('…') && isCut, isCut);
      if (!isCut) assert.equal(text, input.toString('utf8'));
      return isCut ? 'cut' : 'whole';
    },
  },
  ...assertionTargets,
  ...managementTargets,
];
