import assert from 'node:assert/strict';
import {
  isMessage,
  loadOwnDefinitions,
  loadUpstreamDefinitions,
  methodOf,
} from '../../support/grpc/upstream-messages.ts';

interface Field {
  readonly name: string;
  readonly number: number;
  readonly label: string;
  readonly type: string;
  readonly typeName: string;
}
interface EnumValue {
  readonly name: string;
  readonly number: number;
}
interface Message {
  readonly name: string;
  readonly field: readonly Field[];
  readonly nestedType: readonly Message[];
  readonly enumType: readonly { readonly name: string; readonly value: readonly EnumValue[] }[];
}

const own = loadOwnDefinitions();
const upstream = loadUpstreamDefinitions();

describe('our own message definitions', () => {
  const messages = Object.entries(own).filter(([, definition]) => isMessage(definition));

  it('are all compared', () => {
    assert.ok(messages.length >= 15);
  });

  for (const [name, definition] of messages) {
    it(`have the fields of upstream's ${name}`, () => {
      const theirs = upstream[name];
      assert.ok(theirs !== undefined && isMessage(theirs), `upstream has no message ${name}`);
      assertSameFields((definition as { type: Message }).type, (theirs as unknown as { type: Message }).type, name);
    });
  }

  for (const [name, definition] of Object.entries(own)) {
    if ('format' in definition) continue;
    it(`have the methods of upstream's service ${name}`, () => {
      for (const [method, ours] of Object.entries(definition)) {
        const theirs = methodOf(upstream, name, method);
        assert.equal(ours.path, theirs.path);
        assert.equal(ours.requestStream, theirs.requestStream);
        assert.equal(ours.responseStream, theirs.responseStream);
      }
    });
  }
});

function assertSameFields(ours: Message, theirs: Message, path: string): void {
  for (const { name, number, label, type, typeName } of ours.field) {
    const field = theirs.field.find((each) => each.name === name);
    assert.ok(field, `upstream's ${path} has no field ${name}`);
    assert.deepEqual(
      { number, label, ...kindOf(type, typeName) },
      { number: field.number, label: field.label, ...kindOf(field.type, type === 'TYPE_INT32' ? '' : field.typeName) },
      `${path}.${name}`,
    );
  }
  for (const ourEnum of ours.enumType) {
    const theirEnum = theirs.enumType.find(({ name }) => name === ourEnum.name);
    assert.ok(theirEnum, `upstream's ${path} has no enum ${ourEnum.name}`);
    for (const { name, number } of ourEnum.value) {
      assert.equal(theirEnum.value.find((each) => each.name === name)?.number, number, `${path}.${name}`);
    }
  }
  for (const nested of ours.nestedType) {
    const theirNested = theirs.nestedType.find(({ name }) => name === nested.name);
    assert.ok(theirNested, `upstream's ${path} has no message ${nested.name}`);
    assertSameFields(nested, theirNested, `${path}.${nested.name}`);
  }
}

/** An enum and an `int32` are the same on the wire. */
function kindOf(type: string, typeName: string): { readonly type: string; readonly typeName: string } {
  const isNumber = type === 'TYPE_INT32' || type === 'TYPE_ENUM';
  return { type: isNumber ? 'enum or int32' : type, typeName: typeName.slice(typeName.lastIndexOf('.') + 1) };
}
