import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSeq, parseDocument } from 'yaml';
import { WatchedFiles } from '../../base/files/watched-files.ts';
import type { OwnedParts } from '../../gateway/parts.ts';
import { packageFiles } from '../programs/servers.ts';
import { WAREHOUSE_NAME } from './demo-certificates.ts';
import { type DemoKeyPairs, keyPartner } from './demo-keys.ts';

const POLL_INTERVAL_MS = 100;

const warehouse = {
  id: 'warehouse',
  description: 'Warehouse API. Client certificates, at the listener with mutual TLS',
  scenario: 'partner-openapi',
  match: { paths: [{ prefix: '/warehouse' }] },
  authentication: 'certificate',
} as const;

/**
 * Writes the document of the demo, with the partner of these key pairs, to a folder that goes with `parts`, and gives
 * its path. Until then it follows what is edited in `source`, within half a second; `onDefect` is
 * told what keeps it from that.
 */
export async function writeDemoDocument(
  keys: DemoKeyPairs,
  parts: OwnedParts,
  onDefect: (error: unknown) => void,
  source: string = packageFiles.document,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-demo-'));
  parts.own({
    [Symbol.asyncDispose]: async () => {
      await rm(folder, { recursive: true, force: true });
    },
  });
  const path = join(folder, 'postern.yaml');
  const write = async (): Promise<void> => {
    await writeFile(path, withKeyPartner(await readFile(source, 'utf8'), keys));
  };
  const watched = new WatchedFiles([source]);
  await watched.look();
  watched.rememberSeen();
  await write();
  const onLook = async (change: string): Promise<void> => {
    if (change !== 'settled') return;
    watched.rememberSeen();
    await write();
  };
  parts.own(watched.follow({ intervalMs: POLL_INTERVAL_MS, onLook, onDefect }));
  return path;
}

/**
 * A declarative file with {@link keyPartner} among its consumers, and the endpoint of its certificates, which take a
 * listener that only the demo has. A text without consumers to add it to stays as it is: Postern says what is wrong
 * with it.
 */
export function withKeyPartner(text: string, { signer, client, issuer: idp, certificates }: DemoKeyPairs): string {
  const document = parseDocument(text);
  const consumers = document.errors.length === 0 ? document.get('consumers') : null;
  if (!isSeq(consumers)) return text;
  const { consumer, signerKey, clientKey, issuer, subject, audience } = keyPartner;
  const added = {
    id: consumer,
    name: 'Cumulus B.V.',
    description: 'Has key pairs, made when the demo started, and no secret',
    credentials: [
      {
        id: 'cumulus-signer',
        method: 'http-message-signature',
        appKey: signerKey,
        publicKey: { jwk: signer.publicKey.jwk },
      },
      { id: 'cumulus-oauth2', method: 'oauth2', appKey: clientKey, publicKey: { jwk: client.publicKey.jwk } },
      { id: 'cumulus-deliveries', method: 'jwt', issuer: 'cumulus-idp', claims: { azp: subject } },
      {
        id: 'cumulus-warehouse',
        method: 'certificate',
        certificate: { uri: WAREHOUSE_NAME, authority: { pem: certificates.authority.cert } },
      },
    ],
  };
  consumers.add(document.createNode(added));
  const endpoints = document.get('endpoints');
  if (isSeq(endpoints)) endpoints.add(document.createNode(warehouse));
  const jwks = { keys: [idp.publicKey.jwk] };
  document.set('issuers', document.createNode([{ id: 'cumulus-idp', issuer, jwks, audiences: [audience] }]));
  return document.toString({ lineWidth: 0 });
}
