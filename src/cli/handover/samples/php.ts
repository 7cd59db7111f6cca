import { type FirstCall, type Language, quoted } from './language.ts';

function program({ client, hasAppSecret, hasPrivateKey, settings, http, body }: FirstCall): string {
  const { algorithm, encoding, nonce, carrier, tokenPath, tag, coverAlso } = settings;
  const carried = Object.entries(carrier ?? {}).map(([kind, name]) => `${kind}: ${quoted(name)}`);
  const parameters = [
    "getenv('APP_KEY')",
    ...(hasAppSecret ? ["getenv('APP_SECRET')"] : carried),
    ...(hasPrivateKey ? ['$key'] : []),
    ...(tokenPath === undefined ? [] : ["getenv('TOKEN_URL')"]),
    ...(algorithm === undefined ? [] : [`algorithm: '${algorithm}'`]),
    ...(encoding === undefined ? [] : [`encoding: '${encoding}'`]),
    ...(nonce === undefined ? [] : ['nonce: true']),
    ...(tag === undefined ? [] : [`tag: ${quoted(tag)}`]),
    ...(coverAlso === undefined ? [] : [`coverAlso: [${coverAlso.map(quoted).join(', ')}]`]),
  ];
  const content = body === null ? '' : `, ['Content-Type' => 'application/json'], ${quoted(body)}`;
  const key = hasPrivateKey
    ? "$key = Postern\\Client\\PrivateKey::fromPem(file_get_contents(getenv('PRIVATE_KEY_FILE')));\n"
    : '';
  return `<?php
require 'vendor/autoload.php';

${key}$credential = new Postern\\Client\\${client.type}(${parameters.join(', ')});
$client = new Postern\\Client\\CurlClient($credential);
$response = $client->send(${quoted(http)}, getenv('POSTERN_URL')${content});
echo $response->status, "\\n", $response->body, "\\n";
exit($response->status === 200 ? 0 : 1);
`;
}

/** Samples in PHP, with the client of `clients/php`. */
export const php: Language = {
  title: 'PHP',
  client: 'php',
  fence: 'php',
  programName: 'first-call.php',
  program,
  projectFiles: () => [
    {
      name: 'composer.json',
      text: '{\n  "repositories": [{ "type": "artifact", "url": "." }],\n  "require": { "postern-gateway/client": "0.1.0" }\n}\n',
    },
  ],
  artefact: 'postern-client-0.1.0.zip',
  install: ['composer install'],
  run: 'php first-call.php',
};
