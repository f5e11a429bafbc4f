import type { TestProject } from 'vitest/node';
import { build, type Packaged, packageService } from './serverless.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder that holds the packaged service. */
    packageFolder: string;
  }
}

let packaged: Packaged | undefined;

/** Builds and packages once for all files of the deploy tier. */
export function setup(project: TestProject): void {
  build();
  packaged = packageService();
  project.provide('packageFolder', packaged.folder);
}

export function teardown(): void {
  packaged?.remove();
}
