import assert from 'node:assert/strict';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { AttributeContext_HttpRequest } from '../../../../src/gen/envoy/service/auth/v3/attribute_context.ts';
import { CheckRequest } from '../../../../src/gen/envoy/service/auth/v3/external_auth.ts';
import { HttpRequest } from '../../../../src/check/receive/http-request.ts';
import {
  bodyForms,
  checkRequest,
  checkRequestMessage,
  headerForms,
  httpRequest,
} from '../../../support/pipeline/check-request.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 20 });
const bytes = fc.uint8Array({ maxLength: 40 });
const name = fc.string({ unit: fc.constantFrom('a', 'b', 'X', 'Y', '-', '_', ':'), minLength: 1, maxLength: 8 });

describe('reading a CheckRequest', () => {
  it('gives who is connected to Envoy, and nothing for a source that is no socket or broken', () => {
    assert.equal(httpRequest({ peer: '2001:db8::7' }).peerAddress, '2001:db8::7');
    assert.equal(httpRequest().peerAddress, null);
    // `source` with nothing in it, with a pipe, and with lengths that lead beyond it.
    for (const source of [[], [0x0a, 2, 0x12, 0], [0x0a, 0], [0x0a, 9, 0x0a], [0x0a, 4, 0x0a, 2, 0x12, 9]]) {
      const attributes = nested(0x0a, nested(0x0a, source));
      assert.equal(HttpRequest.parse(Buffer.from(attributes))?.peerAddress, null, source.join(' '));
    }
  });

  it('gives the certificate of who is connected to Envoy as it came, and nothing where there is none', () => {
    const certificate = 'a+b/c=\n';
    assert.equal(httpRequest({ peer: '192.0.2.1', certificate }).peerCertificate?.toString(), 'a%2Bb%2Fc%3D%0A');
    assert.equal(httpRequest({ certificate }).peerCertificate?.toString(), 'a%2Bb%2Fc%3D%0A');
    assert.equal(httpRequest({ peer: '192.0.2.1' }).peerCertificate, null);
    assert.equal(httpRequest().peerCertificate, null);
    // The last of two decides, as with every field of proto3; a broken `source` has none.
    const read = (source: number[]): string | undefined =>
      HttpRequest.parse(Buffer.from(nested(0x0a, nested(0x0a, source))))?.peerCertificate?.toString();
    assert.equal(read([0x2a, 1, 0x61, 0x2a, 1, 0x62]), 'b');
    assert.equal(read([0x22, 1, 0x61]), undefined);
    assert.equal(read([0x2a, 9, 0x61]), undefined);
  });

  it('gives nothing for bytes that are no message', () => {
    const broken = [[0x0a], [0x0a, 1], [0x0a, 2, 0x22], [0x0b], [0x0c], [0x0e], [0x0d, 1, 2], [0x09, 1], [0x08]];
    const endless = [0x08, ...new Array<number>(11).fill(0xff), 0];
    for (const message of [...broken, endless]) {
      assert.equal(HttpRequest.parse(Buffer.from(message)), null, Buffer.from(message).toString('hex'));
    }
  });

  it('gives nothing for a message that was cut anywhere', () => {
    const message = checkRequest({ body: 'body', endpoint: 'orders' });
    for (let length = 1; length < message.length; length += 1) {
      // Behind the last field of `attributes` its length no longer fits, so that every cut is seen.
      assert.equal(HttpRequest.parse(message.subarray(0, length)), null);
    }
    assert.ok(HttpRequest.parse(message));
  });

  it('gives nothing when a field reaches over the end of its message', () => {
    // What follows completes each field, and would be read with it, were it not part of another message.
    const fields = {
      'a text': [[0x12, 3, 0x47, 0x45], [0x54]],
      'a number': [[0x48, 0x80], [0x01]],
      'a tag': [[0x80], [0x01, 0x00]],
      'a fixed number': [[0x49, 0, 0, 0, 0, 0, 0, 0], [0]],
    } as const;
    for (const [name, [http, rest]] of Object.entries(fields)) {
      const attributes = [...nested(0x22, nested(0x12, http)), ...rest];
      assert.equal(HttpRequest.parse(Buffer.from(nested(0x0a, attributes))), null, name);
    }
  });

  it('lets the raw value of a header decide, in whatever order it comes', () => {
    const key = [0x0a, 1, 0x78];
    const value = [0x12, 1, 0x31];
    const rawValue = [0x1a, 1, 0x32];
    for (const header of [
      [...key, ...value, ...rawValue],
      [...rawValue, ...value, ...key],
    ]) {
      const http = nested(0x6a, nested(0x0a, header));
      const message = nested(0x0a, nested(0x22, nested(0x12, http)));
      assert.equal(HttpRequest.parse(Buffer.from(message))?.headers.find('x'), '2');
    }
  });

  it('reads a message that lies inside a larger buffer', () => {
    const message = checkRequest({ path: '/inside', body: 'b' });
    const larger = Buffer.concat([Buffer.from('before'), message, Buffer.from('after')]);
    const request = HttpRequest.parse(new Uint8Array(larger.buffer, larger.byteOffset + 6, message.length));
    assert.equal(request?.path, '/inside');
    assert.equal(request.body.toString(), 'b');
  });

  it('takes the body as a view of the message, not as a copy', () => {
    const message = checkRequest({ body: 'body' });
    const body = HttpRequest.parse(message)?.body;
    assert.equal(body?.buffer, message.buffer);
  });

  for (const headerForm of headerForms) {
    for (const bodyForm of bodyForms) {
      it(`reads headers as ${headerForm} and the body as ${bodyForm}`, () => {
        const request = httpRequest({
          method: 'POST',
          path: '/orders?x=1',
          authority: 'api.example.com:443',
          protocol: 'HTTP/2',
          headers: [['X-One', '1']],
          body: 'text',
          endpoint: 'orders',
          headerForm,
          bodyForm,
        });
        assert.equal(request.method, 'POST');
        assert.equal(request.path, '/orders?x=1');
        assert.equal(request.authority, 'api.example.com:443');
        assert.equal(request.protocol, 'HTTP/2');
        assert.equal(request.headers.find('x-one'), '1');
        assert.equal(request.body.toString(), 'text');
        assert.equal(request.bodyLength, 4);
        assert.equal(request.declaredSize, 4);
        assert.equal(request.endpointExtension, 'orders');
        assert.equal(request.headers.isRaw, headerForm === 'raw');
      });
    }
  }

  it('lets raw headers and the raw body decide where both forms are there', () => {
    const message = checkRequestMessage({ path: '/raw', headers: [['x', 'raw']], body: 'raw' });
    const http = message.attributes?.request?.http;
    assert.ok(http);
    http.headers = new Map([
      [':path', '/map'],
      ['x', 'map'],
    ]);
    http.body = 'map';
    const request = HttpRequest.parse(CheckRequest.encode(message).finish());
    assert.ok(request);
    assert.deepEqual([request.path, request.headers.find('x'), request.body.toString()], ['/raw', 'raw', 'raw']);
  });

  it('finds header names without case and only whole', () => {
    const request = httpRequest({
      headers: [
        ['x-app-key', 'k'],
        ['x-app-keys', 'no'],
      ],
    });
    assert.equal(request.headers.find('x-app-key'), 'k');
    assert.equal(request.headers.find('x-app-ke'), null);
    assert.equal(request.headers.find('x-app-key\0'), null);
  });

  it('distinguishes an empty extension from an absent one', () => {
    assert.equal(httpRequest({ endpoint: '' }).endpointExtension, '');
    assert.equal(httpRequest().endpointExtension, null);
  });

  it('does not take another extension for the endpoint', () => {
    const message = checkRequestMessage();
    message.attributes?.contextExtensions.set('endpoints', 'a').set('Endpoint', 'b').set('', 'c').set('Body', 'd');
    const request = HttpRequest.parse(CheckRequest.encode(message).finish());
    assert.deepEqual([request?.endpointExtension, request?.isStreamed], [null, false]);
  });

  it('takes a negative size for one that no body has', () => {
    const request = httpRequest({ size: -1 });
    assert.ok(request.declaredSize > Number.MAX_SAFE_INTEGER);
  });

  it('never fails on arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (message) => {
        readEverything(HttpRequest.parse(message));
      }),
      { numRuns: 500 },
    );
  });

  it('never fails on real messages with some bytes changed', () => {
    const edit = fc.record({
      at: fc.nat(1000),
      remove: fc.nat(3),
      insert: fc.uint8Array({ maxLength: 3 }),
    });
    const parts = fc.record({ headerForm: fc.constantFrom(...headerForms), bodyForm: fc.constantFrom(...bodyForms) });
    fc.assert(
      fc.property(parts, fc.array(edit, { minLength: 1, maxLength: 4 }), (forms, edits) => {
        let message = checkRequest({ ...forms, headers: [['x-app-key', 'k']], body: 'body', endpoint: 'orders' });
        for (const { at, remove, insert } of edits) {
          const start = at % (message.length + 1);
          message = Buffer.concat([message.subarray(0, start), insert, message.subarray(start + remove)]);
        }
        readEverything(HttpRequest.parse(message));
      }),
      { numRuns: 600 },
    );
  });

  it('reads every message as the generated code does', () => {
    const header = fc.record({ key: name, value: text, rawValue: bytes });
    const http = fc.record(
      {
        id: text,
        method: text,
        path: text,
        host: text,
        protocol: text,
        query: text,
        size: fc.nat(),
        body: text,
        rawBody: bytes,
        headers: fc.uniqueArray(fc.tuple(name, text), { selector: ([key]) => key }).map((pairs) => new Map(pairs)),
        headerMap: fc.record({ headers: fc.array(header, { maxLength: 6 }) }),
      },
      { requiredKeys: [] },
    );
    const extensions = fc.dictionary(fc.constantFrom('endpoint', 'body', 'other', ''), text);
    const unknownFields = fc
      .array(fc.constantFrom(WireType.Varint, WireType.Bit64, WireType.LengthDelimited, WireType.Bit32), {
        maxLength: 3,
      })
      .map(encodeUnknownFields);
    fc.assert(
      fc.property(http, http, extensions, fc.boolean(), unknownFields, (first, last, context, repeats, unknown) => {
        // Two encodings one after the other are one message in which the fields of the second win. Its headers alone are
        // compared: the generated code keeps the last of two header maps, and of equal keys in a map.
        const parts = repeats
          ? [encodeHttp({ ...first, headerMap: undefined, headers: new Map() }), encodeHttp(last)]
          : [encodeHttp(last)];
        const message = encodeMessage(Buffer.concat([unknown, ...parts, unknown]), context, unknown);
        assertReadAlike(message);
      }),
      { numRuns: 300 },
    );
  });
});

