import assert from 'node:assert/strict';
import { adminConnectionLimits } from '../../../src/server/admin-server.ts';
import { httpLimits } from '../../../src/server/http-server.ts';
import { clientLimits } from '../../../src/grpc-client/client-limits.ts';
import { HEADER_TABLE_BYTES } from '../../../src/http2/header-frames.ts';
import { defaultLimits } from '../../../src/server/http2/limits.ts';
import {
  LARGE_GROWTH,
  MIN_HELD_BYTES,
  MIN_PART_BYTES,
  SMALL_GROWTH,
} from '../../../src/server/http2/message-memory.ts';
import { LONGEST_TRACE_PARENT, MAX_HEADER_LIST_BYTES } from '../../../src/server/http2/request-head.ts';
import { REMEMBERED } from '../../../src/server/http2/stream-table.ts';
import { grpcConnectionLimits } from '../../../src/server/transport.ts';
import { readDocument } from '../../support/docs/documents.ts';

const PAGE = 'docs/resource-accounting.md';

/** Every bound that the page has to name. A new one is added here, or to the limits of the transport. */
const bounds: Readonly<Record<string, number | { serverBytes: number; connectionBytes: number }>> = {
  ...defaultLimits,
  MAX_HEADER_LIST_BYTES,
  LONGEST_TRACE_PARENT,
  HEADER_TABLE_BYTES,
  REMEMBERED,
  MIN_PART_BYTES,
  MIN_HELD_BYTES,
  SMALL_GROWTH,
  LARGE_GROWTH,
  grpcConnections: grpcConnectionLimits.maxConnections,
  grpcOfAddress: grpcConnectionLimits.maxOfAddress,
  oauth2Connections: httpLimits.maxConnections,
  oauth2OfAddress: httpLimits.maxOfAddress,
  adminConnections: adminConnectionLimits.maxConnections,
  adminOfAddress: adminConnectionLimits.maxOfAddress,
};

/** The bounds below a heading: `- BOUND NUMBER, BOUND NUMBER: what is bounded`. */
function readBounds(heading: string): readonly (readonly [name: string, number: string])[] {
  const [, rest = ''] = readDocument(PAGE).split(`\n## ${heading}\n`);
  const [section = ''] = rest.split('\n## ');
  return [...section.matchAll(/^- (`[^:]+): (.+)$/gm)].flatMap(([, bounds = '', what = '']) => {
    assert.notEqual(what.trim(), '', bounds);
    return Array.from(
      bounds.matchAll(/`(\w+)` ([^`]+?)(?=, `|$)/g),
      ([, name = '', number = '']) => [name, number] as const,
    );
  });
}

function describeNumber(name: string, value: number): string {
  if (name.endsWith('Ms')) return `${String(value / 1000)} s`;
  if (!/bytes|pool/i.test(name) || name === 'bytesPerWindowStep' || value < 1024) return String(value);
  return value % 2 ** 20 === 0 ? `${String(value / 2 ** 20)} MiB` : `${String(value / 1024)} KiB`;
}

describe('the resource accounting', () => {
  it('has every bound, with the number that is in force and what it bounds', () => {
    const shown = [...readBounds('What can be held'), ...readBounds('What can be computed')].map(([name, number]) => [
      name,
      number.replace(' in all', ''),
    ]);
    const inForce = Object.entries(bounds).map(([name, value]) => {
      const numbers = typeof value === 'number' ? [value] : [value.connectionBytes, value.serverBytes];
      return [name, numbers.map((number) => describeNumber(name, number)).join(', ')];
    });
    assert.deepEqual(shown.toSorted(), inForce.toSorted());
  });

  it('gives one connection at most a quarter of what all may hold', () => {
    for (const [name, value] of Object.entries(bounds)) {
      if (typeof value !== 'number') assert.ok(value.connectionBytes * 4 <= value.serverBytes, name);
    }
  });

  it('has every bound of the client, with the number that is in force', () => {
    const shown = readBounds('The client of the rate limit service');
    const inForce = Object.entries({ ...clientLimits }).map(([name, value]) => [name, describeNumber(name, value)]);
    assert.deepEqual(shown.toSorted(), inForce.toSorted());
  });
});
