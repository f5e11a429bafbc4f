/**
 * A plugin of the Serverless Framework: gives `serverless offline start` what it lacks, so that the functions of
 * serverless.yml keep a virtual node alive and run its pods on this machine.
 */
import { LocalCloud } from './cloud/local-cloud.ts';
import { optionsFrom } from './cloud/options.ts';
import type { StartMessage } from './cloud/run-serverless.ts';
import type { Service } from './cloud/service.ts';

// The framework loads a plugin by its default export.
export default class LocalCloudPlugin {
  readonly hooks: Readonly<Record<string, () => Promise<void>>>;
  readonly #service: Service;
  #cloud: LocalCloud | undefined;

  constructor(serverless: { readonly service: Service }) {
    this.#service = serverless.service;
    // A parent that was killed can't ask us to end.
    process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
    // The listener alone must not keep a run alive that has failed.
    process.channel?.unref();
    this.hooks = {
      'before:offline:start:init': () => this.#begin(),
      'after:offline:start:init': () => this.#join(),
      'before:offline:start:end': () => this.#end(),
    };
  }

  async #begin(): Promise<void> {
    try {
      this.#cloud = await LocalCloud.start(this.#service, optionsFrom(process.env));
    } catch (error) {
      await this.#fail(error);
    }
  }

  async #join(): Promise<void> {
    try {
      const lines = (await this.#cloud?.join()) ?? [];
      tell({ kind: 'ready', lines });
    } catch (error) {
      await this.#fail(error);
    }
  }

  async #end(): Promise<void> {
    await this.#cloud?.close();
  }

  async #fail(error: unknown): Promise<never> {
    tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    console.error(error);
    await this.#cloud?.close();
    process.exit(1);
  }
}

/** To `npm start` where it is our parent, else to the terminal. */
const tell = (message: StartMessage): void => {
  if (process.send) process.send(message);
  else console.log(message.kind === 'ready' ? message.lines.join('\n') : message.message);
};
