import { quote } from '../../../check/signing/curl-command.ts';
import type { FirstCall, Language } from './language.ts';

function program({ client, hasAppSecret, hasPrivateKey, settings, http, body }: FirstCall): string {
  const { algorithm, encoding, nonce, carrier, tokenPath, tag, coverAlso } = settings;
  const carried = Object.entries(carrier ?? {}).map(
    ([kind, name]) => `${kind === 'header' ? '--key-header' : '--key-parameter'} ${quote(name)}`,
  );
  const options = [
    `--method ${client.method}`,
    ...proofOf(hasAppSecret, hasPrivateKey),
    ...carried,
    ...(algorithm === undefined ? [] : [`--algorithm ${algorithm}`]),
    ...(encoding === undefined ? [] : ['--raw']),
    ...(nonce === undefined ? [] : ['--nonce']),
    ...(tag === undefined ? [] : [`--tag ${quote(tag)}`]),
    ...(coverAlso ?? []).map((name) => `--cover ${quote(name)}`),
    ...(tokenPath === undefined ? [] : ['--token-url "$TOKEN_URL"']),
    ...client.shellOptions,
  ];
  const usual = body === null ? 'GET' : 'POST';
  const verb = http === usual ? '' : http === 'HEAD' ? '-I ' : `-X ${quote(http)} `;
  const content = body === null ? '' : `-H 'Content-Type: application/json' -d ${quote(body)} `;
  return `#!/bin/sh
./postern-curl ${options.join(' ')} -- \\
  -sS --fail-with-body ${verb}${content}-w '\\n%{http_code}\\n' "$POSTERN_URL"
`;
}

function proofOf(hasAppSecret: boolean, hasPrivateKey: boolean): readonly string[] {
  if (hasPrivateKey) return ['--app-key "$APP_KEY"', '--private-key "file:$PRIVATE_KEY_FILE"'];
  return hasAppSecret ? ['--app-key "$APP_KEY"', '--secret-from env:APP_SECRET'] : ['--secret-from env:APP_KEY'];
}

/** Samples for a POSIX shell, with the client of `clients/shell`. */
export const shell: Language = {
  title: 'POSIX shell',
  client: 'shell',
  fence: 'sh',
  programName: 'first-call.sh',
  program,
  projectFiles: () => [],
  artefact: 'postern-curl',
  install: ['chmod +x postern-curl'],
  run: 'sh first-call.sh',
};
