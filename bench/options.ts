import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type DriverName, drivers } from './driver/driver.ts';
import { type BesideName, besideNames } from './beside.ts';
import { memoryName } from './memory.ts';
import { assertionName, tokenEndpointName } from './token-endpoint.ts';
import { type Plan, plans } from './loads.ts';
import { baselinesOf, rows } from './rows.ts';
import { type Row } from './row.ts';

/** What a run of the bench is asked for. */
export interface Options {
  readonly plan: Plan;
  readonly rows: readonly Row[];
  /** What key checks are measured beside. */
  readonly besides: readonly BesideName[];
  /** Whether the token endpoint is measured. */
  readonly isTokenEndpoint: boolean;
  /** Whether clients with assertions are, too; then the token endpoint is measured in any case. */
  readonly isAssertion: boolean;
  /** Whether the memory of an idle service is measured. */
  readonly isMemory: boolean;
  /** The Node.js that services run on: a path. */
  readonly node: string;
  readonly json: boolean;
  /** A checkout whose rows are measured in turn with those of this one, in place of the other services; null for none. */
  readonly against: string | null;
  /** Null takes the best that can be had. */
  readonly driver: DriverName | null;
}

/** What is asked for by name but is not a row. */
const specialNames = [...besideNames, tokenEndpointName, assertionName, memoryName] as const;

export const usage = `Usage: npm run bench -- [--quick] [--rows NAME,…] [--rounds N] [--driver go|node] [--against DIR]
                        [--node PATH] [--json]

Measures Postern's service process beside services on grpc-js, grpc-go and tonic, called as Envoy calls them and through
Envoy: CPU time per check, checks a second, latency, resident memory. See docs/performance.md.

  --quick     one to two minutes, for a first look: some rows, whose figures scatter more
  --rows      only rows whose names begin with one of these, and what they are compared with
  --rounds    how often each row is measured; the figures are medians over the rounds
  --driver    what makes the calls; without it the Go driver, or the one in Node.js where there is no Go
  --against   another checkout, built: compare Postern's rows with the same rows of it, round by round
  --node      the Node.js that services run on; without it the one that runs the bench
  --json      print the figures as JSON

Rows: ${rows.map(({ name }) => name).join(', ')}, ${specialNames.join(', ')}
`;

/** Reads the command line; null asks for the usage text. Throws with a sentence about what is wrong. */
export function parseOptions(args: readonly string[]): Options | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      rows: { type: 'string' },
      rounds: { type: 'string' },
      driver: { type: 'string' },
      against: { type: 'string' },
      node: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const plan = values.quick ? plans.quick : plans.full;
  return {
    plan: values.rounds === undefined ? plan : { ...plan, rounds: parseRounds(values.rounds) },
    rows:
      values.rows === undefined
        ? rows.filter(({ isSlow }) => !(values.quick && isSlow))
        : pickRows(values.rows.split(',')),
    besides: besideNames.filter((name) => isAsked(name, values)),
    isTokenEndpoint: isAsked(tokenEndpointName, values) || isAsked(assertionName, values),
    isAssertion: isAsked(assertionName, values),
    isMemory: isAsked(memoryName, values),
    node: values.node === undefined ? process.execPath : resolve(values.node),
    json: values.json,
    against: values.against === undefined ? null : resolve(values.against),
    driver: values.driver === undefined ? null : parseDriver(values.driver),
  };
}

function parseRounds(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new Error('--rounds is a number from 1 to 999');
  return Number(text);
}

function parseDriver(text: string): DriverName {
  if (text !== 'go' && text !== 'node') throw new Error(`--driver is one of ${Object.keys(drivers).join(', ')}`);
  return text;
}

function isAsked(name: string, { rows: wanted, quick }: { readonly rows?: string; readonly quick: boolean }): boolean {
  return wanted === undefined ? !quick : wanted.split(',').some((prefix) => isNamed(name, prefix));
}

function isNamed(name: string, prefix: string): boolean {
  return prefix !== '' && name.startsWith(prefix);
}

function pickRows(prefixes: readonly string[]): readonly Row[] {
  const names = [...specialNames, ...rows.map(({ name }) => name)];
  for (const prefix of prefixes) {
    if (!names.some((name) => isNamed(name, prefix))) throw new Error(`--rows: no row begins with "${prefix}"`);
  }
  const picked = rows.filter(({ name }) => prefixes.some((prefix) => isNamed(name, prefix)));
  const compared = new Set(picked.flatMap((row) => Object.values(baselinesOf(row)) as string[]));
  return rows.filter((row) => picked.includes(row) || compared.has(row.name));
}