/** A short length-delimited field. */
function nested(tag: number, content: readonly number[]): number[] {
  return [tag, content.length, ...content];
}

/** Calls whatever a stage may ask for. */
function readEverything(request: HttpRequest | null): void {
  if (request === null) return;
  assert.equal(typeof request.method, 'string');
  assert.equal(typeof request.path, 'string');
  assert.equal(typeof request.authority, 'string');
  assert.equal(typeof request.protocol, 'string');
  assert.equal(request.body.length, request.bodyLength);
  assert.ok(request.declaredSize >= 0);
  assert.notEqual(typeof request.peerAddress, 'undefined');
  assert.notEqual(typeof request.peerCertificate, 'undefined');
  for (const each of request.headers.namesWhere(() => true)) {
    request.headers.find(each.toLowerCase());
    request.headers.findSingle(each.toLowerCase());
    request.headers.valuesOf(each.toLowerCase());
  }
}

function assertReadAlike(message: Uint8Array): void {
  const request = HttpRequest.parse(message);
  assert.ok(request);
  const { attributes } = CheckRequest.decode(message);
  const http = attributes?.request?.http;
  assert.ok(http && attributes);
  const latin1 = (value: string): string => Buffer.from(value, 'utf8').toString('latin1');
  assert.equal(request.method, latin1(http.method));
  assert.equal(request.protocol, latin1(http.protocol));
  assert.equal(request.declaredSize, http.size);
  assert.deepEqual(request.body, http.rawBody.length > 0 ? Buffer.from(http.rawBody) : Buffer.from(http.body, 'utf8'));
  assert.equal(request.endpointExtension, mapText(attributes.contextExtensions.get('endpoint')));
  assert.equal(request.isStreamed, attributes.contextExtensions.has('body'));
  const headers = http.headerMap
    ? http.headerMap.headers.map(({ key, value, rawValue }): [string, string] => [
        key,
        rawValue.length > 0 ? Buffer.from(rawValue).toString('latin1') : latin1(value),
      ])
    : [...http.headers].map(([key, value]): [string, string] => [key, latin1(value)]);
  assert.equal(request.headers.isRaw, http.headerMap !== undefined);
  const names = request.headers.namesWhere(() => true);
  assert.deepEqual(new Set(names), new Set(headers.map(([key]) => key)));
  for (const each of new Set(names.map((key) => key.toLowerCase()))) {
    const values = headers.filter(([key]) => key.toLowerCase() === each).map(([, value]) => value);
    const found = request.headers.valuesOf(each);
    assert.deepEqual(http.headerMap ? found : [...found].sort(), http.headerMap ? values : values.sort());
    assert.equal(request.headers.find(each), found[0] ?? null);
    assert.equal(typeof request.headers.findSingle(each) === 'string', values.length === 1);
  }
}

