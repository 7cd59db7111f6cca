// Chromium without a window, with the fonts and libraries that it needs, out of packages of the Debian that this machine
// runs, unpacked beside a script that starts it with them. It sees no fonts of the machine, so pages look alike everywhere.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadPackages, requireApt, unpackPackages } from './apt.mjs';
import { InstallFailure } from './failure.mjs';
import { setLibraryPath } from './unpacked-program.mjs';

/** Tools for desktops, which a browser without a window does not call. */
const skip = /^(?:xdg-utils|x11-utils)=/;

const program = 'usr/lib/chromium/chromium-headless-shell';

const starter = `#!/bin/sh
home=$(dirname -- "$(readlink -f -- "$0")")
${setLibraryPath('$home')}
LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$(echo "$home"/usr/lib/*-linux-gnu*/pulseaudio)
FONTCONFIG_FILE=$home/fonts.conf
export LD_LIBRARY_PATH FONTCONFIG_FILE
exec "$home/${program}" "$@"
`;

const fonts = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir prefix="relative">usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <alias><family>sans-serif</family><prefer><family>DejaVu Sans</family></prefer></alias>
  <alias><family>serif</family><prefer><family>DejaVu Serif</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`;

/**
 * Downloads the packages of a service and what they need and the machine lacks, and unpacks them below `staging`, with
 * the script `chromium`.
 *
 * @returns the directory to keep and the path of the program in it
 */
export async function unpackChromium(service, staging, { signal, onProgress }) {
  await requireApt(service, signal);
  onProgress({ phase: 'downloading' });
  // Its own packages are unpacked even when the machine has them: it finds its data beside itself, and fonts in one folder.
  const { packages } = service.source;
  const withMissing = { skip, always: packages };
  const files = await downloadPackages(service, packages, staging, { signal, withMissing });
  onProgress({ phase: 'unpacking' });
  const directory = join(staging, 'unpacked');
  await unpackPackages(service, files, directory, { signal });
  const found = await readdir(join(directory, 'usr/lib/chromium')).catch(() => []);
  if (!found.includes('chromium-headless-shell')) {
    throw new InstallFailure(
      `${service.title} could not be installed: its packages hold no browser where it is expected.`,
      [...service.byHand],
    );
  }
  await writeFile(join(directory, 'fonts.conf'), fonts);
  await writeFile(join(directory, 'chromium'), starter);
  return { directory, program: 'chromium' };
}
