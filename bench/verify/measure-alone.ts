import type { Drive } from '../driver/driver.ts';
import { readArguments } from '../driver/read-arguments.ts';
import { readMessages } from '../requests/messages.ts';

const WARM_UP_CHECKS = 1000;
/** Of large messages a few are enough to have everything compiled. */
const WARM_UP_MS = 1000;

/**
 * The program of a row without a service: reads the messages that its arguments name, does its work on one after the
 * other, and prints a {@link Drive}. Takes the arguments of bench/peers/go/verify, and prints the same.
 *
 * @param read - Makes of a message what the work needs; not measured.
 * @param work - What is measured; false counts as a denied check.
 */
export function measureAlone<T>(read: (message: Buffer) => T, work: (each: T) => boolean): void {
  const argument = readArguments(process.argv.slice(2));
  const cases = readMessages(argument('messages'), { prefix: false }).map(read);
  const isRight = (at: number): boolean => {
    const each = cases[at % cases.length];
    return each !== undefined && work(each);
  };
  const warmUpEndMs = performance.now() + WARM_UP_MS;
  for (let at = 0; at < WARM_UP_CHECKS && performance.now() < warmUpEndMs; at += 1) isRight(at);

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
  const quantile = (percent: number): number =>
    latenciesUs[Math.floor(((latenciesUs.length - 1) * percent) / 100)] ?? 0;
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
}
