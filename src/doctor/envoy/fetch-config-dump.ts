import { type Finding, fault } from '../finding.ts';
import type { OwnLimits } from '../own-limits.ts';
import { inspectEnvoy } from './inspect-envoy.ts';

/** An Envoy that does not answer within this is told as one that is away. */
const DEADLINE_MS = 5000;

/** A configuration larger than this is not Envoy's. */
const MAX_DUMP_BYTES = 64 * 1024 * 1024;

/** Asks an Envoy for its configuration at its admin address and looks through it. Never rejects for what Envoy does. */
export async function inspectEnvoyAt(admin: URL, own: OwnLimits): Promise<readonly Finding[]> {
  const subject = `Envoy at ${admin.origin}`;
  const url = new URL(`${admin.pathname.replace(/\/$/, '')}/config_dump?include_eds`, admin);
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(DEADLINE_MS), redirect: 'error' });
    if (!response.ok) {
      const message = `its admin address answers ${String(response.status)} to /config_dump`;
      return [fault(subject, message, 'give the admin address of Envoy, such as http://127.0.0.1:9901')];
    }
    const text = await readText(response);
    return text === null ? [notJson(subject)] : inspectText(subject, text, own);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const cause = error.cause instanceof Error && 'code' in error.cause ? String(error.cause.code) : error.name;
    const message = `its admin address does not answer (${cause})`;
    return [
      fault(subject, message, 'start Envoy, or give its admin address with --envoy; it is loopback only, as a rule'),
    ];
  }
}

function inspectText(subject: string, text: string, own: OwnLimits): readonly Finding[] {
  let dump: unknown;
  try {
    dump = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return [notJson(subject)];
    throw error;
  }
  return inspectEnvoy(dump, own);
}

function notJson(subject: string): Finding {
  const message = 'its answer to /config_dump is no configuration';
  return fault(subject, message, 'give the admin address of Envoy, such as http://127.0.0.1:9901');
}

/** The whole answer; null when it is longer than any configuration. */
async function readText(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    const bytes = chunk as Uint8Array;
    length += bytes.length;
    if (length > MAX_DUMP_BYTES) return null;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
