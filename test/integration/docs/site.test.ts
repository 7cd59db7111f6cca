import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Page } from 'playwright-core';
import { useBrowser } from '../../support/console/use-browser.ts';
import { projectRoot } from '../../support/docs/documents.ts';
import { writeTree } from '../../support/docs/write-tree.ts';

const base = '/book/';
const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10" width="10" height="10">
<style>rect { fill: #fff } @media (prefers-color-scheme: dark) { rect { fill: #000 } }</style>
<rect width="10" height="10"/></svg>`;
const project = {
  'docs/README.md': '# The book\n\n## Begin\n\n[Start](start.md)\n',
  'docs/start.md':
    '# Start here\n\nTake `{{date}}` and the [file](../config.yaml).\n\n## §4.2 A wombat\n\n[up](#42-a-wombat)\n',
  'docs/picture.md': '# Picture\n\n![black or white](a.svg)\n',
  'docs/a.svg': picture,
  'config.yaml': 'a: 1\n',
};

/** Runs `npm run docs` for a project of its own, and gives its exit code and what it wrote. */
async function build(root: string): Promise<{ readonly code: number; readonly out: string; readonly text: string }> {
  const out = join(root, 'site');
  const args = [join(projectRoot, 'scripts/docs.mjs'), '--root', root, '--out', out, '--base', base];
  return await new Promise((resolve) => {
    const child = execFile(process.execPath, args, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, out, text: `${stdout}${stderr}` });
    });
  });
}

/** Serves a folder of files below `base`, as any server of files does. */
async function serve(folder: string): Promise<AsyncDisposable & { readonly url: string }> {
  const types: Readonly<Record<string, string>> = {
    html: 'text/html; charset=utf-8',
    js: 'text/javascript',
    css: 'text/css',
    svg: 'image/svg+xml',
    txt: 'text/plain',
  };
  const server = createServer(({ url = '' }, response) => {
    const path = decodeURIComponent(new URL(url, 'http://localhost').pathname);
    const file = path.startsWith(base) ? path.slice(base.length) || 'index.html' : 'none';
    readFile(join(folder, file)).then(
      (bytes) => response.setHeader('content-type', types[file.split('.').at(-1) ?? ''] ?? 'text/plain').end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}${base}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('the site of the documents', () => {
  const browser = useBrowser();

  it('is read and searched in a browser without a request to another host', async () => {
    await using tree = await writeTree(project);
    const { code, out, text } = await build(tree.path);
    assert.equal(code, 0, text);
    assert.match(text, /^3 pages, 2 files that they link to: /m);
    await using server = await serve(out);
    const page = await browser().newPage({ colorScheme: 'light' });
    try {
      const requests: string[] = [];
      const errors: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      page.on('pageerror', (error) => errors.push(error.message));
      await page.goto(server.url);
      await page.locator('.VPSidebar').getByRole('link', { name: 'Start' }).click();
      await page.getByRole('heading', { name: 'Start here' }).waitFor();
      assert.match(await page.locator('.vp-doc').innerText(), /Take \{\{date\}\} and the file/);
      assert.equal(await page.title(), 'Start here | Postern');

      await page.getByRole('button', { name: 'Search' }).click();
      await page.locator('.VPLocalSearchBox input').fill('wombat');
      await page.locator('.VPLocalSearchBox .result').first().click();
      await page.waitForURL(`${server.url}start.html#42-a-wombat`);

      await page.goto(`${server.url}picture.html`);
      assert.equal(await redOfPicture(page), 255);
      await page.locator('.VPNavBarAppearance button').click();
      assert.equal(await redOfPicture(page), 0);

      assert.deepEqual(errors, []);
      assert.deepEqual(
        requests.filter((url) => !url.startsWith(new URL(server.url).origin) && !url.startsWith('data:')),
        [],
      );
      const file = await fetch(`${server.url}repository/config.yaml.txt`);
      assert.equal(await file.text(), 'a: 1\n');
    } finally {
      await page.close();
    }
  });

  it('is refused with a link to a heading that is not there', async () => {
    await using tree = await writeTree({ ...project, 'docs/start.md': '# Start\n\n[no](README.md#no)\n' });
    const { code, text } = await build(tree.path);
    assert.equal(code, 1, text);
    assert.match(text, /^start\.html: \.\/#no leads to no heading$/m);
  });
});

/** How red one pixel of the page's picture is, as the browser shows it: 0 to 255. */
async function redOfPicture(page: Page): Promise<number> {
  const png = await page.locator('.vp-doc img').screenshot();
  return await page.evaluate<number>(`(async () => {
    const shown = await (await fetch('data:image/png;base64,${png.toString('base64')}')).blob();
    const image = await createImageBitmap(shown);
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(5, 5, 1, 1).data[0];
  })()`);
}
