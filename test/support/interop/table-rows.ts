import { type HttpVersion, type RequestKind, type SignedCase, type SignerRow, type TokenClientRow } from './table.ts';

type Cells = readonly string[];

/** The rows of docs/interoperability.md on what each library signs by default. */
export function signerRows(signers: readonly SignerRow[]): readonly Cells[] {
  return signers.map(({ byDefault, told, once, advice, ...row }) => [
    titleOf(row),
    untoldCell(byDefault),
    told === null ? 'cannot be told' : outcomeCell(told, '1.1'),
    keyCell(row),
    once === 'verified' ? 'yes' : 'no',
    advice,
  ]);
}

/** The rows of that page on token clients. */
export function tokenClientRows(clients: readonly TokenClientRow[]): readonly Cells[] {
  return clients.map(({ setting, algorithms, audience, advice, ...row }) => [
    titleOf(row) + (setting === null ? '' : `, \`${setting}\``),
    algorithms.map((alg) => `\`${alg}\``).join(', '),
    audience,
    advice,
  ]);
}

function titleOf({ library, registry, version }: Pick<SignerRow, 'library' | 'registry' | 'version'>): string {
  return `${registry} \`${library}\` ${version}`;
}

type Cases = Readonly<Record<RequestKind, SignedCase>>;

/** What becomes of the requests of a library that is told nothing. */
function untoldCell(byDefault: Cases): string {
  const [first, second] = [outcomeCell(byDefault, '1.1'), outcomeCell(byDefault, '2')];
  return first === second ? first : `${first}; over HTTP/2 ${second}`;
}

/** What becomes of a request, and, where that differs, of one with a body. */
function outcomeCell({ GET, POST }: Cases, http: HttpVersion): string {
  const [without, withBody] = [GET, POST].map((each) => shortOutcome(each[http]));
  if (without === withBody) return without ?? '–';
  return `${String(without)}; with a body ${String(withBody)}`;
}

function shortOutcome(outcome: string | undefined): string {
  if (outcome === undefined) return 'not spoken';
  if (outcome.startsWith('not signed')) return 'not signed';
  return outcome.replace(/^[A-Z_]+: .*/, 'refused');
}

function keyCell({ algorithms, keyid }: Pick<SignerRow, 'algorithms' | 'keyid'>): string {
  const kinds = algorithms.length >= 5 ? 'all' : algorithms.map((name) => `\`${name}\``).join(', ');
  const names = { any: '', URL: '; its name is a URL', thumbprint: '; its name is the thumbprint', own: '' };
  return kinds + names[keyid];
}