function mapText(value: string | undefined): string | null {
  return value === undefined ? null : Buffer.from(value, 'utf8').toString('latin1');
}

type HttpParts = Partial<ReturnType<typeof AttributeContext_HttpRequest.create>>;

function encodeHttp(parts: HttpParts): Uint8Array {
  return AttributeContext_HttpRequest.encode({ ...AttributeContext_HttpRequest.create(), ...parts }).finish();
}

function encodeMessage(http: Uint8Array, context: Record<string, string>, unknown: Uint8Array): Uint8Array {
  const request = new BinaryWriter().raw(unknown).uint32(18).bytes(http).raw(unknown).finish();
  const attributes = new BinaryWriter().raw(unknown).uint32(34).bytes(request);
  for (const [key, value] of Object.entries(context)) {
    attributes.uint32(82).bytes(new BinaryWriter().uint32(10).string(key).uint32(18).string(value).finish());
  }
  return new BinaryWriter().raw(unknown).uint32(10).bytes(attributes.finish()).raw(unknown).finish();
}

/** Fields with numbers that Envoy does not use, one of each given wire type. */
function encodeUnknownFields(wireTypes: readonly WireType[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const type of wireTypes) {
    writer.tag(1000 + type, type);
    if (type === WireType.Varint) writer.uint64('18446744073709551615');
    else if (type === WireType.Bit64) writer.fixed64(7);
    else if (type === WireType.Bit32) writer.fixed32(7);
    else writer.bytes(Buffer.of(0x0a, 0x22, 0xff));
  }
  return writer.finish();
}
