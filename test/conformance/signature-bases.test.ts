import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { HttpSignatureCredentials } from '../../src/check/methods/http-message-signature/credentials.ts';
import { readCandidates, readChosen } from '../../src/check/methods/http-message-signature/read-signature.ts';
import { isRefusal, refuse, type Refusal } from '../../src/check/refusal.ts';
import type { SignableRequest } from '../../src/check/signing/signable-request.ts';
import type { CredentialSource, HeldCredential } from '../../src/check/store/credential-source.ts';
import type { HttpSignatureOptions } from '../../src/model/endpoint.ts';

const PROGRAM = fileURLToPath(new URL('../vectors/signature-bases.py', import.meta.url));
/** How many requests are compared. */
const COUNT = process.env['SIGNATURE_BASES'] ?? '3000';
const SEED = process.env['SIGNATURE_BASES_SEED'] ?? '9421';
const knownKeys: ReadonlySet<string> = new Set(['partner-7f3a', 'https://keys.example/acme#1']);

interface Line {
  readonly request: Pick<SignableRequest, 'method' | 'path' | 'authority'> & {
    readonly body: string;
    readonly headers: readonly (readonly [name: string, value: string])[];
  };
  readonly options: Pick<HttpSignatureOptions, 'scheme' | 'coverAlso' | 'replayProtection'> & {
    readonly tag: string | null;
  };
  readonly verdict: { readonly bases: readonly string[] } | { readonly refused: string };
}

function requestOf({ method, path, authority, body, headers }: Line['request']): SignableRequest {
  const valuesOf = (name: string): readonly string[] =>
    headers.filter(([own]) => own === name).map(([, value]) => value.replace(/^[ \t]+|[ \t]+$/g, ''));
  const signed = { isRaw: true, count: headers.length, valuesOf };
  return { method, path, authority, protocol: 'HTTP/1.1', body: Buffer.from(body, 'latin1'), headers: signed };
}

const credentials: Pick<CredentialSource, 'findByAppKey'> = {
  findByAppKey: (appKey) =>
    knownKeys.has(appKey)
      ? ({ credential: { methods: ['http-message-signature'] } } as unknown as HeldCredential)
      : null,
};

async function judge({ request, options }: Line): Promise<HttpSignatureCredentials | Refusal> {
  const own = { ...options, tag: options.tag ?? '', algorithms: ['ed25519'] } as const;
  const signable = requestOf(request);
  const candidates = readCandidates(signable, own);
  if (isRefusal(candidates)) return candidates;
  const read = await readChosen(signable, candidates, credentials, own);
  if (isRefusal(read)) return read;
  if (!knownKeys.has(read.appKey)) return refuse('AUTHENTICATION_FAILED', 'the keyid is unknown');
  return read.hasRival ? refuse('CREDENTIALS_MALFORMED', 'two keyids are known') : read;
}

describe('signature bases', () => {
  it(`are those of a second program, which knows only the documents (${COUNT} requests)`, async () => {
    const program = spawn('python3', [PROGRAM, COUNT, SEED], { stdio: ['ignore', 'pipe', 'inherit'] });
    let [accepted, refused] = [0, 0];
    for await (const text of createInterface({ input: program.stdout })) {
      const line = JSON.parse(text) as Line;
      const outcome = await judge(line);
      if (isRefusal(outcome)) refused += 1;
      else accepted += 1;
      const expected = 'bases' in line.verdict ? [...line.verdict.bases].sort() : 'refused';
      const actual = isRefusal(outcome) ? 'refused' : [...new Set(outcome.bases)].sort();
      assert.deepEqual(actual, expected, text);
    }
    assert.equal(accepted + refused, Number(COUNT));
    assert.ok(accepted > Number(COUNT) / 5 && refused > Number(COUNT) / 5, `${String(accepted)}, ${String(refused)}`);
  }).timeout(3_600_000);
});
