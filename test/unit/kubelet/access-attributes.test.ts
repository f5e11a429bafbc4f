import { describe, expect, it } from 'vitest';
import { accessAttributesOf } from '../../../src/kubelet/access-attributes.ts';
import { parseRoute } from '../../../src/kubelet/route.ts';

const attributes = (caller: 'certificate' | 'token', method: string, path: string): unknown =>
  accessAttributesOf({ method, path }, parseRoute(path), caller, 'vk-a').map(
    ({ verb, resource, subresource, namespace, name }) =>
      `${verb} ${namespace === undefined ? '' : `${namespace}/`}${resource}/${subresource} ${name}`,
  );

describe('access attributes', () => {
  it.each([
    { method: 'GET', path: '/pods', wanted: ['get nodes/pods vk-a', 'get nodes/proxy vk-a'] },
    { method: 'GET', path: '/pods/', wanted: ['get nodes/pods vk-a', 'get nodes/proxy vk-a'] },
    { method: 'GET', path: '/runningpods/', wanted: ['get nodes/pods vk-a', 'get nodes/proxy vk-a'] },
    { method: 'GET', path: '/healthz/ping', wanted: ['get nodes/healthz vk-a', 'get nodes/proxy vk-a'] },
    { method: 'GET', path: '/configz', wanted: ['get nodes/configz vk-a', 'get nodes/proxy vk-a'] },
    { method: 'GET', path: '/statusz', wanted: ['get nodes/statusz vk-a', 'get nodes/proxy vk-a'] },
    { method: 'GET', path: '/stats/summary', wanted: ['get nodes/stats vk-a'] },
    { method: 'GET', path: '/metrics', wanted: ['get nodes/metrics vk-a'] },
    { method: 'GET', path: '/metrics/resource', wanted: ['get nodes/metrics vk-a'] },
    { method: 'GET', path: '/logs/messages', wanted: ['get nodes/log vk-a'] },
    { method: 'POST', path: '/checkpoint/ns/web/app', wanted: ['create nodes/checkpoint vk-a'] },
    { method: 'PUT', path: '/nothing', wanted: ['update nodes/proxy vk-a'] },
    { method: 'PATCH', path: '/nothing', wanted: ['patch nodes/proxy vk-a'] },
    { method: 'DELETE', path: '/nothing', wanted: ['delete nodes/proxy vk-a'] },
    { method: 'HEAD', path: '/pods', wanted: ['head nodes/pods vk-a', 'head nodes/proxy vk-a'] },
    { method: 'GET', path: '/podsecurity', wanted: ['get nodes/proxy vk-a'] },
    { method: 'GET', path: '/%zz', wanted: ['get nodes/proxy vk-a'] },
  ])('any caller of $method $path needs $wanted', ({ method, path, wanted }) => {
    expect(attributes('certificate', method, path)).toEqual(wanted);
    expect(attributes('token', method, path)).toEqual(wanted);
  });

  it.each([
    { method: 'GET', path: '/containerLogs/ns/web/app', node: 'get nodes/proxy vk-a', pod: 'get ns/pods/log web' },
    { method: 'GET', path: '/exec/ns/web/app', node: 'create nodes/proxy vk-a', pod: 'create ns/pods/exec web' },
    { method: 'POST', path: '/exec/ns/web/app', node: 'create nodes/proxy vk-a', pod: 'create ns/pods/exec web' },
    { method: 'POST', path: '/run/ns/web/app', node: 'create nodes/proxy vk-a', pod: 'create ns/pods/exec web' },
    { method: 'GET', path: '/attach/ns/web/app', node: 'create nodes/proxy vk-a', pod: 'create ns/pods/attach web' },
    {
      method: 'GET',
      path: '/portForward/ns/web',
      node: 'create nodes/proxy vk-a',
      pod: 'create ns/pods/portforward web',
    },
  ])('$method $path needs $node by certificate and $pod by token', ({ method, path, node, pod }) => {
    expect(attributes('certificate', method, path)).toEqual([node]);
    expect(attributes('token', method, path)).toEqual([pod]);
  });

  it('reads a path as the router does, so that no spelling of one is judged as another', () => {
    expect(attributes('certificate', 'GET', '/%65xec/ns/web/app')).toEqual(['create nodes/proxy vk-a']);
    expect(attributes('token', 'GET', '/exec%2Fns%2Fweb%2Fapp')).toEqual(['create ns/pods/exec web']);
    expect(attributes('certificate', 'GET', '/metrics/../exec/ns/web/app')).toEqual(['get nodes/metrics vk-a']);
  });
});
