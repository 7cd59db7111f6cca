import { quote } from '../../../check/signing/curl-command.ts';
import type { EndpointGroup, Handover } from '../../../partners/handover/handover-page.ts';
import { block, code } from '../../../model/document/markdown.ts';
import { derivedComponents } from '../../../model/options/covered-components.ts';
import { type CarrierKind, partsOf } from '../../../model/options/key-carrier.ts';
import { PRIVATE_KEY_FILE } from '../render-key-pair.ts';
import { curl } from './curl.ts';
import type { FirstCall, Language, SampleFile, SampleLanguage } from './language.ts';

/** Where the clients are to be had. */
const CLIENTS = 'https://github.com/postern-gateway/postern/tree/main/clients';
const BODY = '{"amount":12}';

/** The call that a sample makes: one that changes nothing, where the endpoint takes one; null where no client can. */
function firstCallOf(group: EndpointGroup): FirstCall | null {
  const { client, hasPrivateKey, hasAppSecret, settings, target } = group;
  if (client === null) return null;
  const call = { client, hasPrivateKey, hasAppSecret, settings, ...callTo(target) };
  // No client knows the value of a header that is covered, and only a body has a type.
  const known = call.body === null ? DERIVED : [...DERIVED, 'content-type'];
  return (settings.coverAlso ?? []).every((name) => known.includes(name)) ? call : null;
}

/** What clients cover by themselves when told to, whatever the request has. */
const DERIVED: readonly string[] = [...derivedComponents, 'host'];

function callTo({ reading, writing }: EndpointGroup['target']): Pick<FirstCall, 'http' | 'body'> {
  return reading === 'GET' || writing === null ? { http: reading, body: null } : { http: writing, body: BODY };
}

/** Parts of a request in which every client can send an App Key, as it is. */
const CLIENT_KINDS: readonly CarrierKind[] = ['header', 'query'];

/**
 * What the sample of a group is written in: curl, where no client writes the App Key as the endpoint takes it; null
 * where there is no sample.
 */
export function languageOf(
  { client, settings: { carrier } }: EndpointGroup,
  chosen: Language,
): Language | SampleLanguage | null {
  if (client === null) return null;
  if (carrier === undefined) return chosen;
  const { kind, scheme } = partsOf(carrier);
  return scheme === null && CLIENT_KINDS.includes(kind) ? chosen : curl;
}

/** The files that make the first call of a group, but for the client itself. No file holds a secret. */
export function sampleFiles(chosen: Language, group: EndpointGroup, handover: Handover): readonly SampleFile[] {
  const language = languageOf(group, chosen);
  const call = firstCallOf(group);
  if (language === null || call === null) return [];
  return [
    { name: language.programName, text: language.program(call) },
    ...language.projectFiles(call),
    { name: '.env.example', text: environmentOf(group, handover) },
    { name: '.gitignore', text: group.hasPrivateKey ? `.env\n${PRIVATE_KEY_FILE}\n` : '.env\n' },
  ];
}

/** Names and values that a shell can read; those that are secret are left empty. */
function environmentOf({ hasAppSecret, hasPrivateKey, settings, target }: EndpointGroup, { access }: Handover): string {
  const lines = [
    `# Copy this file to .env, ${hasPrivateKey ? 'name your private key in it' : 'fill it in'}, and keep .env to yourself.`,
    `POSTERN_URL=${quote(target.origin + target.path)}`,
    `APP_KEY=${access.appKey === null ? '' : quote(access.appKey)}`,
    ...(hasPrivateKey ? [`PRIVATE_KEY_FILE=${PRIVATE_KEY_FILE}`] : []),
    ...(hasAppSecret ? ['APP_SECRET='] : []),
    ...(settings.tokenPath === undefined ? [] : [`TOKEN_URL=${quote(target.origin + settings.tokenPath)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** The section of the first call: the whole folder for the first group, the program alone for the others. */
export function renderSample(
  chosen: Language,
  group: EndpointGroup,
  handover: Handover,
  isFirst: boolean,
): readonly string[] {
  const language = languageOf(group, chosen);
  const [program, ...others] = sampleFiles(chosen, group, handover);
  if (language === null || program === undefined) return [];
  const shown = block(program.text, language.fence);
  if (!isFirst) {
    return [`${code(program.name)}, with ${code('POSTERN_URL')} as in the address above:`, shown];
  }
  const fillIn = group.hasPrivateKey ? `put ${PRIVATE_KEY_FILE} beside it` : 'fill it in';
  const commands = [`cp .env.example .env   # and ${fillIn}`, ...language.install, 'set -a', '. ./.env', 'set +a'];
  return [
    introduction(language),
    `${code(program.name)}:`,
    shown,
    ...others.flatMap(({ name, text }) => [`${code(name)}:`, block(text, fenceOf(name))]),
    'Then run:',
    block([...commands, language.run].join('\n'), 'sh'),
  ];
}

function introduction(language: Language | SampleLanguage): string {
  const { title } = language;
  if (!('client' in language)) return `With ${title}. Put these files into a folder:`;
  const { client, artefact } = language;
  const link = `[client for ${title}](${CLIENTS}/${client})`;
  return `With the ${link}. It is not published yet: you get the file ${code(artefact)} with this page. Put it into a folder with these files:`;
}

function fenceOf(name: string): string {
  return /\.(json|toml)$/.exec(name)?.[1] ?? 'text';
}
