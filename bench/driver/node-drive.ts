import { readFileSync } from 'node:fs';
import { connect, type ClientHttp2Session, constants, type OutgoingHttpHeaders } from 'node:http2';
import { readMessages } from '../requests/messages.ts';
import { type Drive } from './driver.ts';
import { readArguments } from './read-arguments.ts';

/**
 * The driver where Go is not installed: `node:http2`, with the arguments and the output of bench/peers/go/drive. It
 * needs more CPU for a call than some of the services, so that rate and latency are its own as much as theirs.
 */
const PREFIX_BYTES = 5;
const LENGTH_DELIMITED = 2;
const DENIED_RESPONSE = 2;
const OK_RESPONSE = 3;
const WINDOW_BYTES = 1 << 24;

/** The number of the field that says what was decided; 0 when there is none. Messages here are far below 16 KiB. */
function decisionField(message: Buffer): number {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = message[at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (at < message.length) {
    const tag = varint();
    if ((tag & 7) !== LENGTH_DELIMITED) return 0;
    const number = tag >>> 3;
    if (number === DENIED_RESPONSE || number === OK_RESPONSE) return number;
    const length = varint();
    at += length;
  }
  return 0;
}

const argument = readArguments(process.argv.slice(2));
const messages = readMessages(argument('messages'), { prefix: true });
const headers = Object.fromEntries(
  JSON.parse(readFileSync(argument('headers'), 'utf8')) as readonly (readonly [string, string])[],
) as OutgoingHttpHeaders;
const connections = Number(argument('connections'));
const streams = Number(argument('streams'));
const deadlineMs = performance.now() + Number(argument('seconds')) * 1000;
const latenciesUs: number[] = [];
const seen = { allowed: 0, denied: 0, undecided: 0, failed: 0, failure: '', firstReply: '' };
let remaining = Number(argument('checks'));
let nextMessage = 0;

function count(reply: Buffer, grpcStatus: unknown): void {
  const message = reply.subarray(PREFIX_BYTES);
  if (grpcStatus !== '0' || reply.length < PREFIX_BYTES) {
    seen.failed += 1;
    seen.failure ||= `grpc-status ${JSON.stringify(grpcStatus)}, ${String(reply.length)} bytes`;
    return;
  }
  seen.firstReply ||= message.toString('base64');
  const field = decisionField(message);
  seen[field === OK_RESPONSE ? 'allowed' : field === DENIED_RESPONSE ? 'denied' : 'undecided'] += 1;
}

/** Makes one call after the other until the job is done. */
async function keepCalling(session: ClientHttp2Session): Promise<void> {
  while (remaining > 0 && performance.now() < deadlineMs) {
    remaining -= 1;
    const message = messages[nextMessage++ % messages.length];
    const startMs = performance.now();
    await new Promise<void>((resolve, reject) => {
      const stream = session.request(headers);
      const pieces: Buffer[] = [];
      let grpcStatus: unknown = null;
      stream.on('data', (piece: Buffer) => void pieces.push(piece));
      stream.on('trailers', (trailers: OutgoingHttpHeaders) => void (grpcStatus = trailers['grpc-status']));
      stream.once('error', reject);
      stream.once('close', () => {
        latenciesUs.push((performance.now() - startMs) * 1000);
        count(Buffer.concat(pieces), grpcStatus);
        resolve();
      });
      stream.end(message);
    });
  }
}

const sessions = Array.from({ length: connections }, () =>
  connect(`http://${argument('address')}`, { settings: { initialWindowSize: WINDOW_BYTES, enablePush: false } }),
);
const startMs = performance.now();
await Promise.all(sessions.flatMap((session) => Array.from({ length: streams }, () => keepCalling(session))));
const seconds = (performance.now() - startMs) / 1000;
for (const session of sessions) session.destroy(undefined, constants.NGHTTP2_NO_ERROR);
latenciesUs.sort((a, b) => a - b);
const quantile = (percent: number): number => latenciesUs[Math.floor(((latenciesUs.length - 1) * percent) / 100)] ?? 0;
const { user, system } = process.cpuUsage();
const result: Drive = {
  checks: latenciesUs.length,
  seconds,
  p50Us: quantile(50),
  p99Us: quantile(99),
  ...seen,
  driverUsPerCheck: (user + system) / Math.max(1, latenciesUs.length),
};
process.stdout.write(`${JSON.stringify(result)}\n`);
