import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** Programs from PyPI that the deploy tests call. */
export interface DeployTools {
  readonly cfnLint: string;
  /** A Python that has moto with its server. */
  readonly python: string;
}

const build = resolve(import.meta.dirname, '../../../.build');

/** `variable` where it is set, else the project's own virtual environment, else what PATH has. */
const programOf = (variable: string, name: string, venv = 'venv'): string => {
  const given = process.env[variable];
  if (given !== undefined && given !== '') return given;
  const own = `${build}/${venv}/bin/${name}`;
  return existsSync(own) ? own : name;
};

const works = (program: string, ...args: readonly string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0;

/** The tools, or undefined where one of them is missing. */
function findDeployTools(): DeployTools | undefined {
  const tools = { cfnLint: programOf('SVK_CFN_LINT', 'cfn-lint'), python: programOf('SVK_PYTHON', 'python3') };
  return works(tools.cfnLint, '--version') && works(tools.python, '-c', 'import moto.server, flask')
    ? tools
    : undefined;
}

/** The tools where the tests run for good (`CI=true`). @throws {Error} that says how to get them. */
export function requireDeployTools(): DeployTools {
  const tools = findDeployTools();
  if (tools === undefined) {
    throw new Error(
      'cfn-lint or moto is missing: python3 -m venv .build/venv && .build/venv/bin/pip install -r .ci/requirements.txt, or name them in SVK_CFN_LINT and SVK_PYTHON',
    );
  }
  return tools;
}

/** Without the tools these tests are left out, but for CI, where they must run. */
export const withoutDeployTools: boolean = process.env['CI'] !== 'true' && findDeployTools() === undefined;

const checkov = programOf('SVK_CHECKOV', 'checkov', 'checkov');

/** checkov, which is installed on its own: its pins do not fit the others'. @throws {Error} that says how to get it. */
export function requireCheckov(): string {
  if (works(checkov, '--version')) return checkov;
  throw new Error(
    'checkov is missing: python3 -m venv .build/checkov && .build/checkov/bin/pip install -r .ci/requirements-checkov.txt, or name it in SVK_CHECKOV',
  );
}

/** Without checkov its tests are left out, but for CI, where they must run. */
export const withoutCheckov: boolean = process.env['CI'] !== 'true' && !works(checkov, '--version');
