import assert from 'node:assert/strict';
import { CheckResponse } from '../../../src/gen/envoy/service/auth/v3/external_auth.ts';
import { type HeaderValueOption } from '../../../src/gen/envoy/config/core/v3/base.ts';

/** Headers as pairs in the order of the answer. */
export type Headers = readonly (readonly [name: string, value: string])[];

/** An answer that lets the request go upstream. */
export interface AllowedAnswer {
  readonly kind: 'allowed';
  /** Set on the request that goes upstream. */
  readonly upstream: Headers;
  readonly removed: readonly string[];
  /** Set on the answer that the caller gets. */
  readonly responseHeaders: Headers;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** An answer that Envoy gives the caller itself. */
export interface RefusedAnswer {
  readonly kind: 'refused';
  readonly status: number;
  readonly headers: Headers;
  /** The text of the body as sent. */
  readonly text: string;
  readonly body: { readonly code: string; readonly message: string; readonly requestId: string };
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Reads the bytes of a `CheckResponse`; fails the test where Envoy would see something else than allow or deny. */
export function readAnswer(bytes: Uint8Array): AllowedAnswer | RefusedAnswer {
  const { status, httpResponse, dynamicMetadata = {} } = CheckResponse.decode(bytes);
  assert.ok(status, 'the answer has a status');
  assert.ok(httpResponse, 'the answer allows or denies');
  if (httpResponse.$case === 'okResponse') {
    assert.equal(status.code, 0, 'Envoy allows only what has the status 0');
    const { headers, headersToRemove, responseHeadersToAdd } = httpResponse.value;
    return {
      kind: 'allowed',
      upstream: headers.map(pair),
      removed: headersToRemove,
      responseHeaders: responseHeadersToAdd.map(pair),
      metadata: dynamicMetadata,
    };
  }
  assert.notEqual(status.code, 0, 'Envoy allows a denied answer with the status 0');
  const { status: httpStatus, headers, body } = httpResponse.value;
  assert.ok(httpStatus && httpStatus.code >= 400, 'a refusal has an HTTP status of 400 or more');
  return {
    kind: 'refused',
    status: httpStatus.code,
    headers: headers.map(pair),
    text: body,
    body: JSON.parse(body) as RefusedAnswer['body'],
    metadata: dynamicMetadata,
  };
}

/** The answer, which must be an allow. */
export function assertCheckAllowed(bytes: Uint8Array): AllowedAnswer {
  const answer = readAnswer(bytes);
  assert.ok(answer.kind === 'allowed', `refused with ${answer.kind === 'refused' ? answer.text : ''}`);
  return answer;
}

/** The answer, which must be a refusal. */
export function assertCheckRefused(bytes: Uint8Array): RefusedAnswer {
  const answer = readAnswer(bytes);
  assert.ok(answer.kind === 'refused', 'the request was allowed');
  return answer;
}

/** The value of a header of an answer; undefined when it is absent. Fails when it appears twice. */
export function headerOf(headers: Headers, name: string): string | undefined {
  const values = headers.filter(([each]) => each === name).map(([, value]) => value);
  assert.ok(values.length <= 1, `${name} stands ${String(values.length)} times`);
  return values[0];
}

function pair({ header }: HeaderValueOption): readonly [string, string] {
  assert.ok(header, 'a header has a name and a value');
  return [header.key, header.value];
}
