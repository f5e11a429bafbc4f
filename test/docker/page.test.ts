import { spawnSync } from 'node:child_process';
import { mkdir, stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserPage, hasChromium, openPage } from '../support/chromium.ts';
import { hasKubectl } from '../support/kubectl.ts';
import { buildBundles, type RunningCloud, startLocalCloud } from '../support/local-cloud.ts';

const screenshots = '.build/screenshots';

describe.skipIf(!hasChromium() || !hasKubectl())('the page of the local cloud, in a browser', () => {
  let cloud: RunningCloud;
  let page: BrowserPage;

  beforeAll(async () => {
    await buildBundles();
    await mkdir(screenshots, { recursive: true });
    cloud = await startLocalCloud();
    page = await openPage(cloud.page);
  });

  afterAll(async () => {
    await page.close();
    expect(await cloud.stop()).toBe(0);
  });

  const textOf = (selector: string): string => `document.querySelector(${JSON.stringify(selector)})?.textContent`;

  it('shows the node Ready with a lease that is renewed', async () => {
    await page.shows(`${textOf('[data-node=fargate]')}?.includes('Ready')`);
    expect(await page.evaluate(textOf('[data-node=fargate] .lease'))).toMatch(/^lease \d{1,2} s old$/);
    expect(await page.evaluate(textOf('#connection'))).toBe('live');
    expect(await page.evaluate(textOf('#runtime'))).toMatch(/^process: /);
  });

  it('shows a pod, its task on the time line and its log as they come, by itself', async () => {
    await cloud.kubectl('apply', '-f', 'examples/hello.yaml');
    await page.shows(`${textOf('[data-pod="default/hello"] .good')} === 'Running'`);
    await page.shows(`document.querySelector('[data-pod="default/hello"] .track .running')?.clientWidth > 0`);
    await page.evaluate(`document.querySelector('[data-pod="default/hello"] .track').click()`);
    await page.shows(`${textOf('#log')}?.includes('hello from hello on fargate')`);
    await page.shows(`/tick [3-9]/.test(${textOf('#log')})`);
    await page.shows(`${textOf('#events')}?.includes('Started')`);
    await page.screenshot(`${screenshots}/local-page.png`);
    expect((await stat(`${screenshots}/local-page.png`)).size).toBeGreaterThan(20_000);
  });

  it('keeps the task of a pod that is gone, by its name', async () => {
    await cloud.kubectl('delete', 'pod', 'hello', '--timeout=60s');
    await page.shows(`${textOf('[data-pod="default/hello"] .wait')} === 'gone'`);
    expect(await page.evaluate(textOf('[data-pod="default/hello"] .track b'))).toMatch(/^(STOPPED|DEPROVISIONING)/);
  });

  it('shows text of the cluster as text', async () => {
    const message = '<img src=x onerror="document.title=1">';
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'markup', namespace: 'default' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'nobody' },
      reason: 'Markup',
      type: 'Warning',
      message,
      lastTimestamp: new Date().toISOString(),
    };
    const { status, stderr } = spawnSync('kubectl', ['--kubeconfig', cloud.kubeconfig, 'create', '-f', '-'], {
      input: JSON.stringify(event),
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    await page.shows(`${textOf('#events')}?.includes(${JSON.stringify(message)})`);
    expect(await page.evaluate('document.images.length')).toBe(0);
  });

  it('complains of nothing and loads nothing from elsewhere', async () => {
    const names = await page.evaluate(
      `[...new Set(performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin))]`,
    );
    expect(names).toEqual([new URL(cloud.page).origin]);
    expect(page.complaints).toEqual([]);
  });
});
