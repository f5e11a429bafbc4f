import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = process.env['SVK_CHROMIUM'] ?? 'chromium';

/** Whether Chromium is on the PATH. Where CI runs it must be: a test that can't run there is a failure. */
export const hasChromium = (): boolean => {
  const found = spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
  if (!found && process.env['CI'] === 'true') throw new Error(`${program} is not on the PATH: install it`);
  if (!found) console.warn(`${program} is not on the PATH: tests that look at a page are skipped`);
  return found;
};

/** One page in a headless Chromium. */
export interface BrowserPage {
  /** The value of an expression in the page; a promise is waited for. */
  evaluate(expression: string): Promise<unknown>;
  /** Waits until the expression is true. */
  shows(expression: string): Promise<void>;
  /** Everything the page has complained about, broken content rules included. */
  readonly complaints: readonly string[];
  screenshot(path: string): Promise<void>;
  close(): Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** Opens the address in a browser of its own, of that size. */
export const openPage = async (url: string, width = 1280, height = 900): Promise<BrowserPage> => {
  const profile = await mkdtemp(join(tmpdir(), 'svk-chromium-'));
  const child = spawn(
    program,
    [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      `--window-size=${width},${height}`,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const socket = new WebSocket(await pageSocketOf(child));
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', () => reject(new Error('Chromium does not answer')), { once: true });
  });
  const waiting = new Map<number, (message: Message) => void>();
  const complaints: string[] = [];
  let calls = 0;
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    if (message.method === 'Runtime.exceptionThrown' || message.method === 'Log.entryAdded') {
      complaints.push(JSON.stringify(message.params));
    }
  });
  const call = async (method: string, params: object = {}): Promise<Record<string, unknown>> => {
    calls += 1;
    const id = calls;
    socket.send(JSON.stringify({ id, method, params }));
    const { result = {}, error } = await new Promise<Message>((resolve) => waiting.set(id, resolve));
    waiting.delete(id);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  for (const domain of ['Page', 'Runtime', 'Log']) await call(`${domain}.enable`);
  await call('Page.navigate', { url });

  const evaluate = async (expression: string): Promise<unknown> => {
    const answer = await call('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (answer['exceptionDetails']) throw new Error(JSON.stringify(answer['exceptionDetails']));
    return (answer['result'] as { readonly value?: unknown }).value;
  };
  return {
    evaluate,
    complaints,
    shows: async (expression) => {
      const end = Date.now() + 60_000;
      while ((await evaluate(`Boolean(${expression})`)) !== true) {
        if (Date.now() > end) throw new Error(`the page does not come to show ${expression}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    screenshot: async (path) => {
      const { data } = await call('Page.captureScreenshot', { format: 'png' });
      await writeFile(path, Buffer.from(String(data), 'base64'));
    },
    close: async () => {
      socket.close();
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await exited;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

/** Where the browser's only page takes commands (Chrome DevTools Protocol). */
const pageSocketOf = async ({ stderr }: ChildProcess): Promise<string> => {
  if (!stderr) throw new Error('no stderr');
  let text = '';
  for await (const chunk of stderr as AsyncIterable<Buffer>) {
    text += chunk.toString();
    const [, port] = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(text) ?? [];
    if (port === undefined) continue;
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
      readonly type: string;
      readonly webSocketDebuggerUrl: string;
    }[];
    const page = targets.find(({ type }) => type === 'page');
    if (page) return page.webSocketDebuggerUrl;
  }
  throw new Error(`Chromium ended: ${text}`);
};
