// Answers one question a line, as ../README.md says.
import { createInterface } from 'node:readline';
import { send } from './send.mjs';
import { signers } from './signers.mjs';
import { tokenClients, tokenLife } from './token-clients.mjs';

const operations = {
  describe: () => ({ signers: Object.keys(signers), tokenClients: Object.keys(tokenClients) }),
  sign: async (question) => {
    const signer = signers[question.library];
    if (signer === undefined) throw new Error(`there is no signer ${question.library}`);
    return await send(question, await signer(question));
  },
  token: async (question) => {
    const client = tokenClients[question.library];
    if (client === undefined) throw new Error(`there is no token client ${question.library}`);
    return await client(question);
  },
  tokenLife,
};

const textOf = (error) => (error instanceof Error ? error.message : JSON.stringify(error));

async function answer(line) {
  let id = null;
  try {
    const question = JSON.parse(line);
    ({ id } = question);
    return { id, ...(await operations[question.op](question)) };
  } catch (error) {
    return { id, error: [error, error.cause].map(textOf).filter(Boolean).join(': ') };
  }
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  void answer(line).then((text) => process.stdout.write(`${JSON.stringify(text)}\n`));
}
