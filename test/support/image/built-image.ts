import { buildImage } from '../../../scripts/image/build.mjs';
import { makeBaseImages } from '../../../scripts/image/local-base.mjs';

/** The name under which tests build the image of this working tree. */
export const testImage = 'postern-test:current';

/**
 * Builds it on base images that are made here, or on those of IMAGE_BUILD and IMAGE_RUN. Steps that are the same are
 * not run again.
 */
export async function buildTestImage(): Promise<string> {
  const { IMAGE_BUILD: buildWith, IMAGE_RUN: runOn } = process.env;
  const base = buildWith === undefined || runOn === undefined ? await makeBaseImages() : null;
  await buildImage({
    tags: [testImage],
    buildImage: buildWith ?? base?.buildImage,
    runImage: runOn ?? base?.runImage,
  });
  return testImage;
}
