// Who may import whom. Each rule has a planted breach in test/unit/tooling/import-rules.test.ts.
// TypeScript 7 has no compiler API that dependency-cruiser could use, hence `parser: 'swc'`: without it no module is
// found and the check passes on anything.

/** @param {string} name @param {string} comment @param {string} from @param {object} to */
const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from: { path: from }, to });

const OURS = '^(src|functions|infra|test|scripts)/';
const SDK = '(^|/)node_modules/(@aws-sdk|@smithy|@kubernetes)/';
const onlyFrom = (...folders) => ({ path: OURS, pathNot: `^src/(${folders.join('|')})/` });

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'A cycle has no reading order.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'not-to-unresolvable',
      comment: 'A module that is not there (or not in package.json).',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    rule('core-imports-nothing', 'core stands alone', '^src/core/', onlyFrom('core')),
    rule('model-knows-core-only', 'model is words', '^src/model/', onlyFrom('core', 'model')),
    rule('ports-know-model-only', 'ports are types', '^src/ports/', onlyFrom('core', 'model', 'ports')),
    rule(
      'controllers-know-ports-only',
      'the rules of the node and the pod must not know any system',
      '^src/controllers/',
      onlyFrom('core', 'model', 'ports', 'controllers'),
    ),
    rule(
      'kubelet-knows-ports-only',
      'the kubelet API must not know any system',
      '^src/kubelet/',
      onlyFrom('core', 'model', 'ports', 'kubelet'),
    ),
    rule('streaming-knows-bytes-only', 'streaming knows no pod', '^src/streaming/', onlyFrom('core', 'streaming')),
    rule(
      'server-mounts-kubelet-and-streaming',
      'the server serves what the kubelet API and streaming answer',
      '^src/server/',
      onlyFrom('core', 'model', 'ports', 'kubelet', 'streaming', 'server'),
    ),
    rule('providers-know-no-controller', 'a provider is called, it does not call back', '^src/providers/', {
      path: '^src/(controllers|kubelet|server|app|lambda|cli)/|^functions/',
    }),
    rule('adapters-know-no-controller', 'an adapter is called, it does not call back', '^src/adapters/', {
      path: '^src/(controllers|kubelet|server|app|lambda|cli)/|^functions/',
    }),
    rule(
      'sdk-values-in-adapters-only',
      'an SDK is used where its errors are translated; its types may be named anywhere',
      '^(functions|src/(?!adapters/|providers/))',
      { path: SDK, dependencyTypesNot: ['type-only'] },
    ),
    rule('functions-are-thin', 'an entry point wires and does not think', '^functions/', {
      path: OURS,
      pathNot: '^src/(app|config|lambda)/',
    }),
    rule('no-test-code-in-production', 'src ships', '^(src|functions)/', { path: '^(test|infra|scripts)/' }),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|\\.build|\\.serverless)/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
