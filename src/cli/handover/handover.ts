import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { takeAppKeyAlone } from '../../check/methods/methods.ts';
import { hashAppKey, isAppKey } from '../../model/app-key.ts';
import { canBeTried } from '../../model/material.ts';
import { collectAll } from '../../resources/changes/resource-store.ts';
import type { ManagedCredential } from '../../resources/resource.ts';
import { addAction, addHelp, type CommandContext, readExits } from '../command.ts';
import { UsageError, writeSafely } from '../failure.ts';
import { type StoreFlags, timeoutOption } from '../flags/options.ts';
import { parseAddress } from '../flags/gateway-address.ts';
import { collectId } from '../flags/values.ts';
import type { OpenedStore } from '../opened-store.ts';
import { formatData } from '../render/data.ts';
import { openFor, requireResource } from '../store/read-store.ts';
import { type ExitCode, exitCodes } from '../terminal.ts';
import { declareHandover } from '../../partners/handover/handover-data.ts';
import { type Handover, planHandover } from '../../partners/handover/handover-page.ts';
import { type NothingToHandOver, readPartnerAccess } from '../../partners/handover/partner-access.ts';
import { renderHandover } from './render-page.ts';
import { FolderRefusal, takeEmptyFolder, writeFiles } from './samples/folder.ts';
import type { Language } from './samples/language.ts';
import { type LanguageName, languageNames, languages } from './samples/languages.ts';
import { languageOf, sampleFiles } from './samples/sample.ts';
import { type GatewayAddress, originOf } from '../../partners/handover/target.ts';

const formats = ['markdown', 'json', 'yaml'] as const;

/** The flags of `handover`. */
export interface HandoverFlags extends Pick<StoreFlags, 'store' | 'timeout'> {
  readonly credential: readonly string[];
  readonly url: GatewayAddress;
  readonly language: LanguageName;
  readonly secretBy?: string;
  readonly to?: string;
  readonly output: (typeof formats)[number];
}

/** Adds `postern handover`. */
export function registerHandover(program: Command, context: CommandContext): void {
  const command = program
    .command('handover')
    .description('Write what a partner needs to call: addresses, rules, limits, requests to compare with, codes.')
    .requiredOption('--credential <id>', 'whose App Key it is for; repeatable', collectId)
    .requiredOption('--url <url>', 'where partners reach Envoy: https://api.example.com', parseAddress)
    .option('--secret-by <text>', 'how the partner gets the secret, such as "by phone from Jane Roe"', parseSecretBy)
    .addOption(
      new Option('--language <language>', 'what the sample is written in').choices(languageNames).default('shell'),
    )
    .option(
      '--to <dir>',
      'write a folder that runs, with the page as README.md, for several credentials one in it for each; it must be empty or absent',
    )
    .addOption(new Option('-o, --output <format>', 'how to write').choices(formats).default('markdown'))
    .option('--store <location>', 'where resources are kept, instead of POSTERN_STORE; no password')
    .addOption(timeoutOption());
  addHelp(command, {
    notes: `It holds neither the App Secret nor the App Key of a credential for method key: those are not even read. Of a
public key it has the thumbprint, by which the partner knows what to sign with. The requests
to compare a program with are signed with the credential's App Key, a public example secret and a stated time.`,
    examples: [
      'postern handover --credential acme-hmac --url https://api.example.com > acme.md',
      'postern handover --credential acme-hmac --url https://api.example.com --secret-by "by phone from Jane Roe"',
      'postern handover --credential acme-hmac --url https://api.example.com --language python --to acme',
      'postern handover --credential acme-hmac --credential globex-key --url https://api.example.com --to partners',
    ],
    exits: {
      ...readExits,
      failed: 'nothing to hand over (revoked, disabled, let in nowhere), or the folder is not empty',
      notFound: 'no such credential',
    },
  });
  addAction(command, context, async (flags: HandoverFlags) => {
    if (flags.output !== 'markdown' && command.getOptionValueSource('language') === 'cli') {
      throw new UsageError('--language is for the page in Markdown; JSON and YAML hold no sample');
    }
    return await handOverTo(flags, context);
  });
}

/** Writes hand-overs, as `postern handover` does. Opens the store anew. `namesTo` gets the names of written files. */
export async function handOverTo(
  flags: HandoverFlags,
  context: CommandContext,
  namesTo: 'out' | 'err' = 'out',
): Promise<ExitCode> {
  const { terminal } = context;
  if (flags.to !== undefined && flags.output !== 'markdown') {
    throw new UsageError('--to writes the page as README.md; leave --output out');
  }
  const ids = [...new Set(flags.credential)];
  if (ids.length > 1 && flags.to === undefined && flags.output === 'markdown') {
    throw new UsageError('several credentials need --to DIR, which gets a folder for each, or -o json');
  }
  const handovers = await readHandovers(ids, flags, context);
  const [first] = handovers;
  if (first === undefined) return exitCodes.failed;
  if (flags.url.scheme === 'http' && !LOOPBACK.test(flags.url.host)) {
    writeSafely(
      terminal.err,
      `warning: ${originOf(flags.url)} has no TLS: what partners send can be read on the way\n`,
    );
  }
  const language = languages[flags.language];
  if (flags.to !== undefined) return await writeFolders(flags.to, handovers, language, context, namesTo);
  if (flags.output === 'markdown') terminal.out.write(renderHandover(first, language));
  else {
    const data = handovers.map(declareHandover);
    terminal.out.write(formatData(data.length === 1 ? data[0] : data, flags.output));
  }
  return exitCodes.done;
}

