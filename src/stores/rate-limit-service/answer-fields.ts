import { LENGTH_DELIMITED, VARINT, WireReader } from '../../base/protobuf/wire-reader.ts';

/** What an answer of the service says (`RateLimitResponse`), as far as it is read. Unknown values are 0. */
export interface AnswerFields {
  readonly overallCode: number;
  readonly statuses: readonly StatusFields[];
}

/** What it says of one limit (`DescriptorStatus`). */
export interface StatusFields {
  code: number;
  /** The limit that was applied; null for none. */
  limit: { requests: number; unit: number } | null;
  remaining: number;
  /** When the window ends. */
  reset: { seconds: number; nanos: number };
}

/** Reads the fields of an answer; null for bytes that are no message. */
export function readAnswerFields(bytes: Uint8Array): AnswerFields | null {
  const reader = new WireReader(bytes);
  const end = bytes.length;
  const statuses: StatusFields[] = [];
  let overallCode = 0;
  while (reader.at < end) {
    const tag = reader.readVarint();
    if (tag === OVERALL_CODE) overallCode = reader.readVarint();
    else if (tag === STATUSES) statuses.push(readStatus(reader, end));
    else reader.skip(tag & WIRE_TYPE, end);
  }
  reader.finish(end);
  return reader.failed ? null : { overallCode, statuses };
}

function readStatus(reader: WireReader, outerEnd: number): StatusFields {
  reader.at = reader.readSpan(outerEnd);
  const end = reader.spanEnd;
  const status: StatusFields = { code: 0, limit: null, remaining: 0, reset: { seconds: 0, nanos: 0 } };
  while (reader.at < end) {
    const tag = reader.readVarint();
    if (tag === CODE) status.code = reader.readVarint();
    else if (tag === CURRENT_LIMIT) {
      const [requests, unit] = readTwoNumbers(reader, end);
      status.limit = { requests, unit };
    } else if (tag === LIMIT_REMAINING) status.remaining = reader.readVarint();
    else if (tag === DURATION_UNTIL_RESET) {
      const [seconds, nanos] = readTwoNumbers(reader, end);
      status.reset = { seconds, nanos };
    } else reader.skip(tag & WIRE_TYPE, end);
  }
  reader.finish(end);
  return status;
}

/** The fields 1 and 2 of a message in which both are numbers: a `RateLimit`, a `Duration`. */
function readTwoNumbers(reader: WireReader, outerEnd: number): readonly [first: number, second: number] {
  reader.at = reader.readSpan(outerEnd);
  const end = reader.spanEnd;
  let first = 0;
  let second = 0;
  while (reader.at < end) {
    const tag = reader.readVarint();
    if (tag === FIRST_NUMBER) first = reader.readVarint();
    else if (tag === SECOND_NUMBER) second = reader.readVarint();
    else reader.skip(tag & WIRE_TYPE, end);
  }
  reader.finish(end);
  return [first, second];
}

const WIRE_TYPE = 7;
/** Field numbers of `envoy/service/ratelimit/v3/rls.proto`, with their wire types. */
const OVERALL_CODE = (1 << 3) | VARINT;
const STATUSES = (2 << 3) | LENGTH_DELIMITED;
const CODE = (1 << 3) | VARINT;
const CURRENT_LIMIT = (2 << 3) | LENGTH_DELIMITED;
const LIMIT_REMAINING = (3 << 3) | VARINT;
const DURATION_UNTIL_RESET = (4 << 3) | LENGTH_DELIMITED;
const FIRST_NUMBER = (1 << 3) | VARINT;
const SECOND_NUMBER = (2 << 3) | VARINT;
