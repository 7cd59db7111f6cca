import { createPublicKey, verify } from 'node:crypto';
import type { Drive } from '../driver/driver.ts';
import { readArguments } from '../driver/read-arguments.ts';
import { readMessages } from '../requests/messages.ts';
import type { SignatureCase } from './signature-case.ts';

/**
 * `crypto.verify` and nothing else, one signature after the other: the part of a check that is cryptography. Takes the
 * arguments of bench/peers/go/verify, and prints the same.
 */
const WARM_UP_CHECKS = 1000;

interface Signed {
  readonly hash: string | null;
  readonly base: Buffer;
  readonly key: Parameters<typeof verify>[2];
  readonly signature: Buffer;
}

function readCase(message: Buffer): Signed {
  const { algorithm, key, base, signature } = JSON.parse(message.toString('utf8')) as SignatureCase;
  const object = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
  return {
    hash: algorithm.hash,
    base: Buffer.from(base, 'base64'),
    key: { ...algorithm.options, key: object },
    signature: Buffer.from(signature, 'base64'),
  };
}

const argument = readArguments(process.argv.slice(2));
const cases = readMessages(argument('messages'), { prefix: false }).map(readCase);

function isRight(at: number): boolean {
  const signed = cases[at % cases.length];
  return signed !== undefined && verify(signed.hash, signed.base, signed.key, signed.signature);
}

for (let at = 0; at < WARM_UP_CHECKS; at += 1) isRight(at);

const checks = Number(argument('checks'));
const deadlineMs = Number(argument('seconds')) * 1000;
const latenciesUs: number[] = [];
let allowed = 0;
const before = process.cpuUsage();
const startMs = performance.now();
let nowMs = startMs;
while (latenciesUs.length < checks && nowMs - startMs < deadlineMs) {
  if (isRight(latenciesUs.length)) allowed += 1;
  const endMs = performance.now();
  latenciesUs.push((endMs - nowMs) * 1000);
  nowMs = endMs;
}
const { user, system } = process.cpuUsage(before);
latenciesUs.sort((a, b) => a - b);
const quantile = (percent: number): number => latenciesUs[Math.floor(((latenciesUs.length - 1) * percent) / 100)] ?? 0;
const result: Drive = {
  checks: latenciesUs.length,
  seconds: (nowMs - startMs) / 1000,
  p50Us: quantile(50),
  p99Us: quantile(99),
  allowed,
  denied: latenciesUs.length - allowed,
  undecided: 0,
  failed: 0,
  failure: '',
  firstReply: '',
  driverUsPerCheck: (user + system) / Math.max(1, latenciesUs.length),
};
process.stdout.write(`${JSON.stringify(result)}\n`);
