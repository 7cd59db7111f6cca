import assert from 'node:assert/strict';
import { type KnownKey } from '../../support/interop/interop-gateway.ts';
import { askSigner, type SentRequest } from '../../support/interop/ask-signer.ts';
import { makeSigningKey } from '../../support/interop/signing-keys.ts';
import { type HttpVersion, type RequestKind, type SignedCase, type SignerRow } from '../../support/interop/table.ts';
import { type Subject } from './use-programs.ts';

const versions: readonly HttpVersion[] = ['1.1', '2'];
const kinds: readonly RequestKind[] = ['GET', 'POST'];

/** A library that signs, against its row of the table. */
export function signerCases(row: SignerRow, subject: () => Subject): void {
  describe(`${row.library} ${row.version} with ${row.client}`, () => {
    for (const kind of kinds) {
      caseOf('by default', row.byDefault[kind], { kind, isTold: false });
      if (row.told !== null) caseOf('told what to cover', row.told[kind], { kind, isTold: true });
    }

    function caseOf(
      title: string,
      expected: SignedCase,
      { kind, isTold }: { readonly kind: RequestKind; readonly isTold: boolean },
    ): void {
      for (const http of versions) {
        const outcome = expected[http];
        if (outcome === undefined) continue;
        it(`${kind} ${title}, over HTTP/${http}: ${outcome}`, async () => {
          const { driver, gateway } = subject();
          // What is missing from a refused signature depends on no key, and the log takes so many refusals only.
          const algorithms = outcome === 'verified' ? row.algorithms : row.algorithms.slice(0, 1);
          const found: Record<string, Partial<SentRequest>> = {};
          for (const algorithm of algorithms) {
            const known = gateway.keyOf(algorithm, row.keyid);
            const covers = isTold ? expected.covers : null;
            const { headers, ...sent } = await askSigner(driver, gateway, { row, kind, http, known, covers });
            found[algorithm] = sent;
            if (/^CREDENTIALS_(MISSING|MALFORMED)/.test(sent.outcome)) assertHinted(headers);
          }
          const wanted = { outcome, covers: outcome.startsWith('not signed') ? null : expected.covers };
          assert.deepEqual(found, Object.fromEntries(algorithms.map((algorithm) => [algorithm, wanted])));
        });
      }
    }

    const outcomeOf = async (known: KnownKey, target?: string): Promise<string> => {
      const { driver, gateway } = subject();
      const asked = { row, kind: 'GET', http: '1.1', known, covers: row.told?.GET.covers ?? null } as const;
      return (await askSigner(driver, gateway, target === undefined ? asked : { ...asked, target })).outcome;
    };
    it(`GET where each signature works once: ${row.once}`, async () => {
      const [algorithm = 'ed25519'] = row.algorithms;
      const known = subject().gateway.keyOf(algorithm, row.keyid);
      assert.equal(await outcomeOf(known, '/once/order?id=1'), row.once);
    });
    if (isEverVerified(row)) {
      it('is refused with a key that is not the one of its keyid', async () => {
        const [algorithm = 'ed25519'] = row.algorithms;
        const { appKey } = subject().gateway.keyOf(algorithm, row.keyid);
        // Where the library names the key itself, the gateway does not know it.
        assert.match(await outcomeOf({ key: makeSigningKey(algorithm), appKey }), /^AUTHENTICATION_FAILED: /);
      });
    }
    for (const algorithm of row.misfits) {
      it(`makes signatures that do not fit, with ${algorithm}`, async () => {
        const outcome = await outcomeOf(subject().gateway.keyOf(algorithm, row.keyid));
        assert.equal(outcome, 'AUTHENTICATION_FAILED: the signature does not fit the request');
      });
    }
  });
}

/** The caller's library can read from the answer what is wanted (RFC 9421 §5). */
function assertHinted(headers: SentRequest['headers']): void {
  const [wanted] = headers.filter(([name]) => name.toLowerCase() === 'accept-signature').map(([, value]) => value);
  assert.ok(wanted?.includes('"@method"'), `Accept-Signature: ${String(wanted)}`);
}

function isEverVerified({ byDefault, told }: SignerRow): boolean {
  return [byDefault.GET, told?.GET].some((each) => each?.['1.1'] === 'verified');
}
