import assert from 'node:assert/strict';
import { readCandidates, readChosen } from '../../../../../src/check/methods/http-message-signature/read-signature.ts';
import { isRefusal } from '../../../../../src/check/refusal.ts';
import type { SignableRequest } from '../../../../../src/check/signing/signable-request.ts';
import { NOON } from '../../../../support/time/fixed-clock.ts';
import { USUAL_COVERED } from '../../../../support/partner/http-signature.ts';

describe('the values of components', () => {
  it('are read once, however many signatures cover however many parts of a field', async () => {
    const members = Array.from({ length: 60 }, (_, index) => `k${String(index)}`);
    const covered = [...USUAL_COVERED, ...members.map((member) => `"x-map";key="${member}"`)].join(' ');
    const labels = Array.from({ length: 8 }, (_, index) => `s${String(index)}`);
    const fields: Readonly<Record<string, string>> = {
      'x-map': members.map((member) => `${member}=1`).join(', '),
      'signature-input': labels.map((label) => `${label}=(${covered});created=${String(NOON)};keyid="a"`).join(', '),
      signature: labels.map((label) => `${label}=:YQ==:`).join(', '),
    };
    let readCount = 0;
    const valuesOf = (name: string): readonly string[] => {
      if (name === 'x-map') readCount += 1;
      return fields[name] === undefined ? [] : [fields[name]];
    };
    const request: SignableRequest = {
      method: 'GET',
      path: '/',
      authority: 'api.example.com',
      protocol: 'HTTP/1.1',
      body: Buffer.alloc(0),
      headers: { isRaw: true, count: 3, valuesOf },
    };
    const candidates = readCandidates(request, { tag: '' });
    assert.ok(!isRefusal(candidates));
    const read = await readChosen(
      request,
      candidates,
      { findByAppKey: () => null },
      { algorithms: ['ed25519'], coverAlso: [], scheme: 'https', replayProtection: false },
    );
    assert.ok(!isRefusal(read) && read.bases.length === 1);
    assert.equal(readCount, 1);
  });
});
