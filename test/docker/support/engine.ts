import { engineAddress } from '../../../infra/local/runtimes/docker/engine-address.ts';
import { EngineClient } from '../../../infra/local/runtimes/docker/engine-client.ts';
import { messageOf } from '../../../infra/local/runtimes/docker/engine-error.ts';

/** Where the engine of these tests listens: `DOCKER_HOST`, else Docker's own socket. */
export const address = engineAddress(process.env['DOCKER_HOST']);

/** Undefined where none answers. Where CI runs one must: a test that can't run there is a failure. */
const connect = async (): Promise<EngineClient | undefined> => {
  try {
    return await EngineClient.connect(address);
  } catch (error) {
    if (process.env['CI'] === 'true') throw new Error('the docker tier needs a container engine', { cause: error });
    console.warn(`tests with real containers are skipped: ${messageOf(error)}`);
    return undefined;
  }
};

const client = await connect();

export const hasEngine = client !== undefined;

/** @throws where {@link hasEngine} is false. */
export const engine = (): EngineClient => {
  if (!client) throw new Error('no container engine answers');
  return client;
};
