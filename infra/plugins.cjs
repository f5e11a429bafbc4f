// Resolves `plugins` in serverless.yml: the local cloud, for `serverless offline` alone; packaging and deploying load none
// of it, but bundle first. The local cloud must come first: serverless-offline reads what it resolves.
module.exports = process.argv.includes('offline')
  ? ['./infra/local/plugin.ts', 'serverless-offline']
  : ['./infra/deploy/before-deploying.cjs'];
