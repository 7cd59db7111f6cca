import { type FirstCall, type Language, literal } from './language.ts';

const env = (name: string): string => `os.Getenv("${name}")`;

function constructor({ client, hasAppSecret, hasPrivateKey, settings }: FirstCall): string {
  const { algorithm, encoding, nonce, carrier, tokenPath, tag, coverAlso } = settings;
  const carried = Object.entries(carrier ?? {}).map(
    ([kind, name]) => `postern.${kind === 'header' ? 'WithKeyHeader' : 'WithKeyParameter'}(${literal(name)})`,
  );
  const parameters = [
    env('APP_KEY'),
    ...(hasAppSecret ? [env('APP_SECRET')] : carried),
    ...(hasPrivateKey ? ['key'] : []),
    ...(tokenPath === undefined ? [] : [env('TOKEN_URL')]),
    ...(algorithm === undefined ? [] : [`postern.WithAlgorithm(postern.${algorithm.toUpperCase().replace('-', '')})`]),
    ...(encoding === undefined ? [] : ['postern.WithRawEncoding()']),
    ...(nonce === undefined ? [] : ['postern.WithNonce()']),
    ...(tag === undefined ? [] : [`postern.WithTag(${literal(tag)})`]),
    ...(coverAlso === undefined ? [] : [`postern.WithCoverAlso(${coverAlso.map(literal).join(', ')})`]),
  ];
  return `postern.New${client.goType}(${parameters.join(', ')})`;
}

const CHECK = '\tif err != nil {\n\t\tlog.Fatal(err)\n\t}';

function send({ http, body }: FirstCall): { readonly imports: readonly string[]; readonly lines: readonly string[] } {
  const url = env('POSTERN_URL');
  if (body === null && http === 'GET') {
    return { imports: [], lines: [`\tresponse, err := client.HTTPClient().Get(${url})`, CHECK] };
  }
  if (body !== null && http === 'POST') {
    const post = `\tresponse, err := client.HTTPClient().Post(${url}, "application/json", invoice)`;
    return { imports: ['strings'], lines: [`\tinvoice := strings.NewReader(\`${body}\`)`, post, CHECK] };
  }
  const reader = body === null ? 'nil' : `strings.NewReader(\`${body}\`)`;
  return {
    imports: ['net/http', ...(body === null ? [] : ['strings'])],
    lines: [
      `\trequest, err := http.NewRequest(${literal(http)}, ${url}, ${reader})`,
      CHECK,
      ...(body === null ? [] : ['\trequest.Header.Set("Content-Type", "application/json")']),
      '\tresponse, err := client.HTTPClient().Do(request)',
      CHECK,
    ],
  };
}

const READ_KEY = [
  `\tpem, err := os.ReadFile(${env('PRIVATE_KEY_FILE')})`,
  CHECK,
  '\tkey, err := postern.ParsePrivateKey(string(pem))',
  CHECK,
];

function program(call: FirstCall): string {
  const { imports, lines } = send(call);
  const key = call.hasPrivateKey ? `${READ_KEY.join('\n')}\n` : '';
  const all = ['fmt', 'io', 'log', 'os', ...imports].sort();
  return `package main

import (
${all.map((name) => `\t"${name}"`).join('\n')}

	postern "github.com/postern-gateway/postern/clients/go"
)

func main() {
${key}	client := postern.Must(${constructor(call)})
${lines.join('\n')}
	fmt.Println(response.StatusCode)
	io.Copy(os.Stdout, response.Body)
}
`;
}

const MODULE = 'github.com/postern-gateway/postern/clients/go';

/** Samples in Go, with the client of `clients/go`. */
export const go: Language = {
  title: 'Go',
  client: 'go',
  fence: 'go',
  programName: 'main.go',
  program,
  projectFiles: () => [
    {
      name: 'go.mod',
      text: `module example.com/first-call\n\ngo 1.21\n\nrequire ${MODULE} v0.1.0\n\nreplace ${MODULE} => ./postern-client\n`,
    },
  ],
  artefact: 'v0.1.0.zip',
  install: ['unzip -q v0.1.0.zip', `mv ${MODULE}@v0.1.0 postern-client`, 'rm -r github.com'],
  run: 'go run .',
};
