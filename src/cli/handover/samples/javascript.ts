import { type FirstCall, type Language, quoted } from './language.ts';

function settingsOf({ client: { method }, hasAppSecret, hasPrivateKey, settings }: FirstCall): string {
  const { algorithm, encoding, nonce, carrier, tokenPath, tag, coverAlso } = settings;
  const carried = Object.entries(carrier ?? {}).map(([kind, name]) => `carrier: { ${kind}: ${quoted(name)} }`);
  return [
    `method: '${method}'`,
    'appKey: APP_KEY',
    ...(hasAppSecret ? ['appSecret: APP_SECRET'] : carried),
    ...(hasPrivateKey ? ['privateKey'] : []),
    ...(tag === undefined ? [] : [`tag: ${quoted(tag)}`]),
    ...(coverAlso === undefined ? [] : [`coverAlso: [${coverAlso.map(quoted).join(', ')}]`]),
    ...(algorithm === undefined ? [] : [`algorithm: '${algorithm}'`]),
    ...(encoding === undefined ? [] : [`encoding: '${encoding}'`]),
    ...(nonce === undefined ? [] : ['nonce: true']),
    ...(tokenPath === undefined ? [] : ['tokenUrl: TOKEN_URL']),
  ].join(', ');
}

function program(call: FirstCall): string {
  const { hasAppSecret, hasPrivateKey, settings, http, body } = call;
  const names = [
    'POSTERN_URL',
    'APP_KEY',
    ...(hasAppSecret ? ['APP_SECRET'] : []),
    ...(hasPrivateKey ? ['PRIVATE_KEY_FILE'] : []),
  ];
  if (settings.tokenPath !== undefined) names.push('TOKEN_URL');
  const init =
    body === null
      ? [`const response = await client.fetch(POSTERN_URL, { method: ${quoted(http)} });`]
      : [
          'const response = await client.fetch(POSTERN_URL, {',
          `  method: ${quoted(http)},`,
          "  headers: { 'Content-Type': 'application/json' },",
          '  body: JSON.stringify({ amount: 12 }),',
          '});',
        ];
  const [reading, key] = hasPrivateKey
    ? [
        "import { readFile } from 'node:fs/promises';\n",
        "const privateKey = await readFile(PRIVATE_KEY_FILE, 'utf8');\n",
      ]
    : ['', ''];
  return `${reading}import { createClient } from 'postern-client';

const { ${names.join(', ')} } = process.env;
${key}const client = createClient({ ${settingsOf(call)} });
${init.join('\n')}
console.log(response.status, await response.text());
process.exitCode = response.ok ? 0 : 1;
`;
}

/** Samples in JavaScript, with the client of `clients/javascript`. */
export const javascript: Language = {
  title: 'JavaScript',
  client: 'javascript',
  fence: 'js',
  programName: 'first-call.mjs',
  program,
  projectFiles: () => [
    {
      name: 'package.json',
      text: '{\n  "private": true,\n  "type": "module",\n  "dependencies": { "postern-client": "file:postern-client-0.1.0.tgz" }\n}\n',
    },
  ],
  artefact: 'postern-client-0.1.0.tgz',
  install: ['npm install'],
  run: 'node first-call.mjs',
};
