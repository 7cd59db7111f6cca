import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { MemoryApi } from '../../../support/api/memory-api.ts';

type Data = Readonly<Record<string, unknown>>;

const example = new URL('../../../../examples/terraform/', import.meta.url);

/** The objects of the example, in the order in which they depend on each other. */
const objects = ['endpoints', 'consumers', 'grants'].flatMap((kind) =>
  readdirSync(new URL(`${kind}/`, example)).map((file) => ({
    path: `/v1/${kind}`,
    file: `${kind}/${file}`,
    data: JSON.parse(readFileSync(new URL(`${kind}/${file}`, example), 'utf8')) as Data,
  })),
);

/** What the provider sends with every request: `headers` of main.tf. */
const headers = { 'if-match': '*', 'content-type': 'application/json' };

/** What `update_data` leaves out: a PATCH renames nothing. */
const names = ['id', 'endpoint', 'consumer'];

describe('the Terraform example', () => {
  let api: MemoryApi;
  beforeEach(async () => {
    api = new MemoryApi();
    await api.add('terraform', 'admin');
  });

  it('makes objects that are read back as they are configured, changes and removes them', async () => {
    const made: { readonly id: string; readonly path: string }[] = [];
    for (const { path, file, data } of objects) {
      const created = await api.done('terraform', 'POST', path, { body: data, headers });
      const id = String(created.body['id']);
      const read = await api.done('terraform', 'GET', `${path}/${id}`, { headers });
      const configured = Object.fromEntries(Object.keys(data).map((name) => [name, read.body[name]]));
      assert.deepEqual(configured, data, `${file} would differ from the server at once`);
      const patch = Object.fromEntries(Object.entries(data).filter(([name]) => !names.includes(name)));
      const again = await api.done('terraform', 'PATCH', `${path}/${id}`, { body: patch, headers });
      assert.deepEqual(again.body['changes'], [], `${file} is not changed by what it is`);
      made.push({ id, path });
    }
    const [endpoint] = made;
    const patch = { accessCondition: 'authenticated' };
    await api.done('terraform', 'PATCH', `${endpoint?.path ?? ''}/${endpoint?.id ?? ''}`, { body: patch, headers });
    for (const { path, id } of made.toReversed()) {
      await api.done('terraform', 'DELETE', `${path}/${id}`, { headers });
      await api.refused('NOT_FOUND', 'terraform', 'GET', `${path}/${id}`, { headers });
    }
  });

  it('configures the provider as those requests need it', () => {
    const configuration = readFileSync(new URL('main.tf', example), 'utf8');
    for (const setting of ['id_attribute          = "id"', 'update_method         = "PATCH"', '"If-Match"     = "*"']) {
      assert.ok(configuration.includes(setting), setting);
    }
  });
});
