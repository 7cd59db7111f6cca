import { createColors } from 'picocolors';
import { InstallFailure, installServices } from '../services/install-services.mjs';
import { attacks } from './attacks.ts';
import { type Attack, serviceKindOf } from './framework/attack.ts';
import { findBreaches, type Measurement } from './framework/bounds.ts';
import { boundsOf, type Lab, openLab } from './framework/lab.ts';
import { renderTable, type Result } from './framework/table.ts';

/** `npm run attack -- [list | NAME…] [--short]`. Exit code 0 only when every bound holds. */
const usage = `Usage: npm run attack -- [list | NAME…] [--short]

Attacks a service of its own on this machine, and says what it cost. docs/attacks.md describes them.

  NAME…    only these; everything that begins with NAME counts
  --short  less of each, as the tests do
`;
const colors = createColors(process.stdout.isTTY);
const args = process.argv.slice(2);
const wanted = args.filter((arg) => !arg.startsWith('--'));
const isShort = args.includes('--short');

process.exitCode = await main();
process.exit();

async function main(): Promise<number> {
  if (args.some((arg) => arg.startsWith('--') && arg !== '--short')) {
    process.stderr.write(usage);
    return 2;
  }
  if (wanted[0] === 'list') {
    const width = Math.max(...attacks.map(({ name }) => name.length));
    for (const { name, title } of attacks) process.stdout.write(`${name.padEnd(width)}  ${title}\n`);
    return 0;
  }
  const unknown = wanted.filter((name) => !attacks.some((attack) => attack.name.startsWith(name)));
  if (unknown.length > 0) {
    process.stderr.write(`There is no attack ${unknown.join(', ')}: npm run attack -- list\n`);
    return 2;
  }
  const chosen = attacks.filter(({ name }) => wanted.length === 0 || wanted.some((each) => name.startsWith(each)));
  if (!(await install(chosen))) return 1;
  const results: Result[] = [];
  {
    await using lab = openLab({ isShort });
    for (const attack of chosen) results.push(await runOne(lab, attack));
  }
  process.stdout.write(`\n${renderTable(results)}\n`);
  const failed = results.filter(({ breaches }) => breaches.length > 0);
  for (const { attack, breaches } of failed) {
    process.stdout.write(`\n${colors.red(`✗ ${attack.name}`)}\n`);
    for (const breach of breaches) process.stdout.write(`    ${breach}\n`);
  }
  const outcome = failed.length === 0 ? 'every bound holds' : `${String(failed.length)} broke a bound`;
  process.stdout.write(`\n${String(results.length)} attacks, ${outcome}\n`);
  return failed.length === 0 ? 0 : 1;
}

async function install(chosen: readonly Attack[]): Promise<boolean> {
  try {
    await installServices(chosen.some((attack) => serviceKindOf(attack).store === 'mongodb') ? ['mongodb'] : []);
    return true;
  } catch (error) {
    if (!(error instanceof InstallFailure)) throw error;
    process.stderr.write(`${error.message}\n`);
    return false;
  }
}

async function runOne(lab: Lab, attack: Attack): Promise<Result> {
  process.stdout.write(`${colors.bold(attack.name)}: ${attack.title} … `);
  const startMs = performance.now();
  const measured: Measurement = await lab.measure(attack);
  const breaches = findBreaches(measured, boundsOf(attack));
  const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
  const verdict = breaches.length === 0 ? colors.green('✓') : colors.red(`✗ ${breaches.join('; ')}`);
  process.stdout.write(`${verdict} (${seconds} s)\n`);
  return { attack, measured, breaches };
}
