// A provider for `svk run --provider web`: runs each pod as a process of this machine, without its image.
// Start it with a secret of your own: TOKEN=... PORT=8080 node server.mjs
import { spawn } from 'node:child_process';
import { hash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import { json } from 'node:stream/consumers';

const { TOKEN = randomUUID(), PORT = '8080' } = process.env;
const preparations = new Map(); // what a launch may name; it holds secrets, so a launch holds its digest only
const runs = []; // { workload, child, lines }
const watchers = new Set();
const find = (id) => runs.find(({ workload }) => workload.id === id);
const only = (matches) => ({ workloads: runs.map(({ workload }) => workload).filter(matches) });
const change = ({ workload }, news, container = {}) => {
  Object.assign(workload.containers[0], container);
  Object.assign(workload, news, { version: workload.version + 1 });
  for (const watcher of watchers) watcher.write(`${JSON.stringify(workload)}\n`);
};

const start = (token, { container: { name, image }, env, words: [program, ...args] }) => {
  const variables = Object.fromEntries(env.map((one) => [one.name, one.value]));
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...variables } });
  const container = { name, image, state: 'waiting' };
  const state = { version: 1, phase: 'starting', stopping: false, ips: [], createdAt: Date.now() };
  const run = { workload: { id: randomUUID(), ...token, ...state, containers: [container] }, child, lines: [] };
  for (const input of [child.stdout, child.stderr].filter(Boolean))
    createInterface({ input }).on('line', (text) => child.emit('line', { at: Date.now(), text }));
  child.on('line', (line) => run.lines.push(line));
  const running = { phase: 'running', ips: ['127.0.0.1'] };
  child.on('spawn', () => change(run, { ...running, startedAt: Date.now() }, { state: 'running' }));
  child.on('error', ({ message }) => Object.assign(container, { reason: 'StartError', message }));
  child.on('close', (code, signal) => {
    const exitCode = container.reason ? 128 : (code ?? 128 + constants.signals[signal]);
    const { end = { kind: 'exited', reason: 'Exited', message: 'its process has ended' } } = run.workload;
    change(run, { phase: 'stopped', stopping: true, endedAt: Date.now(), end }, { state: 'terminated', exitCode });
  });
  runs.push(run);
  return run;
};

const routes = {
  'GET ping': () => ({}),
  'POST prepare': ({ pod, environment }) => {
    const [container, ...others] = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
    const { env = [], command = [], args = [] } = environment[container.name] ?? {};
    const problems = others.map(({ name }) => ({ field: 'spec', message: `remove ${name}: there is one process` }));
    if (!command.length) problems.push({ field: 'spec.containers[0].command', message: 'name a program to run' });
    const words = [...command, ...args].map(({ value }) => value);
    const preparation = hash('sha256', JSON.stringify([pod, words, env]));
    preparations.set(preparation, { container, env, words });
    return problems.length ? { ok: false, problems } : { ok: true, preparation };
  },
  'POST launch': ({ token, preparation }) => {
    const key = (one) => JSON.stringify([one.podUid, one.attempt, one.try]);
    const prepared = preparations.get(preparation);
    const earlier = runs.find(({ workload }) => key(workload) === key(token)); // a launch that is repeated
    const run = earlier ?? (prepared && start(token, prepared));
    if (run) return { kind: 'started', workload: run.workload };
    return { kind: 'refused', cause: 'throttled', final: true, message: 'restarted meanwhile: prepare the pod again' };
  },
  'POST describe': ({ ids }) => ({ ...only(({ id }) => ids.includes(id)), missing: ids.filter((id) => !find(id)) }),
  'GET workloads': ({ podUid, stopped }) =>
    only((one) => (podUid ? one.podUid === podUid : stopped === 'true' || one.phase !== 'stopped')),
  'POST stop': ({ id, graceSeconds, reason: message }) => {
    const run = find(id);
    if (!run || run.workload.stopping) return {};
    change(run, { phase: 'stopping', stopping: true, end: { kind: 'requested', reason: 'Requested', message } });
    run.child.kill('SIGTERM');
    setTimeout(() => run.child.kill('SIGKILL'), graceSeconds * 1000).unref();
    return {};
  },
  'GET logs': ({ id, follow, timestamps, sinceTime, tailLines }, response) => {
    const { workload, child, lines } = find(id) ?? {};
    if (!workload || workload.phase === 'starting') return void response.writeHead(404).end();
    const stamp = ({ at }) => (timestamps === 'true' ? `${new Date(at).toISOString()} ` : '');
    const show = (line) => response.write(`${stamp(line)}${line.text}\n`);
    const wanted = lines.filter(({ at }) => !(at < Date.parse(sinceTime)));
    wanted.slice(Math.max(0, wanted.length - (tailLines ?? wanted.length))).forEach(show);
    if (follow !== 'true' || workload.phase === 'stopped') return void response.end();
    child.on('line', show).on('close', () => response.end());
  },
  'GET watch': (_query, response) => {
    for (const { workload } of runs) response.write(`${JSON.stringify(workload)}\n`);
    response.flushHeaders();
    watchers.add(response.on('close', () => watchers.delete(response)));
  },
};

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://127.0.0.1');
  const route = routes[`${request.method} ${pathname.replace('/v1/', '')}`];
  const isKnown = request.headers.authorization === `Bearer ${TOKEN}`;
  if (!isKnown || !route) return response.writeHead(isKnown ? 404 : 401).end();
  const answer = route(request.method === 'POST' ? await json(request) : Object.fromEntries(searchParams), response);
  if (answer) response.end(JSON.stringify(answer));
});
server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