/** Writes a folder; for several credentials one that holds a folder for each, by its id. */
async function writeFolders(
  folder: string,
  handovers: readonly Handover[],
  language: Language,
  context: CommandContext,
  namesTo: 'out' | 'err',
): Promise<ExitCode> {
  if (handovers.length > 1 && !(await isTaken(folder, context))) return exitCodes.failed;
  for (const handover of handovers) {
    const own = handovers.length === 1 ? folder : join(folder, handover.access.credentialId);
    const code = await writeFolder(own, handover, language, context, namesTo);
    if (code !== exitCodes.done) return code;
  }
  return exitCodes.done;
}

/** Takes the folder of several; false, with a message, where that cannot be. */
async function isTaken(folder: string, { terminal }: CommandContext): Promise<boolean> {
  try {
    await takeEmptyFolder(folder);
    return true;
  } catch (error) {
    if (!(error instanceof FolderRefusal)) throw error;
    writeSafely(terminal.err, `postern handover: ${error.message}\n`);
    return false;
  }
}

/** Writes a folder that runs once the client and the secret are there. No file of it holds the secret. */
async function writeFolder(
  folder: string,
  handover: Handover,
  language: Language,
  { terminal }: CommandContext,
  namesTo: 'out' | 'err',
): Promise<ExitCode> {
  const [group] = handover.groups;
  if (group === undefined) throw new Error('a handover has no endpoints');
  const samples = sampleFiles(language, group, handover);
  const files = [{ name: 'README.md', text: renderHandover(handover, language) }, ...samples];
  try {
    await takeEmptyFolder(folder);
    await writeFiles(folder, files);
  } catch (error) {
    if (!(error instanceof FolderRefusal)) throw error;
    writeSafely(terminal.err, `postern handover: ${error.message}\n`);
    return exitCodes.failed;
  }
  writeSafely(terminal[namesTo], files.map(({ name }) => `${join(folder, name)}\n`).join(''));
  const used = languageOf(group, language);
  if (samples.length > 0 && used !== null && 'client' in used) {
    writeSafely(terminal.err, `Send ${used.artefact} along, which "clients/${used.client}/run build" makes.\n`);
  }
  return exitCodes.done;
}

/**
 * What is handed over with each credential; nothing, with a message for each, where no request of one of them would get
 * in. No secret is opened for it.
 */
async function readHandovers(
  ids: readonly string[],
  flags: HandoverFlags,
  context: CommandContext,
): Promise<readonly Handover[]> {
  const { url, secretBy = null } = flags;
  await using store = await openFor(context, 'handover', flags, false);
  const handovers: Handover[] = [];
  let hasSecret = false;
  for (const id of ids) {
    const { resource } = await requireResource(store.resources, 'credential', id);
    if (secretBy !== null) await refuseAppKey(secretBy, resource, store);
    hasSecret ||= canBeTried(resource.material);
    const access = await readPartnerAccess(store.resources, resource, context.clock.nowSeconds());
    if (!('obstacle' in access)) handovers.push(planHandover(access, url, secretBy));
    else writeSafely(context.terminal.err, `postern handover: ${access.obstacle}; ${adviseOn(access, resource)}\n`);
  }
  if (secretBy !== null && !hasSecret) {
    throw new UsageError(
      '--secret-by: the partner proves with a key, tokens or a certificate of its own, and gets no secret',
    );
  }
  return handovers.length === ids.length ? handovers : [];
}

/** What to do where there is nothing to hand over. */
function adviseOn({ code }: NothingToHandOver, { id, consumerId }: ManagedCredential): string {
  switch (code) {
    case 'revoked':
    case 'expired':
      return '"postern credential issue" creates another one';
    case 'consumer-disabled':
      return `"postern consumer enable ${consumerId}"`;
    case 'no-address':
      return `compare "postern consumer show ${consumerId}" with "postern credential show ${id}"`;
    case 'no-issuer':
      return '"postern issuer list" says which there are, and "postern issuer enable ID" lets tokens in again';
    case 'no-endpoint':
      return `"postern grant add --endpoint ID --consumer ${consumerId}"`;
  }
}

/** Where nothing is on the way. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

const MAX_SECRET_BY = 300;
/** What `credential issue` generates: an App Key, or an App Secret. */
const GENERATED = /(?<![\w-])(?:[0-9a-f]{32}|[\w-]{43})(?![\w-])/;

function parseSecretBy(text: string): string {
  if (GENERATED.test(text))
    throw new InvalidArgumentError('It looks like a secret. Say by which way the partner gets it.');
  if (text.trim() !== '' && text.length <= MAX_SECRET_BY) return text;
  throw new InvalidArgumentError(`It has 1 to ${String(MAX_SECRET_BY)} characters that are not all blanks.`);
}

/** An imported App Key looks like anything, and the page is no place for one that is a secret. */
async function refuseAppKey(
  secretBy: string,
  { id, methods }: ManagedCredential,
  { resources }: Pick<OpenedStore, 'resources'>,
): Promise<void> {
  if (!takeAppKeyAlone(methods)) return;
  const words = secretBy.split(/[^A-Za-z0-9._-]+/).flatMap((word) => [word, word.replace(/[.-]+$/, '')]);
  const hashes = [...new Set(words)].filter(isAppKey).map(hashAppKey);
  const found = await collectAll(resources.list('credential', { ids: [id], appKeyHashes: hashes }));
  if (found.length === 0) return;
  throw new UsageError('--secret-by holds the App Key, which is the secret; say by which way the partner gets it');
}
