import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { type RefusalCode, refusalAnswers } from '../../../src/check/refusal.ts';
import { limitHeaders } from '../../../src/check/respond/answer-fields.ts';
import { readDocument } from '../../support/docs/documents.ts';

/** Envoy's own answer, with the gateway's JSON (spec §5). */
const ofEnvoy = 'GATEWAY_ERROR';

const responses: Readonly<Record<number, string>> = {
  400: 'PosternBadRequest',
  401: 'PosternUnauthorized',
  403: 'PosternForbidden',
  404: 'PosternNotFound',
  413: 'PosternContentTooLarge',
  415: 'PosternUnsupportedMediaType',
  429: 'PosternTooManyRequests',
  500: 'PosternInternalError',
  503: 'PosternUnavailable',
};

interface Description {
  readonly components: {
    readonly [kind: string]: Readonly<Record<string, object>>;
    readonly schemas: { readonly PosternRefusalCode: { readonly enum: readonly string[] } };
    readonly responses: Readonly<Record<string, Answer>>;
  };
}

interface Answer {
  readonly headers?: Readonly<Record<string, object>>;
  readonly content: { readonly 'application/json': { readonly example: { readonly code: RefusalCode } } };
}

describe('clients/openapi/postern.yaml', () => {
  const text = readDocument('clients/openapi/postern.yaml');
  const description = parse(text) as Description;
  const { components } = description;
  const ajv = new Ajv2020({ strict: false }).addSchema(description, 'postern');
  const codes = Object.entries(refusalAnswers);

  const validators = new Map(
    Object.keys(components.responses).map((response) => [
      response,
      ajv.compile({ $ref: `postern#/components/responses/${response}/content/application~1json/schema` }),
    ]),
  );
  const isBodyOf = (response: string, body: object): boolean => validators.get(response)?.(body) === true;
  const responseFor = (status: number): string => {
    const name = responses[status];
    assert.ok(name !== undefined, `a code has the status ${String(status)}: describe it`);
    return name;
  };

  it('lists every code that callers can get', () => {
    assert.deepEqual(components.schemas.PosternRefusalCode.enum, [...Object.keys(refusalAnswers), ofEnvoy]);
  });

  it('has a response for every status, and no other', () => {
    assert.deepEqual(Object.keys(components.responses), Object.values(responses));
    assert.deepEqual(new Set(codes.map(([, { status }]) => String(status))), new Set(Object.keys(responses)));
  });

  for (const [code, { status, message }] of codes) {
    it(`takes ${code} as a body of ${String(status)}, and of no other status`, () => {
      const body = { code, message, requestId: '1f0c' };
      const taking = Object.keys(components.responses).filter((response) => isBodyOf(response, body));
      assert.deepEqual(taking, [responseFor(status)]);
    });
  }

  it('wants code, message and request id', () => {
    const body = { code: 'NOT_AUTHORIZED', message: 'No.', requestId: '1f0c' };
    assert.ok(isBodyOf('PosternForbidden', body));
    for (const name of Object.keys(body)) {
      const without = Object.fromEntries(Object.entries(body).filter(([each]) => each !== name));
      assert.ok(!isBodyOf('PosternForbidden', without), name);
      assert.ok(!isBodyOf('PosternForbidden', { ...body, [name]: 1 }), name);
    }
  });

  it('shows the messages that the gateway writes', () => {
    for (const { content } of Object.values(components.responses)) {
      const { example } = content['application/json'];
      assert.equal((example as { message?: string }).message, refusalAnswers[example.code].message);
    }
  });

  it('has the headers of refusals', () => {
    const named = (status: number): readonly string[] =>
      Object.keys(components.responses[responseFor(status)]?.headers ?? {}).map((name) => name.toLowerCase());
    const limit = { requests: 1, unit: 'minute', per: 'consumer' } as const;
    const limited = limitHeaders({ limit, remaining: 0, resetSeconds: 1, windowSeconds: 60, isExceeded: true });
    assert.deepEqual(named(401), ['www-authenticate']);
    assert.deepEqual(named(429), ['retry-after', ...limited.map(([name]) => name)]);
  });

  it('is used whole by the example', () => {
    const example = readDocument('clients/openapi/example.yaml');
    for (const kind of ['parameters', 'responses', 'securitySchemes']) {
      for (const name of Object.keys(components[kind] ?? {})) assert.match(example, new RegExp(`\\b${name}\\b`), name);
    }
    for (const name of ['PosternSignedForm', 'PosternWrapper']) assert.match(example, new RegExp(`/${name}'`));
  });
});
