import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';

const agents = new Map();

/** A connection pool that trusts this authority and speaks this version of HTTP. */
export function agentFor({ ca, http }) {
  const name = `${http} ${ca}`;
  if (!agents.has(name)) {
    agents.set(name, new Agent({ connect: { ca: readFileSync(ca) }, allowH2: http === '2', keepAliveTimeout: 1000 }));
  }
  return agents.get(name);
}

/** Sends a signed request with undici; gives what came back, and the Signature-Input that was sent. */
export async function send({ ca, http }, { method, url, headers, body }) {
  const answer = await request(url, { method, headers, body, dispatcher: agentFor({ ca, http }) });
  return {
    status: answer.statusCode,
    headers: Object.entries(answer.headers),
    body: await answer.body.text(),
    signatureInput: Object.entries(headers).find(([name]) => name.toLowerCase() === 'signature-input')?.[1] ?? null,
  };
}
