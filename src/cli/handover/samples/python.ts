import { type FirstCall, type Language, literal } from './language.ts';

function credential({ client, hasAppSecret, hasPrivateKey, settings }: FirstCall): string {
  const { algorithm, encoding, nonce, carrier, tokenPath, tag, coverAlso } = settings;
  const carried = Object.entries(carrier ?? {}).map(([kind, name]) => `${kind}=${literal(name)}`);
  const parameters = [
    'os.environ["APP_KEY"]',
    ...(hasAppSecret ? ['os.environ["APP_SECRET"]'] : carried),
    ...(hasPrivateKey ? ['file.read()'] : []),
    ...(tokenPath === undefined ? [] : ['os.environ["TOKEN_URL"]']),
    ...(algorithm === undefined ? [] : [`algorithm="${algorithm}"`]),
    ...(encoding === undefined ? [] : [`encoding="${encoding}"`]),
    ...(nonce === undefined ? [] : ['nonce=True']),
    ...(tag === undefined ? [] : [`tag=${literal(tag)}`]),
    ...(coverAlso === undefined ? [] : [`cover_also=[${coverAlso.map(literal).join(', ')}]`]),
  ];
  return `postern.${client.pythonType}(${parameters.join(', ')})`;
}

/** Methods, which compare with case, that have a function of their own. */
const SHORT = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

function program(call: FirstCall): string {
  const start = SHORT.includes(call.http) ? `${call.http.toLowerCase()}(` : `request(${literal(call.http)}, `;
  const json = call.body === null ? '' : ' json={"amount": 12},';
  const given = `credential = ${credential(call)}`;
  const made = call.hasPrivateKey ? `with open(os.environ["PRIVATE_KEY_FILE"]) as file:\n    ${given}` : given;
  return `import os
import postern
import postern.requests

${made}
with postern.requests.Session(credential) as session:
    answer = session.${start}os.environ["POSTERN_URL"],${json} timeout=10)
print(answer.status_code, answer.text)
raise SystemExit(0 if answer.ok else 1)
`;
}

/** Samples in Python, with the client of `clients/python`. */
export const python: Language = {
  title: 'Python',
  client: 'python',
  fence: 'python',
  programName: 'first_call.py',
  program,
  projectFiles: ({ hasPrivateKey }) => {
    const extras = hasPrivateKey ? 'requests,keys' : 'requests';
    return [{ name: 'requirements.txt', text: `./postern_client-0.1.0-py3-none-any.whl[${extras}]\n` }];
  },
  artefact: 'postern_client-0.1.0-py3-none-any.whl',
  install: ['python3 -m venv .venv', '.venv/bin/python -m pip install -r requirements.txt'],
  run: '.venv/bin/python first_call.py',
};
