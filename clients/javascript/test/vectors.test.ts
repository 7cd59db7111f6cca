import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { createClient, encodeParameters, type ClientSettings } from '../src/index.ts';
import { problemOf } from './support/problem.ts';

interface Body {
  readonly text?: string;
  readonly base64?: string;
  readonly repeat?: string;
  readonly times?: number;
  readonly sha256?: string;
  readonly length?: number;
}

type Pair = readonly [string, string];

interface Vector {
  readonly name: string;
  readonly client: ClientSettings;
  readonly now: number;
  readonly nonce?: string;
  readonly request?: { readonly method: string; readonly url: string; readonly headers: Pair[]; readonly body?: Body };
  readonly stringToSign?: string;
  readonly signed?: { readonly target: string; readonly headers: Pair[]; readonly body?: Body };
  readonly problem?: string;
  readonly parameters?: Pair[];
  readonly encoded?: string;
}

// From dist/test/test, where the compiled test runs.
const file = new URL('../../../../vectors.json', import.meta.url);
const { format, cases } = JSON.parse(readFileSync(file, 'utf8')) as { format: number; cases: Vector[] };

describe('vectors.json', () => {
  it('has the format that this test reads, and cases', () => {
    assert.equal(format, 1);
    assert.ok(cases.length >= 300);
  });
  for (const vector of cases) {
    it(vector.name, async () => {
      await check(vector);
    });
  }
});

async function check(vector: Vector): Promise<void> {
  const { client: settings, now, nonce, request, signed, problem, parameters } = vector;
  if (parameters !== undefined) {
    assert.equal(encodeParameters(parameters), vector.encoded);
    return;
  }
  assert.ok(request);
  const client = createClient({ ...settings, now: () => now * 1000, createNonce: () => nonce ?? assert.fail() });
  const signing = client.sign({ ...request, body: bytesOf(request.body) });
  if (problem !== undefined) {
    assert.equal((await problemOf(signing)).code, problem);
    return;
  }
  assert.ok(signed);
  const made = await signing;
  const set = new Set(signed.headers.map(([name]) => name.toLowerCase()));
  const kept = request.headers.filter(([name]) => !set.has(name.toLowerCase()));
  assert.equal(made.method, request.method);
  assert.equal(new RegExp('^https?://[^/]+').exec(made.url)?.[0], /^https?:\/\/[^/?#]+/.exec(request.url)?.[0]);
  assert.equal(made.url.replace(/^https?:\/\/[^/]+/, ''), signed.target);
  assert.deepEqual(comparable(made.headers), comparable([...kept, ...signed.headers]));
  if (vector.stringToSign !== undefined) assert.equal(made.stringToSign, vector.stringToSign);
  const expected = signed.body ?? request.body;
  const body = Buffer.from(made.body ?? []);
  if (expected?.sha256 === undefined) {
    assert.ok(body.equals(bytesOf(expected)), body.toString('utf8', 0, 500));
  } else {
    assert.deepEqual(
      [createHash('sha256').update(body).digest('hex'), body.length],
      [expected.sha256, expected.length],
    );
  }
}

function comparable(headers: readonly Pair[]): string[] {
  return headers.map(([name, value]) => `${name.toLowerCase()}: ${value}`).sort();
}

function bytesOf({ text, base64, repeat, times }: Body = {}): Buffer {
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  return Buffer.from(repeat === undefined ? (text ?? '') : repeat.repeat(times ?? 0));
}
