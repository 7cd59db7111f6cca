import { shellWithKey } from './with-key/shell.ts';
import { quote } from '../../../check/signing/curl-command.ts';
import type { FirstCall, Language } from './language.ts';

function program({ method, client, hasAppSecret, settings, http, body }: FirstCall): string {
  const { algorithm, encoding, nonce, carrier, tokenPath } = settings;
  const carried = Object.entries(carrier ?? {}).map(
    ([kind, name]) => `${kind === 'header' ? '--key-header' : '--key-parameter'} ${quote(name)}`,
  );
  const options = [
    `--method ${method}`,
    ...(hasAppSecret ? ['--app-key "$APP_KEY"', '--secret-from env:APP_SECRET'] : ['--secret-from env:APP_KEY']),
    ...carried,
    ...(algorithm === undefined ? [] : [`--algorithm ${algorithm}`]),
    ...(encoding === undefined ? [] : ['--raw']),
    ...(nonce === undefined ? [] : ['--nonce']),
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

/** Samples for a POSIX shell, with the client of `clients/shell`. */
export const shell: Language = {
  title: 'POSIX shell',
  client: 'shell',
  fence: 'sh',
  programName: 'first-call.sh',
  program,
  projectFiles: [],
  artefact: 'postern-curl',
  withKey: shellWithKey,
  install: ['chmod +x postern-curl'],
  run: 'sh first-call.sh',
};
