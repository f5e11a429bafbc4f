import { runLabel } from '../../../infra/local/runtimes/docker/ownership.ts';
import { engine } from './engine.ts';

/** Names of everything in the engine that carries our label; of one run, or of all. */
export const leftovers = async (run?: string): Promise<readonly string[]> => {
  const filters = JSON.stringify({ label: [run === undefined ? runLabel : `${runLabel}=${run}`] });
  const list = async (path: string, query: Record<string, string> = {}): Promise<unknown> =>
    engine().call('GET', path, { query: { ...query, filters } });
  const containers = (await list('/containers/json', { all: '1' })) as { readonly Names: readonly string[] }[];
  const volumes = (await list('/volumes')) as { readonly Volumes: readonly { readonly Name: string }[] | null };
  const networks = (await list('/networks')) as { readonly Name: string }[];
  const images = (await list('/images/json')) as { readonly RepoTags: readonly string[] }[];
  return [
    ...containers.flatMap(({ Names }) => Names.map((name) => `container ${name}`)),
    ...(volumes.Volumes ?? []).map(({ Name }) => `volume ${Name}`),
    ...networks.map(({ Name }) => `network ${Name}`),
    ...images.flatMap(({ RepoTags }) => RepoTags.map((tag) => `image ${tag}`)),
  ];
};

/** Their kinds alone, in this order: container, volume, network, image. */
export const leftoverKinds = async (run: string): Promise<readonly string[]> =>
  (await leftovers(run)).map((name) => name.split(' ')[0] ?? '');
