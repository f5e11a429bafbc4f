import type { TestProject } from 'vitest/node';
import { FULL } from './full-options.ts';
import { type Packaged, packageService } from './serverless.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder that holds the packaged service. */
    packageFolder: string;
    /** The same with two nodes and every option there is. */
    fullPackageFolder: string;
  }
}

let packaged: Packaged | undefined;
let full: Packaged | undefined;

/** Packages once for all files of the deploy tier; packaging bundles. */
export function setup(project: TestProject): void {
  packaged = packageService();
  project.provide('packageFolder', packaged.folder);
  full = packageService(...FULL);
  project.provide('fullPackageFolder', full.folder);
}

export function teardown(): void {
  packaged?.remove();
  full?.remove();
}
