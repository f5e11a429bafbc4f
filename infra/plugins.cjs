// Resolves `plugins` in serverless.yml: the local cloud, for `serverless offline` alone. Packaging and deploying load none
// of it. The local cloud must come first: serverless-offline reads what it resolves.
module.exports = process.argv.includes('offline') ? ['./infra/local/plugin.ts', 'serverless-offline'] : [];
