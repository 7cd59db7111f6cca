import { quote } from '../../../check/signing/curl-command.ts';
import type { EndpointGroup, Handover } from '../../../partners/handover/handover-page.ts';
import { block, code } from '../../../partners/handover/markdown.ts';
import type { FirstCall, Language, SampleFile } from './language.ts';

/** Where the clients are to be had. */
const CLIENTS = 'https://github.com/postern-gateway/postern/tree/main/clients';
const BODY = '{"amount":12}';

/** The call that a sample makes: one that changes nothing, where the endpoint takes one. */
export function firstCallOf({ method, settings, target }: EndpointGroup): FirstCall {
  const { reading, writing } = target;
  if (reading === 'GET' || writing === null) return { method, settings, http: reading, body: null };
  return { method, settings, http: writing, body: BODY };
}

/** The files that make the first call of a group, but for the client itself. No file holds a secret. */
export function sampleFiles(language: Language, group: EndpointGroup, handover: Handover): readonly SampleFile[] {
  return [
    { name: language.programName, text: language.program(firstCallOf(group)) },
    ...language.projectFiles,
    { name: '.env.example', text: environmentOf(group, handover) },
    { name: '.gitignore', text: '.env\n' },
  ];
}

/** Names and values that a shell can read; those that are secret are left empty. */
function environmentOf({ method, settings, target }: EndpointGroup, { access }: Handover): string {
  const lines = [
    '# Copy this file to .env, fill it in, and keep .env to yourself.',
    `POSTERN_URL=${quote(target.origin + target.path)}`,
    `APP_KEY=${access.appKey === null ? '' : quote(access.appKey)}`,
    ...(method === 'key' ? [] : ['APP_SECRET=']),
    ...(settings.tokenPath === undefined ? [] : [`TOKEN_URL=${quote(target.origin + settings.tokenPath)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** The section of the first call: the whole folder for the first group, the program alone for the others. */
export function renderSample(
  language: Language,
  group: EndpointGroup,
  handover: Handover,
  isFirst: boolean,
): readonly string[] {
  const [program, ...others] = sampleFiles(language, group, handover);
  if (program === undefined) return [];
  const shown = block(program.text, language.fence);
  if (!isFirst) {
    return [`${code(program.name)}, with ${code('POSTERN_URL')} as in the address above:`, shown];
  }
  const client = `[client for ${language.title}](${CLIENTS}/${language.client})`;
  const commands = ['cp .env.example .env   # and fill it in', ...language.install, 'set -a', '. ./.env', 'set +a'];
  return [
    `With the ${client}. It is not published yet: you get the file ${code(language.artefact)} with this page. Put it into a folder with these files:`,
    `${code(program.name)}:`,
    shown,
    ...others.flatMap(({ name, text }) => [`${code(name)}:`, block(text, fenceOf(name))]),
    'Then run:',
    block([...commands, language.run].join('\n'), 'sh'),
  ];
}

function fenceOf(name: string): string {
  return /\.(json|toml)$/.exec(name)?.[1] ?? 'text';
}
