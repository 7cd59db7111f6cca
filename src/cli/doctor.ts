import { isUtf8 } from 'node:buffer';
import type { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import { parseConfig } from '../gateway/config.ts';
import { noLabelOwners } from '../model/label-owners.ts';
import { checkCallerAddresses } from './doctor/check-caller-addresses.ts';
import { unknownLimits } from './doctor/own-limits.ts';
import { fault, fine, type Finding, warning, type FindingLevel } from '../base/finding.ts';
import type { Paint } from '../resources/changes/render-change.ts';
import { listenerFiles, rateLimitFiles } from '../gateway/configured-files.ts';
import { addHelp, type CommandContext } from './command.ts';
import { formatData } from './render/data.ts';
import { replaceInvisible } from '../model/document/source-text.ts';
import { count } from '../base/text/printable.ts';
import { paintFor } from './render/text.ts';
import { openDatabaseChecks } from './store/open-store.ts';
import { readBytes } from './flags/read-bytes.ts';
import { outputOption, type StoreFlags, timeoutOption } from './flags/options.ts';
import { type ExitCode, exitCodes, type Terminal } from './terminal.ts';
import { writeSafely } from './failure.ts';

interface DoctorOptions extends StoreFlags {
  readonly envoy: readonly string[];
  readonly envoyFile: readonly string[];
  readonly deep: boolean;
  readonly fix: boolean;
}

/** Adds `postern doctor`. */
export function registerDoctor(program: Command, context: CommandContext): void {
  const command = program
    .command('doctor')
    .description('Check what a gateway with these settings depends on, and say what to do about faults.')
    .option('--store <location>', 'the store to look at, instead of POSTERN_STORE; no password')
    .option('--envoy <url...>', 'admin addresses of Envoys whose configuration is looked through', [])
    .option(
      '--envoy-file <file...>',
      "files of Envoy's configuration, - for standard input; needs no running Envoy",
      [],
    )
    .option('--deep', 'read every record of a database and open every secret', false)
    .option('--fix', 'create or fix the collections, validators and indexes of a database', false)
    .addOption(timeoutOption())
    .addOption(outputOption());
  addHelp(command, {
    notes: `Checks the settings, the store (server, clock, login, collections, indexes, records), the key ring, the TLS files, the
rate limit service, and with --envoy the configuration of an Envoy for traps that make Postern unsafe. --envoy-file looks
for the same traps in a bootstrap configuration or a config dump, JSON or YAML; without a store it looks at nothing else.
Changes nothing without --fix, and prints no secret.`,
    examples: [
      'postern doctor',
      'postern doctor --envoy http://127.0.0.1:9901',
      'postern doctor --envoy-file envoy.yaml           before a deployment, such as in CI',
      'postern doctor --deep -o json',
      'postern doctor --fix                             a new database, or one of an older version',
    ],
    exits: {
      done: 'nothing wrong (warnings count as that)',
      failed: 'faults',
      unreachable: 'the database does not answer',
    },
  });
  command.action(async (options: DoctorOptions) => {
    context.finish(await examine(options, context.terminal));
  });
}

async function examine(options: DoctorOptions, terminal: Terminal): Promise<ExitCode> {
  const envoys = options.envoy.map(parseAdminUrl);
  const wrong = options.envoy.filter((_, index) => envoys[index] === null);
  if (wrong.length > 0) {
    writeSafely(
      terminal.err,
      `postern doctor: --envoy: must be like http://127.0.0.1:9901, not "${wrong.join('", "')}"\n`,
    );
    return exitCodes.usage;
  }
  if (options.envoyFile.filter((path) => path === '-').length > 1) {
    terminal.err.write('postern doctor: --envoy-file: standard input can be read only once\n');
    return exitCodes.usage;
  }
  const findings: Finding[] = [];
  const urls = envoys.flatMap((url) => url ?? []);
  for await (const finding of find(options, urls, terminal)) {
    findings.push(finding);
    if (options.output === 'table') terminal.out.write(renderFinding(finding, paintFor(terminal)));
  }
  const summary =
    options.output === 'table' ? summarize(findings, paintFor(terminal)) : formatData(findings, options.output);
  terminal.out.write(summary);
  if (findings.some(({ cause }) => cause === 'unreachable')) return exitCodes.unreachable;
  return findings.some(({ level }) => level === 'fault') ? exitCodes.failed : exitCodes.done;
}

async function* find(
  { store, deep, fix, timeout: timeoutMs, envoyFile }: DoctorOptions,
  envoys: readonly URL[],
  { environment }: Terminal,
): AsyncGenerator<Finding> {
  const files = envoyFile.map(readEnvoyText);
  for (const { name, text } of files) {
    if (typeof text === 'string') continue;
    yield fault(
      `Envoy file ${name}`,
      `it cannot be read (${text.why})`,
      'name a readable file, or - for standard input',
    );
  }
  const envoyFiles = files.flatMap(({ name, text }) => (typeof text === 'string' ? [{ name, text }] : []));
  const isStoreNamed = (store ?? environment['POSTERN_STORE'] ?? '') !== '';
  if (files.length > 0 && !isStoreNamed && envoys.length === 0 && !deep && !fix) {
    const { inspectEnvoyFile } = await import('./doctor/envoy/inspect-envoy-file.ts');
    const bindsTokens = environment['POSTERN_OAUTH2_CLIENT_CERTIFICATES'] === 'true';
    for (const file of envoyFiles) yield* inspectEnvoyFile(file, { own: unknownLimits, bindsTokens });
    return;
  }
  // The driver of the database, and clients of other servers.
  const { runChecks } = await import('./doctor/run-checks.ts');
  const parsed = parseConfig(store === undefined ? environment : { ...environment, POSTERN_STORE: store });
  if ('problems' in parsed) {
    for (const problem of parsed.problems) {
      yield fault('settings', problem, 'correct the environment; "postern config" shows every setting');
    }
    return;
  }
  yield fine('settings', 'are all known and right');
  if (parsed.config.store.kind === 'file') {
    if (deep) yield fine('--deep', 'adds nothing for a declarative file, which is always read as a whole');
    if (fix) yield warning('--fix', 'changes nothing in a declarative file', 'correct the file where it is faulty');
  }
  const { store: location, keyring: keyRing, rateLimitService: address } = parsed.config;
  const { rateLimitDomain: domain, rateLimitDeadlineMs: deadlineMs, grpcTransport: transport } = parsed.config;
  const rateLimitService = address === null ? null : { address, domain, deadlineMs, transport };
  const tls = { listeners: listenerFiles(parsed.config), rateLimitService: rateLimitFiles(parsed.config) };
  const labelOwners = parsed.config.manageLabelOwners ?? noLabelOwners;
  const checks = { isDeep: deep, isFixing: fix, labelOwners, timeoutMs };
  const { oauth2ClientCertificates: bindsTokens } = parsed.config;
  const wish = { store: location, keyRing, rateLimitService, tls, bindsTokens, envoys, envoyFiles, ...checks };
  yield* checkCallerAddresses(parsed.config);
  const databaseChecks =
    location.kind === 'api'
      ? async () => (await import('./remote-store/check-remote-store.ts')).remoteChecks(environment, timeoutMs)
      : openDatabaseChecks;
  yield* runChecks({ ...wish, databaseChecks, environment, clock: systemClock });
}

/** A configuration larger than this is not Envoy's. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** The text of a file, by a name for people; or why it cannot be read. */
function readEnvoyText(path: string): { readonly name: string; readonly text: string | { readonly why: string } } {
  const bytes = readBytes(path, MAX_FILE_BYTES);
  const name = path === '-' ? 'standard input' : replaceInvisible(path);
  if (typeof bytes === 'string') return { name, text: { why: bytes } };
  return { name, text: isUtf8(bytes) ? bytes.toString('utf8') : { why: 'it is not UTF-8 text' } };
}

function parseAdminUrl(text: string): URL | null {
  return /^https?:\/\/[^\s?#@]+$/.test(text) && URL.canParse(text) ? new URL(text) : null;
}

const marks = { ok: ['✓', 'green'], warning: ['!', 'yellow'], fault: ['✗', 'red'] } as const;

function renderFinding({ level, subject, message, advice }: Finding, paint: Paint): string {
  const [mark, colour] = marks[level];
  const line = `${paint[colour](mark)} ${paint.bold(subject)}: ${message}\n`;
  return advice === null ? line : `${line}  ${paint.dim(`→ ${advice}`)}\n`;
}

function summarize(findings: readonly Finding[], paint: Paint): string {
  const text = `${countOf(findings, 'fault')}, ${countOf(findings, 'warning')}`;
  return `\n${text.startsWith('no') ? text : paint.red(text)}\n`;
}

function countOf(findings: readonly Finding[], level: FindingLevel): string {
  const { length } = findings.filter((finding) => finding.level === level);
  return count(length, level, length === 0 ? 'no' : undefined);
}
