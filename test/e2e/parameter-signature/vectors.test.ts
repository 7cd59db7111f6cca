import assert from 'node:assert/strict';
import { type PlainRequest, protocols, send } from '../../support/http/http-client.ts';
import { fieldValue, jsonBody } from '../../support/http/http-message.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { signOf } from '../../support/partner/parameters.ts';
import { withinOneSecond } from '../../support/partner/use-signed-stack.ts';
import { VECTOR_ENDPOINT, vectorEndpoints } from '../../support/partner/vector-endpoints.ts';
import { parameterVectorAt } from '../../support/partner/vectors-now.ts';
import { release } from '../../support/lifetime/release.ts';
import {
  parameterMessage,
  type ParameterVector,
  readVectors,
  type VectorFile,
} from '../../support/signing/signature-vectors.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';

const published = readVectors('published');
const extended = readVectors('extended');

/** The published App Secret is shorter than a file may hold one: this one takes its place. */
const PUBLISHED_SECRET = 'my.secret, made long enough';
/** How the strings of the published vectors look as requests, without `sign`. */
const publishedWires: Readonly<Record<string, Pick<ParameterVector, 'form' | 'wire' | 'options'>>> = {
  'P1-doc': { wire: 'name=dadu&appKey=foobar&abc=123' },
  'P2-doc-ts': { form: 'form', wire: 'name=dadu&appKey=foobar&abc=123&apiTimestamp=1581565619' },
  'P3-doc-json': {
    form: 'json',
    wire: '{"data":"{\\"userName\\":\\"abc\\",\\"gender\\":\\"male\\"}","appKey":"foobar"}',
  },
  'P4-java': { form: 'form', wire: 'param2=Abc&pampasCall=query.coupon&appKey=foobar&param1=123' },
  'P5-json-ts': {
    form: 'json',
    wire: '{"data":"{\\"userName\\":\\"abc\\",\\"gender\\":\\"male\\"}","apiTimestamp":1581565619,"appKey":"foobar"}',
  },
  'P6-utf8-decoded': { wire: 'name=%E5%BC%A0%E4%B8%89&appKey=foobar' },
  'P7-space-decoded': { wire: 'q=a+b&appKey=foobar' },
  'P9-space-raw-20': { wire: 'q=a%20b&appKey=foobar', options: { parameterEncoding: 'raw' } },
  'P10-empty-value': { wire: 'e&appKey=foobar' },
  'P11-duplicates': { wire: 'appKey=foobar&a=1&a=2' },
  'P14-ambiguous-raw': { wire: 'b=1%26c%3D2&appKey=foobar', options: { parameterEncoding: 'raw' } },
};
const publishedCases = published.parameter.cases.map((vector): ParameterVector => {
  const { wire = '', ...rest } = publishedWires[vector.id] ?? {};
  const string = (vector.string ?? '').replace(published.parameter.appSecret, PUBLISHED_SECRET);
  const sign = signOf(string, '');
  const signed = rest.form === 'json' ? wire.replace(/}$/, `,"sign":"${sign}"}`) : `${wire}&sign=${sign}`;
  return { ...vector, ...rest, string, sign, wire: signed, expect: 'ACCEPTED' };
});

const cases: readonly { file: VectorFile; vector: ParameterVector }[] = [
  ...publishedCases.map((vector) => ({ file: published, vector })),
  ...extended.parameter.cases.map((vector) => ({ file: extended, vector })),
];
const endpoints = vectorEndpoints(
  'parameter-signature',
  cases.map(({ vector }) => vector.options),
  [
    { appKey: published.parameter.appKey, secrets: [PUBLISHED_SECRET] },
    { appKey: extended.parameter.appKey, secrets: (extended.secrets ?? []).slice(0, 2) },
  ],
);

/** Signed with a secret that is not that of the App Key; another test has one of its kind. */
const ofThirdSecret: readonly string[] = ['url-secret-beyond-ascii', 'form-secret-beyond-ascii'];

describe('the parameter vectors through Envoy', () => {
  let stack: Stack;
  before(async () => {
    stack = await startStack(endpoints.document, { edit: endpoints.addRoutes });
  });
  after(() => release(stack));

  for (const protocol of protocols) {
    for (const { file, vector } of cases) {
      if (ofThirdSecret.includes(vector.id)) continue;
      it(`${vector.id}, over ${protocol}: ${vector.expect ?? ''}`, async () => {
        const { answer, request } = await withinOneSecond(stack, async (seconds) => {
          const made = requestOf(file, vector, seconds);
          return { request: made, answer: await send(protocol, stack.envoy.port, made) };
        });
        const code = answer.status === 200 ? 'ACCEPTED' : (jsonBody(answer) as { code: string }).code;
        assert.equal(code, vector.expect);
        if (vector.expect !== 'ACCEPTED') {
          assert.equal(stack.backend.requests.length, 0);
          return;
        }
        const forwarded = assertOne(stack.backend.requests);
        assert.equal(forwarded.target, request.target);
        const data = vector.form === 'json' ? (JSON.parse(String(request.body)) as { data: string }) : null;
        assert.deepEqual(forwarded.body, data === null ? (request.body ?? Buffer.alloc(0)) : Buffer.from(data.data));
        if (vector.dataBase64 !== undefined) assert.equal(forwarded.body.toString('base64'), vector.dataBase64);
        const type = request.headers?.find(([name]) => name === 'Content-Type')?.[1] ?? null;
        assert.equal(fieldValue(forwarded.headers, 'content-type'), type);
      });
    }
  }
});

function requestOf(file: VectorFile, vector: ParameterVector, seconds: number): PlainRequest {
  const { method, path, headers, body } = parameterMessage(parameterVectorAt(file, vector, seconds));
  return {
    method,
    target: path,
    headers: [...headers, [VECTOR_ENDPOINT, endpoints.idOf(vector.options)]],
    ...(body.length === 0 ? {} : { body }),
  };
}
