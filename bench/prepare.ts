import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { acquireAll } from '../test/support/lifetime/release.ts';
import { startEnvoy } from './envoy/start-envoy.ts';
import type { Files } from './fixtures/files.ts';
import type { Way } from './loads.ts';
import type { MeasurePorts, PreparedRow } from './measure.ts';
import { type Peer, type RunningPeer, startPeer } from './peers/peer.ts';
import { peers } from './peers/peers.ts';
import { writeHttpRequest } from './requests/http-request.ts';
import { MessageFile } from './requests/messages.ts';
import { type Row, wayOf } from './row.ts';

/** A row and the service that it is about. */
export interface Measurable {
  readonly row: Row;
  readonly peer: Peer;
}

/** Rows that can be measured together. Disposing ends their services and removes their messages. */
export interface PreparedRows extends AsyncDisposable {
  readonly rows: readonly PreparedRow[];
}

/** Starts the services of some rows, each with an Envoy of its own where it needs one, and writes their messages. */
export async function prepareRows(
  measurables: readonly Measurable[],
  files: Files,
  { requests, onProgress }: Pick<MeasurePorts, 'requests' | 'onProgress'>,
): Promise<PreparedRows> {
  return await acquireAll(async (keep) => {
    const written: Record<Way, Map<Row['messages'], MessageFile>> = {
      direct: new Map(),
      envoy: new Map(),
      alone: new Map(),
    };
    const write = async (row: Row): Promise<MessageFile> => {
      const way = wayOf(row);
      const present = written[way].get(row.messages);
      if (present !== undefined) return present;
      const path = join(files.directory, `${way}-${String(written[way].size)}.messages`);
      const ports = { ...requests, edit: way === 'envoy' ? writeHttpRequest : requests.edit };
      const file = new MessageFile(path, () => row.messages(ports));
      await file.renew();
      written[way].set(row.messages, file);
      keep({ [Symbol.asyncDispose]: () => rm(path) });
      return file;
    };
    let backend: RunningPeer | null = null;
    const rows: PreparedRow[] = [];
    for (const { row, peer } of measurables) {
      onProgress(`starting: ${row.name}`);
      const program = row.isAlone === true ? peer.command(files) : null;
      const services: RunningPeer[] = [];
      for (let at = 0; program === null && at < (row.processes ?? 1); at += 1)
        services.push(keep(await startPeer(peer, files)));
      const pids = services.map(({ pid }) => pid);
      const messages = await write(row);
      const renewMessages = async (): Promise<void> => {
        if (row.isNewEachLoad === true) await messages.rewrite();
        else if (row.isSigned === true) await messages.renew();
      };
      const target = { messages: messages.path, headers: files.headers };
      if (row.through === undefined) {
        const address = services[0]?.address ?? '';
        rows.push({ row, pids, envoyPid: null, program, target: { ...target, address }, renewMessages });
        continue;
      }
      backend ??= keep(await startPeer(peers.backend, files));
      const { directory } = files;
      const envoy = keep(await startEnvoy(row.through, { services, backend, directory }));
      rows.push({
        row,
        // Where nothing but Envoy is at work, Envoy is what is measured.
        pids: row.through === 'plain' ? [envoy.pid] : pids,
        envoyPid: envoy.pid,
        program,
        target: { ...target, address: envoy.address },
        renewMessages,
      });
    }
    return { rows };
  });
}
