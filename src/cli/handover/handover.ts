import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { hashAppKey } from '../../model/app-key.ts';
import type { ManagedCredential } from '../../resources/resource.ts';
import { addAction, addHelp, type CommandContext, readExits } from '../command.ts';
import { UsageError, writeSafely } from '../failure.ts';
import { type StoreFlags, timeoutOption } from '../flags/options.ts';
import { parseId } from '../flags/values.ts';
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
import { type GatewayAddress, originOf, readGatewayAddress } from '../../partners/handover/target.ts';

const formats = ['markdown', 'json', 'yaml'] as const;

interface HandoverFlags extends Pick<StoreFlags, 'store' | 'timeout'> {
  readonly credential: string;
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
    .requiredOption('--credential <id>', 'whose App Key it is for', parseId)
    .requiredOption('--url <url>', 'where partners reach Envoy: https://api.example.com', parseAddress)
    .option('--secret-by <text>', 'how the partner gets the secret, such as "by phone from Jane Roe"', parseSecretBy)
    .addOption(
      new Option('--language <language>', 'what the sample is written in').choices(languageNames).default('shell'),
    )
    .option('--to <dir>', 'write a folder that runs, with the page as README.md; it must be empty or absent')
    .addOption(new Option('-o, --output <format>', 'how to write').choices(formats).default('markdown'))
    .option('--store <location>', 'where resources are kept, instead of POSTERN_STORE; no password')
    .addOption(timeoutOption());
  addHelp(command, {
    notes: `It holds neither the App Secret nor the App Key of a credential for method key: those are not even read. The requests
to compare a program with are signed with the credential's App Key, a public example secret and a stated time.`,
    examples: [
      'postern handover --credential acme-hmac --url https://api.example.com > acme.md',
      'postern handover --credential acme-hmac --url https://api.example.com --secret-by "by phone from Jane Roe"',
      'postern handover --credential acme-hmac --url https://api.example.com --language python --to acme',
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

async function handOverTo(flags: HandoverFlags, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context;
  if (flags.to !== undefined && flags.output !== 'markdown') {
    throw new UsageError('--to writes the page as README.md; leave --output out');
  }
  const handover = await readHandover(flags, context);
  if (handover === null) return exitCodes.failed;
  if (flags.url.scheme === 'http' && !LOOPBACK.test(flags.url.host)) {
    writeSafely(
      terminal.err,
      `warning: ${originOf(flags.url)} has no TLS: what partners send can be read on the way\n`,
    );
  }
  const language = languages[flags.language];
  const page = renderHandover(handover, language);
  if (flags.to !== undefined) return await writeFolder(flags.to, page, handover, language, context);
  terminal.out.write(flags.output === 'markdown' ? page : formatData(declareHandover(handover), flags.output));
  return exitCodes.done;
}

/** Writes a folder that runs once the client and the secret are there. No file of it holds the secret. */
async function writeFolder(
  folder: string,
  page: string,
  handover: Handover,
  language: Language,
  { terminal }: CommandContext,
): Promise<ExitCode> {
  const [group] = handover.groups;
  if (group === undefined) throw new Error('a handover has no endpoints');
  const files = [{ name: 'README.md', text: page }, ...sampleFiles(language, group, handover)];
  try {
    await takeEmptyFolder(folder);
    await writeFiles(folder, files);
  } catch (error) {
    if (!(error instanceof FolderRefusal)) throw error;
    writeSafely(terminal.err, `postern handover: ${error.message}\n`);
    return exitCodes.failed;
  }
  writeSafely(terminal.out, files.map(({ name }) => `${join(folder, name)}\n`).join(''));
  const used = languageOf(group, language);
  if ('client' in used) {
    writeSafely(terminal.err, `Send ${used.artefact} along, which "clients/${used.client}/run build" makes.\n`);
  }
  return exitCodes.done;
}

/** Null, with a message, where no request would get in. No secret is opened for it. */
async function readHandover(flags: HandoverFlags, context: CommandContext): Promise<Handover | null> {
  const { credential: id, url, secretBy = null } = flags;
  await using store = await openFor(context, 'handover', flags, false);
  const { resource } = await requireResource(store.resources, 'credential', id);
  if (secretBy !== null) refuseAppKey(secretBy, resource);
  const access = await readPartnerAccess(store.resources, resource, context.clock.nowSeconds());
  if (!('obstacle' in access)) return planHandover(access, url, secretBy);
  writeSafely(context.terminal.err, `postern handover: ${access.obstacle}; ${adviseOn(access, resource)}\n`);
  return null;
}

/** What to do where there is nothing to hand over. */
function adviseOn({ code }: NothingToHandOver, { consumerId }: ManagedCredential): string {
  switch (code) {
    case 'revoked':
    case 'expired':
      return '"postern credential issue" creates another one';
    case 'consumer-disabled':
      return `"postern consumer enable ${consumerId}"`;
    case 'no-endpoint':
      return `"postern grant add --endpoint ID --consumer ${consumerId}"`;
  }
}

/** Where nothing is on the way. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

function parseAddress(text: string): GatewayAddress {
  const address = readGatewayAddress(text);
  if (address !== null) return address;
  throw new InvalidArgumentError(
    'Write scheme and host, such as https://api.example.com, without path, query or password.',
  );
}

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
function refuseAppKey(secretBy: string, { appKeyHash, methods }: ManagedCredential): void {
  const words = secretBy.split(/[^A-Za-z0-9._-]+/).flatMap((word) => [word, word.replace(/[.-]+$/, '')]);
  if (!methods.includes('key') || !words.some((word) => hashAppKey(word) === appKeyHash)) return;
  throw new UsageError('--secret-by holds the App Key, which is the secret; say by which way the partner gets it');
}
